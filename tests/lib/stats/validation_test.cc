// Simulated validations, most of 8 -> 16 workers, at limit 1.8, by the functions that the load
// client's pages use.
//
//   TWOFOLD_VALIDATIONS  how many a cell of the rows in the table of statistics.md; of others a
//                        fiftieth, but at least 1; 1 if not set. A sanitizer runs each sixth noise.
//   TWOFOLD_SEED         of the first one; 1 if not set

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tests/lib/stats/simulated_validation.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

constexpr double kLimit = 1.8;

const int kValidationTries = static_cast<int>(FromEnvironment("TWOFOLD_VALIDATIONS", 1));
const std::uint64_t kValidationSeed = FromEnvironment("TWOFOLD_SEED", 1);

/// A sanitizer takes each sixth: among them are repeats, patience, failures and unknown workers.
std::vector<Noise> EachNoise() {
  std::vector<Noise> all = AllNoise();
  for (Noise& each : FurtherNoise()) all.push_back(std::move(each));
  if (!kSanitized) return all;
  std::vector<Noise> some;
  for (std::size_t i = 4; i < all.size(); i += 6) some.push_back(std::move(all[i]));
  return some;
}

int Tries(const Noise& noise) {
  return noise.in_table ? kValidationTries : std::max(kValidationTries / 50, 1);
}

/// Of validations at several true ratios.
struct Count {
  std::uint64_t wrong = 0;
  std::uint64_t decided = 0;
  std::uint64_t tries = 0;

  void Add(const Count& more) {
    wrong += more.wrong;
    tries += more.tries;
  }
};

class PromisedValidations : public testing::TestWithParam<Noise> {
 protected:
  /// A few tries of each noise say little of it, but much of all.
  static void TearDownTestSuite() {
    twofold::Measure({.id = "validation-near-all",
                      .says = "a verdict is wrong within 1 % of the limit: all kinds of noise",
                      .most = 0.02},
                     near_all_.wrong, near_all_.tries);
    twofold::Measure({.id = "validation-off-all",
                      .says = "a verdict is wrong 3 or 5.5 % off the limit: all kinds of noise",
                      .most = 0.005},
                     off_all_.wrong, off_all_.tries);
  }

  static Count Run(std::initializer_list<double> ratios) {
    Count count;
    for (const double ratio : ratios) {
      const Tally tally = Validate(GetParam(), ratio, Tries(GetParam()), kValidationSeed);
      count.wrong += static_cast<std::uint64_t>(ratio < kLimit ? tally.passed : tally.failed);
      count.decided += static_cast<std::uint64_t>(tally.passed + tally.failed);
      count.tries += static_cast<std::uint64_t>(tally.tries);
    }
    return count;
  }

  static std::string Id(const std::string& of) {
    return absl::StrCat("validation-", of, "-",
                        absl::StrReplaceAll(GetParam().name, {{" ", "-"}, {",", ""}}));
  }
  static std::string Says(const std::string& what) {
    return absl::StrCat(what, ": ", GetParam().name);
  }

  static inline Count near_all_;
  static inline Count off_all_;
};

TEST_P(PromisedValidations, AreRarelyWrong) {
  const Count near = Run({1.78, kLimit, 1.82});
  twofold::Measure({.id = Id("near"),
                    .says = Says("a verdict is wrong within 1 % of the limit"),
                    .most = GetParam().near},
                   near.wrong, near.tries);
  near_all_.Add(near);
  const Count off = Run({1.70, 1.746, 1.854, 1.90});
  twofold::Measure({.id = Id("off"),
                    .says = Says("a verdict is wrong 3 or 5.5 % off the limit"),
                    .most = GetParam().off},
                   off.wrong, off.tries);
  off_all_.Add(off);
}

TEST_P(PromisedValidations, AreDecided) {
  const std::array<double, 3> ratios = {2.0, 1.9, 1.6};
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const Count count = Run({ratios[i]});
    twofold::Measure(
        {.id = Id(absl::StrCat("decided-", std::lround(100.0 * ratios[i]))),
         .says = Says(absl::StrCat("decided for any pods at a true ratio of ", ratios[i])),
         .least = GetParam().decided[i]},
        count.decided, count.tries);
  }
}

