#include "workloads/objects/load/permutation.h"

#include <algorithm>
#include <bit>

#include "workloads/objects/load/random.h"

namespace twofold::objects {

Permutation::Permutation(std::uint64_t n, std::uint64_t key)
    : n_(n),
      key_(key),
      half_bits_(std::max((static_cast<int>(std::bit_width(n - 1)) + 1) / 2, 1)) {}

std::uint64_t Permutation::Once(std::uint64_t x) const {
  constexpr std::uint64_t kRounds = 4;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = x >> half_bits_;
  std::uint64_t right = x & mask;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const std::uint64_t mixed = Scramble(key_ + kGolden * (right * kRounds + round + 1));
    left ^= (mixed >> 32) & mask;
    std::swap(left, right);
  }
  return left << half_bits_ | right;
}

std::uint64_t Permutation::At(std::uint64_t place) const {
  std::uint64_t x = place;
  do {
    x = Once(x);
  } while (x >= n_);
  return x;
}

}  // namespace twofold::objects
