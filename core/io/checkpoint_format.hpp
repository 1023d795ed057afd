// The bytes of a checkpoint that are not arrays; for checkpoint*.cpp only.
#pragma once

#include <cstdint>
#include <string>

#include <xp/io/checkpoint.hpp>
#include <xp/io/hdf5.hpp>

namespace xp::checkpoint_format {

constexpr std::int64_t block_bytes = 512;  ///< the first bytes, which HDF5 leaves to its users

/// The table of contents as text. The state is found at `state`.
std::string table_text(const CheckpointContents& contents, const hdf5::Place& state);
/// The first bytes of a file of `file_bytes` bytes whose table of contents lies at `table`.
std::string block_text(std::int64_t file_bytes, const std::string& table, const hdf5::Place& place);

/// What the two functions above made and a reader found whole, not yet taken apart.
struct Texts {
  std::string table, state;
};
/// Throws what read_checkpoint_contents() does. For one process.
Texts read_texts(const std::string& path);
CheckpointContents parsed(const Texts& texts);

/// `checkpoint_000000012.h5`
std::string file_name(std::int64_t step);
/// The step in such a name; -1 in any other.
std::int64_t step_of(const std::string& file_name);

/// A rank's part of the hash of an array.
std::uint64_t hash_block(const Grid& grid, Precision precision, const void* values);

}  // namespace xp::checkpoint_format