INSTANTIATE_TEST_SUITE_P(Noise, PromisedValidations, testing::ValuesIn(EachNoise()),
                         [](const auto& row) {
                           return absl::StrReplaceAll(row.param.name, {{" ", ""}, {",", ""}});
                         });

constexpr int kFewTries = static_cast<int>(Fewer(20));

const Noise& Named(const std::string& name) {
  static const std::vector<Noise> all = AllNoise();
  return *std::find_if(all.begin(), all.end(), [&](const Noise& n) { return n.name == name; });
}

TEST(ValidationOfWorkers, ThatAreNearlyEqualIsDecidedThreePercentOffTheLimit) {
  for (const double ratio : {1.746, 1.854}) {
    const Tally tally = Validate(Named("nearly equal lives"), ratio, kFewTries, kValidationSeed);
    EXPECT_LE(tally.undecided(), 1) << ratio;
    EXPECT_LT(tally.seconds / kFewTries, 200.0) << ratio;
  }
}

TEST(ValidationOfWorkers, IsAlsoDecidedForThesePodsWhereItIsForAny) {
  const Noise& noise = Named("exponential lives");
  const Tally any = Validate(noise, 2.0, kFewTries, kValidationSeed);
  const Tally these = Validate(noise, 2.0, kFewTries, kValidationSeed, Pods::kThese);
  EXPECT_LE(these.undecided(), any.undecided());
}

TEST(ValidationOfWorkers, WithExponentialLivesIsDecidedForThesePods) {
  struct Row {
    double ratio;
    double least;
  };
  for (const auto& [ratio, least] : {Row{2.0, 0.82}, {1.9, 0.25}, {1.6, 0.87}}) {
    const Tally tally = Validate(Named("exponential lives"), ratio, kValidationTries,
                                 kValidationSeed, Pods::kThese);
    twofold::Measure({.id = absl::StrCat("validation-these-", std::lround(100.0 * ratio)),
                      .says = absl::StrCat("decided for these pods at a true ratio of ", ratio,
                                           ": exponential lives"),
                      .least = least},
                     static_cast<std::uint64_t>(tally.passed + tally.failed),
                     static_cast<std::uint64_t>(tally.tries));
  }
}

TEST(ValidationOfWorkers, ThatSleepTakesTwoLooks) {
  const Noise sleep = {.name = "sleep",
                       .life = [](Random& random) { return 1.0 + 0.002 * Uniform(random); }};
  const Tally tally = Validate(sleep, 1.99, kFewTries, kValidationSeed);
  EXPECT_EQ(tally.passed, kFewTries);
  EXPECT_NEAR(tally.seconds / kFewTries, 20.0, 0.5);
}

// In job times; the cap of each of the five steps is 200 of them.
TEST(ValidationFromOneWorkerOn, OfAQuietSystemIsShort) {
  const auto sleep = [](Random& random) { return 1.0 + 0.02 * Uniform(random); };
  const auto scatter = [](Random& random) { return 0.91 + 0.18 * Uniform(random); };
  for (const auto& [life, job_times] :
       {std::pair<std::function<double(Random&)>, double>(sleep, 150.0), {scatter, 250.0}}) {
    const Noise quiet = {.name = "quiet", .life = life, .workers = 1, .doublings = 4};
    const Tally tally = Validate(quiet, 2.0, kFewTries, kValidationSeed);
    EXPECT_GE(tally.passed, kFewTries - 1);
    EXPECT_LT(tally.seconds / kFewTries, job_times);
  }
}

TEST(ValidationFromOneWorkerOn, OfASystemThatDoesNotScaleFails) {
  const Noise quiet = {.name = "quiet",
                       .life = [](Random& random) { return 0.9 + 0.2 * Uniform(random); },
                       .workers = 1,
                       .doublings = 4};
  EXPECT_EQ(Validate(quiet, 1.6, kFewTries, kValidationSeed).failed, kFewTries);
}

}  // namespace
}  // namespace twofold::stats
