#include "lib/h2/loop.h"

#include <gmock/gmock.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "lib/common/task.h"
#include "lib/h2/sleeper.h"
#include "tests/lib/h2/loopback.h"
#include "tests/support/googletest.h"

namespace twofold::h2 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

/// Notes what the loop does with it.
class NotingSource final : public Loop::Source {
 public:
  NotingSource(Loop& loop, std::vector<std::string>& notes, std::string name)
      : loop_(loop), notes_(notes), name_(std::move(name)) {
    EXPECT_TRUE(loop_.Add(*this, sockets_.ours.get(), EPOLLIN));
  }
  ~NotingSource() override { loop_.Remove(*this, sockets_.ours.get()); }

  void Wake() const { EXPECT_EQ(write(sockets_.peers.get(), "x", 1), 1); }

  std::function<void()> on_ready;
  std::function<void()> on_flush;

 private:
  void OnReady(std::uint32_t) override {
    char byte = 0;
    EXPECT_EQ(read(sockets_.ours.get(), &byte, 1), 1);
    notes_.push_back("read " + name_);
    loop_.MarkDirty(*this);
    loop_.MarkDirty(*this);  // is written once all the same
    if (on_ready) on_ready();
  }
  void OnFlush() override {
    notes_.push_back("write " + name_);
    if (on_flush) on_flush();
  }

  Loop& loop_;
  std::vector<std::string>& notes_;
  const std::string name_;
  SocketPair sockets_;
};

TEST(LoopTest, TurnReadsAllThenRunsTasksThenTimersThenWrites) {
  Loop loop;
  std::vector<std::string> notes;
  const NotingSource one(loop, notes, "one");
  const NotingSource two(loop, notes, "two");
  Timer timer(loop, [&] { notes.emplace_back("timer"); });
  timer.Set(Now());
  loop.Post([&] { notes.emplace_back("task"); });
  one.Wake();
  two.Wake();
  loop.Turn(seconds(30));
  ASSERT_EQ(notes.size(), 6U);
  EXPECT_THAT(std::vector(notes.begin(), notes.begin() + 2),
              ::testing::UnorderedElementsAre("read one", "read two"));
  EXPECT_THAT(std::vector(notes.begin() + 2, notes.begin() + 4), ElementsAre("task", "timer"));
  EXPECT_THAT(std::vector(notes.begin() + 4, notes.end()),
              ::testing::UnorderedElementsAre("write one", "write two"));
}

TEST(LoopTest, SourceThatAlwaysHasMoreToWriteKeepsNoOtherWaiting) {
  Loop loop;
  std::vector<std::string> notes;
  NotingSource greedy(loop, notes, "greedy");
  const NotingSource other(loop, notes, "other");
  greedy.on_flush = [&] { loop.MarkDirty(greedy); };
  greedy.Wake();
  other.Wake();
  loop.Turn(seconds(1));
  EXPECT_THAT(notes, ElementsAre("read greedy", "read other", "write greedy", "write other"));
  EXPECT_LE(loop.NextDue(), Now()) << "it goes on at once";
  notes.clear();
  other.Wake();
  loop.Turn(std::chrono::hours(1));
  EXPECT_THAT(notes, ElementsAre("write greedy", "read other", "write greedy", "write other"));
  greedy.on_flush = nullptr;
}

TEST(LoopTest, RemovedSourceHearsNothingThoughItsEventIsThere) {
  Loop loop;
  std::vector<std::string> notes;
  auto one = std::make_unique<NotingSource>(loop, notes, "one");
  auto two = std::make_unique<NotingSource>(loop, notes, "two");
  one->on_ready = [&] { two.reset(); };
  two->on_ready = [&] { one.reset(); };
  one->Wake();
  two->Wake();
  loop.Turn(seconds(30));
  EXPECT_EQ(notes.size(), 2U) << "whichever came first was read and written";
  EXPECT_NE(one == nullptr, two == nullptr);
}

TEST(LoopTest, RetiredSourceIsDestroyedWhenTheTurnIsOver) {
  Loop loop;
  std::vector<std::string> notes;
  auto one = std::make_unique<NotingSource>(loop, notes, "one");
  one->on_ready = [&] {
    loop.Retire(std::move(one));
    notes.emplace_back("retired");
  };
  NotingSource* const source = one.get();
  source->Wake();
  loop.Turn(seconds(30));
  EXPECT_THAT(notes, ElementsAre("read one", "retired", "write one"));
  loop.Turn(milliseconds(0));
}

TEST(LoopTest, TimersComeInOrderAndOnceEach) {
  Loop loop;
  std::vector<int> calls;
  Timer first(loop, [&] { calls.push_back(1); });
  Timer second(loop, [&] { calls.push_back(2); });
  Timer never(loop, [&] { calls.push_back(3); });
  const Instant now = Now();
  second.Set(now + milliseconds(2));
  first.Set(now + milliseconds(1));
  never.Set(now);
  never.Clear();
  EXPECT_TRUE(TurnUntil(loop, [&] { return calls.size() == 2; }));
  EXPECT_THAT(calls, ElementsAre(1, 2));
  EXPECT_GE(loop.now(), now + milliseconds(2));
  EXPECT_EQ(first.when(), Instant::max());
}

