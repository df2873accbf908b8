// Very much that is due at the same instant: no call may take long. Work is counted, not timed.

#include "tests/lib/queue/queue_fixture.h"

namespace twofold::queue {
namespace {

using testing::IsEmpty;

class QueueSlices : public QueueTest {
 protected:
  static constexpr std::uint64_t kMany = 2 * Queue::kMostAtOnce + 1;

  /// Ticks for as long as one is due at once. Returns how many that took.
  int TickUntilDone() {
    int ticks = 0;
    for (; queue.NextDeadline() && *queue.NextDeadline() <= now; ++ticks) Tick();
    return ticks;
  }

  void Tick() {
    effects.Clear();
    queue.Step(now, input::Tick{}, effects);
    EXPECT_LE(effects.Of<Replied>().size(), Queue::kMostAtOnce);
    EXPECT_LE(effects.Of<Stopped>().size(), Queue::kMostAtOnce);
  }

  void SubmitMany(const JobOptions& options = {}) {
    for (std::uint64_t i = 0; i < kMany; ++i) Submit(options);
  }
};

TEST_F(QueueSlices, VeryManyLeasesThatRunOutAtOnce) {
  for (std::uint64_t key = 1; key <= kMany; ++key) Join(key);
  SubmitMany();
  Submit();
  now += minutes(1);
  EXPECT_EQ(TickUntilDone(), 5) << "a silent process counts, and its job";
  EXPECT_EQ(Finished(Outcome::kLost), kMany);
  EXPECT_EQ(queue.waiting(), 1U) << "nobody is left who could take it";
}

TEST_F(QueueSlices, VeryManyJobsOfOneProcessWhoseLeaseRunsOut) {
  const ProcessId process = Join(1, kMany);
  SubmitMany();
  now += minutes(1);
  Tick();
  EXPECT_EQ(queue.FindProcess(process)->presence, Presence::kSilent);
  EXPECT_EQ(Finished(Outcome::kLost), Queue::kMostAtOnce - 1);
  EXPECT_EQ(queue.NextDeadline(), now) << "it goes on at once";
  EXPECT_EQ(TickUntilDone(), 2);
  EXPECT_EQ(Finished(Outcome::kLost), kMany);
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
}

TEST_F(QueueSlices, ProcessThatIsHeardBetweenSlicesKeepsWhatItHas) {
  const ProcessId process = Join(1, kMany);
  SubmitMany();
  now += minutes(1);
  Tick();
  queue.Step(now, input::Renewed{process}, effects);
  EXPECT_EQ(TickUntilDone(), 1);
  EXPECT_EQ(queue.Stats().running, kMany - Queue::kMostAtOnce + 1);
  EXPECT_EQ(queue.NextDeadline(), now + QueueOptions().lease);
}

TEST_F(QueueSlices, ProcessThatIsRemovedBetweenSlicesIsForgotten) {
  const ProcessId process = Join(1, kMany);
  SubmitMany();
  now += minutes(1);
  Tick();
  queue.Step(now, input::WorkerLeft{process}, effects);
  EXPECT_EQ(TickUntilDone(), 1);
  EXPECT_EQ(queue.waiting(), kMany - Queue::kMostAtOnce + 1);
}

TEST_F(QueueSlices, VeryManyJobsOfAProcessWhoseGracePeriodIsOver) {
  const ProcessId process = Join(1, kMany);
  SubmitMany();
  queue.Step(now, input::WorkerGone{process}, effects);
  now += minutes(1);
  EXPECT_EQ(TickUntilDone(), 3);
  EXPECT_EQ(Finished(Outcome::kLost), kMany);
  EXPECT_EQ(queue.FindProcess(process), nullptr);
}

TEST_F(QueueSlices, NothingIsHandedOutBeforeAllLeasesThatAreOverHaveEnded) {
  for (std::uint64_t key = 1; key <= kMany; ++key) Join(key, 2);
  SubmitMany({.max_attempts = 2});
  now += minutes(1);
  while (queue.NextDeadline() && *queue.NextDeadline() <= now) {
    Tick();
    EXPECT_THAT(HandedOut(), IsEmpty());
  }
  EXPECT_EQ(queue.waiting(), kMany) << "a process that is due itself would lose them again";
}

TEST_F(QueueSlices, VeryManyDelaysThatAreOverAtOnce) {
  Join(1);
  SubmitMany({.delay = seconds(5)});
  const JobId first = Submit({.priority = 1, .delay = seconds(5)});
  now += seconds(5);
  Tick();
  EXPECT_EQ(queue.Stats().delayed, kMany + 1 - Queue::kMostAtOnce);
  EXPECT_THAT(HandedOut(), IsEmpty()) << "a job that goes first may be among those to come";
  EXPECT_EQ(TickUntilDone(), 2);
  EXPECT_TRUE(queue.Find(now, first)->running);
}

TEST_F(QueueSlices, VeryManyDeadlinesThatPassAtOnce) {
  SubmitMany({.deadline = seconds(5)});
  now += seconds(5);
  Join(1);
  EXPECT_THAT(HandedOut(), IsEmpty()) << "it comes too late for all of them";
  EXPECT_EQ(Finished(Outcome::kRejected), Queue::kMostAtOnce);
  EXPECT_EQ(TickUntilDone(), 2);
  EXPECT_EQ(Finished(Outcome::kRejected), kMany);
  EXPECT_THAT(HandedOut(), IsEmpty());
}

/// Idle processes as a gang sees them that needs distinct nodes.
class IdleProcesses : public testing::TestWithParam<std::string_view> {
 protected:
  void Connect(std::uint64_t key) {
    processes.Connect(processes.Add(ProcessKey{key}), {},
                      {.key = ProcessKey{key}, .node = "a", .labels = "l=1\n"}, {});
  }

