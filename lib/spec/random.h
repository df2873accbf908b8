#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace twofold::spec {

/// Random numbers that are the same on every machine and in every release, so that a seed in a file
/// always gives the same order and the same sample. (What the standard library makes of a generator
/// differs between libraries.)
///
/// Source   SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
///          generators", OOPSLA 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// All 64-bit numbers alike.
  std::uint64_t Next();

  /// 0 .. bound - 1 alike (`bound` more than 0): numbers from the uneven rest of 2^64 / bound are
  /// thrown away.
  std::uint64_t Below(std::uint64_t bound);

 private:
  std::uint64_t state_;
};

/// `count` different numbers out of 0 .. total - 1 (`count` <= `total`), smallest first; every such
/// set alike. Cost: O(count log count), whatever `total` is.
/// Source: R. Floyd, in J. Bentley, "Programming pearls: a sample of brilliance", CACM 1987.
std::vector<std::uint64_t> SampleOf(std::uint64_t total, std::uint64_t count, Random& random);

/// Puts `items` in random order, every order alike: from the last place down, each is swapped with
/// one at or before it (R. Fisher, F. Yates; D. Knuth's algorithm P).
template <typename T>
void Shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.Below(i)]);
}

}  // namespace twofold::spec
