// Random numbers that depend on a cell's place alone: the same on every backend, for any number of
// threads and ranks, and in whatever order they are asked for.
//
// The generator is Philox4x32-10 of Random123, a bijection of 128 bits under a key of 64 (J. K.
// Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw 2011, Parallel random numbers: as easy as 1, 2, 3,
// Proc. Int. Conf. for High Performance Computing (SC11), article 16). Key is the seed, counter the
// words (cell's low half, cell's high half, stream, use). There is no state to keep or to hand on.
#pragma once

#include <cmath>
#include <cstdint>

#include <Random123/philox.h>

#include <xp/runtime/kokkos.hpp>

namespace xp {
namespace detail {

/// The last word of the counter: uniform and normal numbers of a cell have no bits in common.
enum class RandomUse : std::uint32_t { uniform = 0, normal = 1 };

/// Four random words.
struct RandomWords {
  std::uint32_t word[4];
};

KOKKOS_INLINE_FUNCTION RandomWords random_words(std::uint64_t seed, std::uint64_t cell,
                                                std::uint32_t stream, RandomUse use) {
  const r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(cell),
                                               static_cast<std::uint32_t>(cell >> 32), stream,
                                               static_cast<std::uint32_t>(use)}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const r123::Philox4x32::ctr_type words = r123::Philox4x32_R<10>()(counter, key);
  return {{words.v[0], words.v[1], words.v[2], words.v[3]}};
}

/// A multiple of 2^-53 in [0, 1), made of the upper 53 bits of two words.
KOKKOS_INLINE_FUNCTION double unit_number(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// The transformation of G. E. P. Box and M. E. Muller 1958, A note on the generation of random
/// normal deviates, Ann. Math. Stat. 29, 610, of two numbers in [0, 1); its cosine only, so that a
/// cell needs no neighbour. 1 - radius is exact and at least 2^-53: the result is finite, at most
/// sqrt(106 log 2) = 8.57 in size.
KOKKOS_INLINE_FUNCTION double box_muller(double radius, double angle) {
  constexpr double two_pi = 6.283185307179586;
  return std::sqrt(-2 * std::log(1 - radius)) * std::cos(two_pi * angle);
}

}  // namespace detail

/// A number of the uniform distribution on [0, 1), a multiple of 2^-53. `cell` is the index of the
/// cell in the whole grid, x fastest; `stream` tells the numbers of one cell apart. The bits are
/// those of every backend, CUDA included: there is no rounding.
KOKKOS_INLINE_FUNCTION double uniform_number(std::uint64_t seed, std::uint32_t stream,
                                             std::uint64_t cell) {
  const detail::RandomWords words =
      detail::random_words(seed, cell, stream, detail::RandomUse::uniform);
  return detail::unit_number(words.word[0], words.word[1]);
}

/// A number of the normal distribution with mean 0 and variance 1; independent of uniform_number.
/// `log` and `cos` are the C library's, of one value: the bits are those of every backend on the
/// host, and CUDA's differ from them by rounding. Not for loops that a compiler may hand to a
/// vector library (none does without -ffast-math).
KOKKOS_INLINE_FUNCTION double normal_number(std::uint64_t seed, std::uint32_t stream,
                                            std::uint64_t cell) {
  const detail::RandomWords words =
      detail::random_words(seed, cell, stream, detail::RandomUse::normal);
  return detail::box_muller(detail::unit_number(words.word[0], words.word[1]),
                            detail::unit_number(words.word[2], words.word[3]));
}

}  // namespace xp
