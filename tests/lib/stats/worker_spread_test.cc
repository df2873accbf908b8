#include "lib/stats/worker_spread.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace twofold::stats {
namespace {

Moments Of(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.Add(value);
  return moments;
}

TEST(Moments, MergedAreAsIfAllHadBeenAdded) {
  Moments merged = Of({1.0, 5.0, 2.0});
  merged.Merge(Of({7.0, 7.5}));
  merged.Merge(Moments());
  const Moments all = Of({1.0, 5.0, 2.0, 7.0, 7.5});
  EXPECT_EQ(merged.count(), all.count());
  EXPECT_DOUBLE_EQ(merged.mean(), all.mean());
  EXPECT_DOUBLE_EQ(merged.Variance(), all.Variance());
  Moments fresh;
  fresh.Merge(all);
  EXPECT_DOUBLE_EQ(fresh.Variance(), all.Variance());
}

TEST(SlowestWorker, IsFoundWithHowMuchLongerItTakes) {
  const std::vector<Moments> workers = {Of({1.0, 1.0, 1.0}), Of({1.0, 1.0}), Of({1.6, 1.6, 1.6}),
                                        Of({9.0})};
  const auto slowest = SlowestWorker(workers);
  ASSERT_TRUE(slowest.has_value());
  EXPECT_EQ(slowest->worker, 2U);
  EXPECT_NEAR(slowest->by, 1.0 / 3.0, 1e-9);
}

TEST(SlowestWorker, NeedsTwoOthersToBeSlowerThan) {
  EXPECT_FALSE(SlowestWorker({}).has_value());
  EXPECT_FALSE(SlowestWorker(std::vector{Of({1.0, 1.0}), Of({2.0, 2.0})}).has_value());
}

TEST(SlowestWorker, IsSeldomFoundWhereAllAreEqual) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> life(1.0);
  int found = 0;
  constexpr int kTries = 500;
  for (int i = 0; i < kTries; ++i) {
    std::vector<Moments> workers(16);
    for (Moments& worker : workers) {
      for (int job = 0; job < 30; ++job) worker.Add(life(random));
    }
    found += SlowestWorker(workers).has_value() ? 1 : 0;
  }
  EXPECT_LE(found, kTries / 20);
}

}  // namespace
}  // namespace twofold::stats