TEST(LoopTest, ThousandsOfTimersLetSocketsBeReadBetween) {
  constexpr std::size_t kTimers = 1000;
  Loop loop;
  std::vector<std::string> notes;
  const NotingSource source(loop, notes, "it");
  std::size_t calls = 0;
  std::vector<std::unique_ptr<Timer>> timers;
  while (timers.size() < kTimers) {
    timers.push_back(std::make_unique<Timer>(loop, [&] { ++calls; }));
    timers.back()->Set(Now());
  }
  loop.Turn(seconds(30));
  EXPECT_GT(calls, 0U);
  EXPECT_LT(calls, kTimers / 2);
  source.Wake();
  loop.Turn(seconds(30));
  EXPECT_FALSE(notes.empty());
  EXPECT_LT(calls, kTimers);
  while (calls < kTimers) loop.Turn(seconds(30));
  EXPECT_EQ(loop.NextDue(), Instant::max());
}

TEST(LoopTest, ThousandsOfTasksThatAreDueTakeSeveralTurns) {
  constexpr std::size_t kTasks = 1000;
  Loop loop;
  std::size_t calls = 0;
  for (std::size_t i = 0; i < kTasks; ++i) loop.RunAt(Now(), [&] { ++calls; });
  loop.Turn(seconds(30));
  EXPECT_GT(calls, 0U);
  EXPECT_LT(calls, kTasks / 2);
  while (calls < kTasks) loop.Turn(seconds(30));
  EXPECT_EQ(loop.NextDue(), Instant::max());
}

TEST(LoopTest, TimerMayBeSetAgainByItsAction) {
  Loop loop;
  int calls = 0;
  Timer* self = nullptr;
  Timer timer(loop, [&] {
    if (++calls < 3) self->Set(loop.now() + milliseconds(1));
  });
  self = &timer;
  timer.Set(Now());
  EXPECT_TRUE(TurnUntil(loop, [&] { return calls == 3; }));
}

TEST(LoopTest, TasksOfAllThreadsRunOnTheLoopsThread) {
  Loop loop;
  std::thread::id ran_on;
  std::atomic<int> ran = 0;
  std::thread running([&] {
    ran_on = std::this_thread::get_id();
    loop.Run();
  });
  std::vector<std::thread> posting;
  for (int i = 0; i < 4; ++i) {
    posting.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) {
        loop.Post([&] {
          EXPECT_EQ(std::this_thread::get_id(), ran_on);
          ++ran;
        });
      }
    });
  }
  for (std::thread& thread : posting) thread.join();
  loop.Stop();
  running.join();
  EXPECT_EQ(ran, 4000);
}

TEST(LoopTest, StopBeforeRunEndsItAtOnce) {
  Loop loop;
  loop.Stop();
  loop.Run();
}

TEST(LoopTest, LengthOfTurnsAndOfTheirPartsIsTold) {
  std::vector<Loop::Done> turns;
  Loop loop([&](const Loop::Done& turn) { turns.push_back(turn); });
  loop.Post([] {
    for (const Instant end = Now() + milliseconds(5); Now() < end;) {
    }
  });
  loop.Turn(seconds(30));
  loop.Turn(milliseconds(10));
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_GE(turns[0].running, milliseconds(5));
  EXPECT_LT(turns[0].serving + turns[0].sending, turns[0].running);
  EXPECT_EQ(turns[0].took(), turns[0].serving + turns[0].running + turns[0].sending);
  EXPECT_LT(turns[1].took(), turns[0].took()) << "waiting is not counted";
}

/// Sleeps `times` times until `when`, and notes each time that it goes on.
Task<> Naps(Sleeper& sleeper, std::vector<std::string>& notes, int times, Instant when) {
  for (int i = 0; i < times; ++i) {
    co_await sleeper.Until(when);
    notes.emplace_back("awake");
  }
}

TEST(SleeperTest, SleepsUntilItsTime) {
  Loop loop;
  Sleeper sleeper(loop);
  std::vector<std::string> notes;
  const Instant when = Now() + milliseconds(20);
  Start(Naps(sleeper, notes, 1, when), [&] { notes.emplace_back("done"); });
  EXPECT_THAT(notes, ElementsAre());
  while (notes.empty()) loop.Turn(seconds(20));
  EXPECT_GE(Now(), when);
  EXPECT_THAT(notes, ElementsAre("awake", "done"));
}

TEST(SleeperTest, GoesOnInATurnOnceItIsWoken) {
  Loop loop;
  Sleeper sleeper(loop);
  std::vector<std::string> notes;
  Start(Naps(sleeper, notes, 2, Instant::max()), [&] { notes.emplace_back("done"); });
  sleeper.Wake();
  sleeper.Wake();  // counts once
  EXPECT_THAT(notes, ElementsAre());
  loop.Turn(seconds(20));
  EXPECT_THAT(notes, ElementsAre("awake"));
  loop.Turn(Duration(0));
  EXPECT_THAT(notes, ElementsAre("awake"));
  sleeper.Wake();
  loop.Turn(seconds(20));
  EXPECT_THAT(notes, ElementsAre("awake", "awake", "done"));
  sleeper.Wake();  // nobody sleeps
  EXPECT_EQ(loop.NextDue(), Instant::max());
}

}  // namespace
}  // namespace twofold::h2
