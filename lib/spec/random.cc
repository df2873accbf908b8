#include "lib/spec/random.h"

#include <set>

namespace twofold::spec {

std::uint64_t Random::Next() {
  state_ += 0x9E3779B97F4A7C15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

std::uint64_t Random::Below(std::uint64_t bound) {
  const std::uint64_t rest = (0 - bound) % bound;  // 2^64 mod bound
  std::uint64_t number = Next();
  while (number < rest) number = Next();
  return number % bound;
}

std::vector<std::uint64_t> SampleOf(std::uint64_t total, std::uint64_t count, Random& random) {
  std::set<std::uint64_t> chosen;
  for (std::uint64_t last = total - count; last < total; ++last) {
    const std::uint64_t number = random.Below(last + 1);
    chosen.insert(chosen.contains(number) ? last : number);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace twofold::spec
