#pragma once

#include <cstdint>

namespace twofold::objects {

/// An order of the numbers 0 to n - 1 that looks random, in constant memory: At(0), At(1), ...
/// At(n - 1) are all of them, each once.
///
/// Threads  Immutable.
/// Cost     At O(1): four rounds, on average less than four times.
/// Source   A Feistel network is a bijection whatever its rounds are; numbers beyond n go through
///          it again ("cycle walking", J. Black and P. Rogaway, 2002).
class Permutation {
 public:
  /// The same key gives the same order. REQUIRES: n > 0.
  Permutation(std::uint64_t n, std::uint64_t key);

  /// REQUIRES: place < n.
  [[nodiscard]] std::uint64_t At(std::uint64_t place) const;

 private:
  [[nodiscard]] std::uint64_t Once(std::uint64_t x) const;

  std::uint64_t n_;
  std::uint64_t key_;
  int half_bits_;
};

}  // namespace twofold::objects
