#include "tests/support/promise.h"

#include <absl/strings/str_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace twofold {
namespace {

constexpr double kErrors = 3.72;  // of a normal distribution: beyond is 1 in 10 000

/// What chance adds to a share of so many tries, with half a case for the counting.
double Chance(double share, double tries) {
  return kErrors * std::sqrt(share * (1.0 - share) / tries) + 0.5 / tries;
}

std::string Promised(const Promise& promise) {
  const std::string least = absl::StrFormat("%g %%", 100.0 * promise.least);
  const std::string most = absl::StrFormat("%g %%", 100.0 * promise.most);
  if (promise.most >= 1.0) return promise.least <= 0.0 ? "-" : "at least " + least;
  return promise.least <= 0.0 ? "at most " + most : least + " to " + most;
}

}  // namespace

void Measure(const Promise& promise, std::uint64_t held, std::uint64_t tries) {
  ASSERT_GT(tries, 0U) << promise.id;
  const double n = static_cast<double>(tries);
  const double share = static_cast<double>(held) / n;
  EXPECT_GE(share, promise.least - Chance(promise.least, n)) << promise.id;
  EXPECT_LE(share, promise.most + Chance(promise.most, n)) << promise.id;

  const std::string row = absl::StrFormat("| `%s` | %s | %s | %.3g %% | %d |", promise.id,
                                          promise.says, Promised(promise), 100.0 * share, tries);
  std::cout << row << "\n";
  if (const char* name = std::getenv("TWOFOLD_PROMISES"); name != nullptr) {
    static std::ofstream file(name);  // of this run of the test alone
    file << row << std::endl;
    EXPECT_TRUE(file) << name;
  }
}

}  // namespace twofold
