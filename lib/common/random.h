#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace twofold {

/// Random numbers that depend on the seed alone: the same on every machine, in every release and
/// with every standard library, so that a seed in a file always gives the same order, sample or
/// load.
///
/// Source   SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
///          generators", OOPSLA 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Numbers that depend on a text as well, such as the name of a pod: so its life does not depend
  /// on the order in which pods arrive.
  Random(std::uint64_t seed, std::string_view text) : state_(seed) {
    for (const char c : text) state_ = Next() ^ static_cast<unsigned char>(c);
  }

  /// The same with a number, such as the id of a job. The seed is mixed first, so the ids 1, 2, 3
  /// of another seed are other numbers, and not the same ones in another order.
  Random(std::uint64_t seed, std::uint64_t number) : state_(Random(seed).Next() ^ number) {}

  /// All 64-bit numbers alike.
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// More than 0, less than 1: the last of the 2^53 shares would be rounded up to 1.
  double Share() {
    return std::min((static_cast<double>(Next() >> 11) + 0.5) * 0x1p-53, 1 - 0x1p-53);
  }

  /// 0 .. bound - 1 alike (`bound` more than 0): numbers from the uneven rest of 2^64 / bound are
  /// thrown away.
  std::uint64_t Below(std::uint64_t bound) {
    const std::uint64_t rest = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t number = Next();
    while (number < rest) number = Next();
    return number % bound;
  }

 private:
  std::uint64_t state_;
};

}  // namespace twofold
