#include "bench/cluster/stored_queue.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace twofold::scale {
namespace {

using std::chrono::seconds;

/// Remembers the newest assignment, and counts what came to nothing.
class Watcher : public queue::NoEffects {
 public:
  using queue::NoEffects::Do;
  void Do(const queue::Assign& assign) override { assigned = {assign.job, assign.attempt}; }
  void Do(const queue::Requeued& /*requeued*/) override { ++requeued; }

  std::optional<queue::Held> assigned;
  int requeued = 0;
};

class StoredQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    stored.Load(now, watcher);
    stored.core().Step(now, queue::input::WorkerJoined{.key = queue::ProcessKey{7}}, watcher);
    stored.Submit(now, watcher);
    stored.Submit(now, watcher);
    ASSERT_TRUE(watcher.assigned);
  }

  void ComeBack(std::vector<queue::Held> held) {
    stored.core().Step(now, queue::input::WorkerJoined{.key = queue::ProcessKey{7}, .held = held},
                       watcher);
  }

  Instant now{seconds(100)};
  Watcher watcher;
  StoredQueue stored{3, seconds(30)};
};

TEST_F(StoredQueueTest, JobsOutliveTheCore) {
  stored.Drop(now);
  EXPECT_FALSE(stored.is_served());
  EXPECT_EQ(stored.unfinished(), 2U);
  stored.Load(now, watcher);
  EXPECT_EQ(stored.unfinished(), 2U);
  EXPECT_EQ(stored.core().Stats().running, 1U);
}

TEST_F(StoredQueueTest, WorkerThatComesBackInTimeKeepsItsAttempt) {
  const queue::Held held = *watcher.assigned;
  stored.Drop(now);
  now += seconds(7);
  stored.Load(now, watcher);
  now += seconds(29);
  stored.core().Step(now, queue::input::Tick{}, watcher);
  ComeBack({held});
  EXPECT_EQ(watcher.requeued, 0);
  EXPECT_EQ(watcher.assigned, held) << "it was given another job";
}

TEST_F(StoredQueueTest, WorkerThatComesTooLateHasLostItsAttempt) {
  stored.Drop(now);
  stored.Load(now, watcher);
  now += seconds(30);
  stored.core().Step(now, queue::input::Tick{}, watcher);
  EXPECT_EQ(watcher.requeued, 1);
}

TEST_F(StoredQueueTest, IdsOfNewJobsGoOnWhereTheOldCoreEnded) {
  const queue::JobId first = watcher.assigned->job;
  stored.Drop(now);
  stored.Load(now, watcher);
  stored.Submit(now, watcher);
  EXPECT_EQ(Sequence(stored.core().last_durable_id()), Sequence(first) + 2);
}

}  // namespace
}  // namespace twofold::scale
