#include "frontend/scalers/signals/history.h"

#include <gtest/gtest.h>

namespace twofold::scalers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A queue that takes `arrivals` jobs in each second, and ends `ends`.
class Watched {
 public:
  void Go(int for_seconds, std::uint64_t arrivals, std::uint64_t ends, std::uint64_t running) {
    for (int i = 0; i < for_seconds; ++i) {
      counts_.running = running;
      history.Add(now_, epoch, counts_);
      now_ += seconds(1);
      counts_.arrived += arrivals;
      counts_.ended += ends;
    }
    history.Add(now_, epoch, counts_);
  }

  History history;
  std::uint64_t epoch = 1;

 private:
  Instant now_{seconds(1000)};
  Counts counts_;
};

TEST(History, KnowsNoRatesBeforeItHasWatchedForAWhile) {
  History history;
  EXPECT_FALSE(history.Over(seconds(60)).has_value());
  history.Add(Instant(seconds(1)), 0, {.arrived = 5});
  EXPECT_FALSE(history.Over(seconds(60)).has_value());
  history.Add(Instant(seconds(5)), 0, {.arrived = 10});
  EXPECT_FALSE(history.Over(seconds(60)).has_value());
  history.Add(Instant(seconds(6)), 0, {.arrived = 10});
  ASSERT_TRUE(history.Over(seconds(60)).has_value());
  EXPECT_DOUBLE_EQ(history.Over(seconds(60))->arrivals, 1) << "jobs from before do not count";
}

TEST(History, AveragesOverTheWindow) {
  Watched queue;
  queue.Go(100, 9, 9, 9);
  queue.Go(30, 4, 2, 3);
  const auto flow = queue.history.Over(seconds(29));
  ASSERT_TRUE(flow.has_value());
  EXPECT_DOUBLE_EQ(flow->arrivals, 4);
  EXPECT_DOUBLE_EQ(flow->ends, 2);
  EXPECT_DOUBLE_EQ(flow->running, 3);
  const auto longer = queue.history.Over(seconds(60));
  EXPECT_DOUBLE_EQ(longer->arrivals, 6.5);
}

TEST(History, BeginsAnewWhereCountersDo) {
  Watched queue;
  queue.Go(60, 4, 4, 1);
  queue.epoch = 2;
  queue.Go(4, 1, 1, 1);
  EXPECT_FALSE(queue.history.Over(seconds(60)).has_value());
  queue.Go(10, 1, 1, 1);
  EXPECT_DOUBLE_EQ(queue.history.Over(seconds(60))->arrivals, 1);
}

TEST(History, TakesASampleASecondHoweverOftenItIsTold) {
  History history;
  for (int i = 0; i <= 6000; ++i) {
    history.Add(Instant(milliseconds(i)), 0, {.arrived = static_cast<std::uint64_t>(i)});
  }
  EXPECT_DOUBLE_EQ(history.Over(seconds(60))->arrivals, 1000);
}

TEST(History, ForgetsWhatIsOlderThanTheLongestWindow) {
  Watched queue;
  queue.Go(700, 100, 0, 0);
  queue.Go(600, 1, 0, 0);
  EXPECT_DOUBLE_EQ(queue.history.Over(seconds(10'000))->arrivals, 1);
}

TEST(History, NeverHasANegativeRate) {
  History history;
  history.Add(Instant(seconds(1)), 0, {.arrived = 10});
  history.Add(Instant(seconds(9)), 0, {.arrived = 8});  // two were given up before they ran
  EXPECT_EQ(history.Over(seconds(60))->arrivals, 0);
}

}  // namespace
}  // namespace twofold::scalers
