#include "lib/spec/combinations.h"

#include <algorithm>
#include <numeric>

namespace twofold::spec {

std::uint64_t Times(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kTooMany / a ? kTooMany : a * b;
}

std::uint64_t Plus(std::uint64_t a, std::uint64_t b) {
  return a > kTooMany - std::min(b, kTooMany) ? kTooMany : a + b;
}

std::uint64_t CountCombinations(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  std::uint64_t count = 1;
  for (std::uint64_t i = 1; i <= std::min(k, n - k); ++i) {
    // count x (n - k' + i) / i is whole; dividing by what both have in common first avoids
    // overflow.
    std::uint64_t factor = n - std::min(k, n - k) + i;
    std::uint64_t divisor = i;
    const std::uint64_t common = std::gcd(factor, divisor);
    factor /= common;
    divisor /= common;
    count = Times(count / divisor, factor);
    if (count == kTooMany) return kTooMany;
  }
  return count;
}

std::vector<std::uint64_t> Combination(std::uint64_t n, std::uint64_t k, std::uint64_t number) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t thing = 0; chosen.size() < k; ++thing) {
    const std::uint64_t with = CountCombinations(n - thing - 1, k - chosen.size() - 1);
    if (number < with) {
      chosen.push_back(thing);
    } else {
      number -= with;
    }
  }
  return chosen;
}

}  // namespace twofold::spec
