// How often `load --until` stops where it says, and how often percentiles lie in their intervals:
// TWOFOLD_TRIES simulated loads.
#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "lib/stats/censored_times.h"
#include "tests/lib/stats/lanes.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

const std::uint64_t kLoadTries = FromEnvironment("TWOFOLD_TRIES", Fewer(100));
Random random_of_loads(FromEnvironment("TWOFOLD_SEED", 1));

constexpr int kWorkers = 4;
constexpr double kWithin = 0.05;
constexpr std::size_t kMostJobs = 12'000;

/// Lives of a second, of which one in `rarity` takes `factor` times as long.
struct SlowJobs {
  double rarity = 20.0;
  double factor = 10.0;

  [[nodiscard]] double Draw(Random& random) const {
    const double life = 0.98 + 0.04 * Uniform(random);
    return Uniform(random) * rarity <= 1.0 ? factor * life : life;
  }
  [[nodiscard]] double Mean() const { return 1.0 + (factor - 1.0) / rarity; }
};

/// A load that somebody looks at each time that its window has grown by a tenth.
class Load {
 public:
  explicit Load(const SlowJobs& lives)
      : lives_(lives),
        start_(10.0 * lives.Mean()),
        jobs_(RunLanes(
            kWorkers, start_ + Longest(),
            [&](double, Random& random) { return lives.Draw(random); }, random_of_loads)),
        window_(At(start_)) {}

  /// Whether it ends because the throughput is known, and is not.
  bool StopsWrong() {
    for (double seconds = 1.0; seconds < Longest(); seconds *= 1.1) {
      const ThroughputEstimate estimate = LookAt(At(start_ + seconds));
      if (!estimate.IsKnownWithin(kWithin)) continue;
      return std::abs(estimate.throughput * lives_.Mean() / kWorkers - 1.0) > kWithin;
    }
    return false;
  }

 private:
  static Instant At(double seconds) { return Instant{} + FromSeconds(seconds); }
  [[nodiscard]] double Longest() const {
    return static_cast<double>(kMostJobs) * lives_.Mean() / kWorkers;
  }

  ThroughputEstimate LookAt(Instant now) {
    for (; next_ < jobs_.size() && jobs_[next_].ended <= now; ++next_) {
      window_.Ended(jobs_[next_].submitted, jobs_[next_].ended, true, jobs_[next_].lane);
    }
    std::vector<Instant> at_work;
    for (std::size_t i = next_; i < jobs_.size() && at_work.size() < kWorkers; ++i) {
      if (jobs_[i].submitted <= now) at_work.push_back(jobs_[i].submitted);
    }
    return window_.Estimate(now, at_work);
  }

  SlowJobs lives_;
  double start_;
  std::vector<SimulatedJob> jobs_;
  ThroughputWindow window_;
  std::size_t next_ = 0;
};

TEST(PromisedLoadUntil, DoesNotStopBeforeSlowJobsWereSeen) {
  for (const auto& [rarity, factor] : {std::pair(20, 10), {100, 10}, {100, 100}}) {
    twofold::Measure(
        {.id = absl::StrCat("load-until-", rarity, "-", factor),
         .says = absl::StrCat("`load --until 5%` ends with a throughput that is further off, "
                              "where one job in ",
                              rarity, " takes ", factor, " times as long"),
         .most = 0.05},
        kLoadTries, [lives = SlowJobs{static_cast<double>(rarity), static_cast<double>(factor)}] {
          return Load(lives).StopsWrong();
        });
  }
}

TEST(PromisedPercentiles, AreInTheirInterval) {
  for (const auto& [id, share, jobs] : {std::tuple("p50", 0.5, 50),
                                        {"p90", 0.9, 500},
                                        {"p99", 0.99, 500},
                                        {"p99-9", 0.999, 5000}}) {
    twofold::Measure({.id = absl::StrCat("percentile-", id),
                      .says = absl::StrCat("the interval of p", 100.0 * share, " of ", jobs,
                                           " lognormal times holds the true one"),
                      .least = 0.95},
                     kLoadTries, [share = share, jobs = jobs] {
                       std::lognormal_distribution<double> time(0.0, 1.0);
                       CensoredTimes times;
                       for (int i = 0; i < jobs; ++i)
                         times.ended.Record(FromSeconds(time(random_of_loads)));
                       const auto [lower, upper] = times.IntervalOfQuantile(share);
                       constexpr double kSqrt2 = 1.4142135623730951;
                       const auto below = [&](Duration at) {  // the share of times under it
                         return 0.5 * std::erfc(-std::log(ToSeconds(at)) / kSqrt2);
                       };
                       return lower && upper && below(*lower) <= share && share <= below(*upper);
                     });
  }
}

}  // namespace
}  // namespace twofold::stats
