// Simulated validations of 8 -> 16 workers at limit 1.8, by the functions that the load client's
// pages use.
//
//   TWOFOLD_TRIES  how many a cell; 60 if not set, a tenth of that with a sanitizer
//   TWOFOLD_SEED   of the first one; 1 if not set

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/lib/stats/simulated_validation.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

constexpr double kLimit = 1.8;

const int kValidationTries =
    static_cast<int>(FromEnvironment("TWOFOLD_TRIES", kSanitized ? 6 : 60));
const std::uint64_t kValidationSeed = FromEnvironment("TWOFOLD_SEED", 1);

struct Case {
  Noise noise;
  std::uint32_t repeats;
};

std::string NameOf(const Case& one) {
  return one.noise.name + (one.repeats > 1 ? ", 4 repeats" : "");
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const Noise& noise : AllNoise()) {
    cases.push_back({noise, 1});
    if (noise.worker_sd > 0.0) cases.push_back({noise, 4});
  }
  return cases;
}

class PromisedValidations : public testing::TestWithParam<Case> {
 protected:
  /// Of all validations at these true ratios: how many were wrong, and how many undecided.
  struct Count {
    std::uint64_t wrong = 0;
    std::uint64_t undecided = 0;
    std::uint64_t tries = 0;
  };

  static Count Run(std::initializer_list<double> ratios) {
    const auto& [noise, repeats] = GetParam();
    Count count;
    for (const double ratio : ratios) {
      const Tally tally = Validate(noise, ratio, repeats, kValidationTries, kValidationSeed);
      count.wrong += static_cast<std::uint64_t>(ratio < kLimit ? tally.passed : tally.failed);
      count.undecided += static_cast<std::uint64_t>(tally.undecided());
      count.tries += static_cast<std::uint64_t>(tally.tries);
    }
    return count;
  }

  static std::string Id(const std::string& of) {
    return absl::StrCat("validation-", of, "-",
                        absl::StrReplaceAll(NameOf(GetParam()), {{" ", "-"}, {",", ""}}));
  }
  static std::string Says(const std::string& what) {
    return absl::StrCat(what, ": ", NameOf(GetParam()));
  }
};

TEST_P(PromisedValidations, AreRarelyWrong) {
  const Count near = Run({1.78, kLimit, 1.82});
  twofold::Measure(
      {.id = Id("near"), .says = Says("a verdict is wrong within 1 % of the limit"), .most = 0.03},
      near.wrong, near.tries);
  const Count middle = Run({1.746, 1.854});
  const Count far = Run({1.70, 1.90});
  twofold::Measure(
      {.id = Id("off"), .says = Says("a verdict is wrong 3 or 5.5 % off the limit"), .most = 0.01},
      middle.wrong + far.wrong, middle.tries + far.tries);
  twofold::Measure({.id = Id("undecided-3"), .says = Says("undecided 3 % off the limit")},
                   middle.undecided, middle.tries);
  twofold::Measure({.id = Id("undecided-5"), .says = Says("undecided 5.5 % off the limit")},
                   far.undecided, far.tries);
}

INSTANTIATE_TEST_SUITE_P(Noise, PromisedValidations, testing::ValuesIn(Cases()),
                         [](const auto& row) {
                           return absl::StrReplaceAll(NameOf(row.param), {{" ", ""}, {",", ""}});
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
