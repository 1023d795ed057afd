// Hashes of values that do not depend on how the cells are divided among ranks.
#pragma once

#include <cstdint>
#include <string>

namespace xp {

/// A bijection of 64-bit words that spreads every bit over all: the finaliser of splitmix64
/// (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
constexpr std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

/// The hash of one value at a global place; sums of these modulo 2^64 are hashes of sets of cells.
/// Another value in one cell always changes the sum, others in several with probability 1 - 2^-64.
constexpr std::uint64_t hash_at(std::uint64_t bits, std::uint64_t place) {
  return mixed(mixed((place + 1) * 0x9e3779b97f4a7c15u) ^ bits);
}

inline std::uint64_t hash_text(const std::string& text) {
  std::uint64_t sum = hash_at(text.size(), ~std::uint64_t{1});
  for (std::size_t n = 0; n < text.size(); ++n)
    sum += hash_at(static_cast<unsigned char>(text[n]), n);
  return sum;
}

}  // namespace xp
