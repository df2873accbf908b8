// Simulated validations of 8 -> 16 workers at limit 1.8, by the functions that the load client's
// pages use. docs/statistics.md has the table.
//
//   TWOFOLD_TRIES  how many a cell; 60 if not set, a tenth of that with a sanitizer
//   TWOFOLD_SEED   of the first one; 1 if not set

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "tests/lib/stats/simulated_validation.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

constexpr double kLimit = 1.8;

const int kValidationTries =
    static_cast<int>(FromEnvironment("TWOFOLD_TRIES", kSanitized ? 6 : 60));
const std::uint64_t kValidationSeed = FromEnvironment("TWOFOLD_SEED", 1);

/// So many of `tries` may be wrong for a true share, by chance once in a thousand times.
double MostWrong(double share, int tries) {
  const double expected = share * tries;
  return expected + 3.1 * std::sqrt(expected) + 1.0;
}

struct Case {
  Noise noise;
  std::uint32_t repeats;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const Noise& noise : AllNoise()) {
    cases.push_back({noise, 1});
    if (noise.worker_sd > 0.0) cases.push_back({noise, 4});
  }
  return cases;
}

/// A row of the table: "wrong % undecided % job times" for each ratio.
class SimulatedValidation : public testing::TestWithParam<Case> {
 protected:
  Tally Run(double ratio) const {
    const auto& [noise, repeats] = GetParam();
    const Tally tally = Validate(noise, ratio, repeats, kValidationTries, kValidationSeed);
    std::cout << noise.name << (repeats > 1 ? ", 4 repeats" : "") << " | " << ratio << " | "
              << 100.0 * Wrong(tally, ratio) / kValidationTries << " | "
              << 100.0 * tally.undecided() / kValidationTries << " | "
              << tally.seconds / kValidationTries << '\n';
    return tally;
  }
  static int Wrong(const Tally& tally, double ratio) {
    return ratio < kLimit ? tally.passed : tally.failed;
  }
};

TEST_P(SimulatedValidation, IsRarelyWrong) {
  std::cout << "TWOFOLD_TRIES=" << kValidationTries << " TWOFOLD_SEED=" << kValidationSeed << '\n';
  for (const double ratio : {1.70, 1.746, 1.854, 1.90}) {
    EXPECT_LE(Wrong(Run(ratio), ratio), MostWrong(0.01, kValidationTries)) << ratio;
  }
  for (const double ratio : {1.78, kLimit, 1.82}) {
    EXPECT_LE(Wrong(Run(ratio), ratio), MostWrong(0.03, kValidationTries)) << ratio;
  }
}

INSTANTIATE_TEST_SUITE_P(Noise, SimulatedValidation, testing::ValuesIn(Cases()),
                         [](const auto& row) {
                           std::string name = row.param.noise.name;
                           std::erase_if(name, [](char c) { return c == ' '; });
                           return name + (row.param.repeats > 1 ? "Repeated" : "");
                         });

const Noise& Named(const std::string& name) {
  static const std::vector<Noise> all = AllNoise();
  return *std::find_if(all.begin(), all.end(), [&](const Noise& n) { return n.name == name; });
}

TEST(ValidationOfWorkers, ThatAreNearlyEqualIsDecidedThreePercentOffTheLimit) {
  for (const double ratio : {1.746, 1.854}) {
    const Tally tally =
        Validate(Named("nearly equal lives"), ratio, 1, kValidationTries, kValidationSeed);
    EXPECT_LE(tally.undecided(), 0.02 * kValidationTries) << ratio;
    EXPECT_LT(tally.seconds / kValidationTries, 120.0) << ratio;
  }
}

TEST(ValidationOfWorkers, WithUniformLivesIsDecidedSixPercentOffTheLimit) {
  for (const double ratio : {1.70, 1.90}) {
    const Tally tally =
        Validate(Named("uniform lives"), ratio, 1, kValidationTries, kValidationSeed);
    EXPECT_LE(tally.undecided(), 0.2 * kValidationTries) << ratio;
  }
}

TEST(ValidationOfWorkers, ThatSleepTakesTwoLooks) {
  const Noise sleep = {.name = "sleep",
                       .life = [](Random& random) { return 1.0 + 0.002 * Uniform(random); }};
  const Tally tally = Validate(sleep, 1.99, 1, kValidationTries, kValidationSeed);
  EXPECT_EQ(tally.passed, kValidationTries);
  EXPECT_NEAR(tally.seconds / kValidationTries, 20.0, 0.5);
}

}  // namespace
}  // namespace twofold::stats