  int CountAfter(std::uint64_t idle_since) {
    int visits = 0;
    processes.VisitIdle(GetParam(), idle_since, [&](ProcessId) { return ++visits > 0; });
    return visits;
  }

  JobTable jobs{1, 0};
  ProcessTable processes{jobs, seconds(1), seconds(1), 0};
};

TEST_P(IdleProcesses, ThoseLookedAtBeforeAreNotLookedAtAgain) {
  for (std::uint64_t key = 1; key <= 100; ++key) Connect(key);
  EXPECT_EQ(CountAfter(0), 100);
  const std::uint64_t before = processes.last_idle_since();
  EXPECT_EQ(CountAfter(before), 0);
  for (std::uint64_t key = 101; key <= 103; ++key) Connect(key);
  EXPECT_EQ(CountAfter(before), 3);
}

INSTANTIATE_TEST_SUITE_P(Placements, IdleProcesses,
                         testing::Values("", "label l=1\n", "node a\nnode b\n"));

TEST_F(QueueSlices, VeryManyDurableJobsThatAreHeldAndHeldNoLonger) {
  for (std::size_t i = 0; i < 3 * Queue::kMostAtOnce; ++i) Submit({.durable = true});
  const JobId plain = Submit();
  queue.Step(now, input::HoldDurable{true}, effects);
  Join(1);
  int slices = 1;
  for (; HandedOut().empty(); ++slices) TickAfter(Duration(0));
  EXPECT_GE(slices, 3);
  EXPECT_EQ(HandedOut().front(), plain);
  EXPECT_NE(queue.NextDeadline(), now);
  Join(2);
  effects.Clear();
  queue.Step(now, input::HoldDurable{false}, effects);
  EXPECT_TRUE(HandedOut().empty()) << "before all are back none knows whose turn it is";
  EXPECT_EQ(queue.NextDeadline(), now);
  for (int i = 0; i < 5 && HandedOut().empty(); ++i) TickAfter(Duration(0));
  EXPECT_EQ(HandedOut().size(), 1U);
}

}  // namespace
}  // namespace twofold::queue
