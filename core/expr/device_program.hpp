// A compiled expression on the device: the same register machine for a chunk of a row on the CPU
// (vectorised loops over lanes) and for one cell on a GPU.
#pragma once
