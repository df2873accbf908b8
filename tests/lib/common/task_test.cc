#include "lib/common/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace twofold {
namespace {

using ::testing::ElementsAre;
using Done = Later<int>::Done;

Task<int> Twice(std::function<void(Done)> ask) {
  Later<int> answer(std::move(ask));
  const Result<int> number = co_await answer;
  co_return number.ok() ? 2 * *number : -1;
}

Task<int> Sum(std::function<void(Done)> ask, int times) {
  int sum = 0;
  for (int i = 0; i < times; ++i) {
    Task<int> twice = Twice(ask);
    sum += co_await twice;
  }
  co_return sum;
}

TEST(Task, BeginsWhenItIsStarted) {
  int asked = 0;
  Task<int> task = Twice([&](const Done& done) {
    ++asked;
    done(4);
  });
  EXPECT_EQ(asked, 0);
  int got = 0;
  Start(std::move(task), [&](int value) { got = value; });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(got, 8);
}

Task<> Note(std::vector<int>& notes, std::function<void(Done)> ask) {
  Task<int> twice = Twice(std::move(ask));
  const int number = co_await twice;
  notes.push_back(number);
}

TEST(Task, MayGiveNothingBack) {
  std::vector<int> notes;
  const auto both = [](std::vector<int>& to) -> Task<> {
    Task<> first = Note(to, [](const Done& done) { done(1); });
    co_await first;
    Task<> second = Note(to, [](const Done& done) { done(2); });
    co_await second;
  };
  Start(both(notes), [&] { notes.push_back(0); });
  EXPECT_EQ(notes, (std::vector<int>{2, 4, 0}));
}

TEST(Task, ThatIsNeverStartedIsGoneWithWhatItHolds) {
  const auto held = std::make_shared<int>(1);
  {
    const Task<int> task = Twice([held](const Done&) {});
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Task, GoesOnWhereItsAnswerComesFrom) {
  std::vector<Done> waiting;
  int got = 0;
  std::thread::id where;
  Start(Sum([&](Done done) { waiting.push_back(std::move(done)); }, 2), [&](int value) {
    got = value;
    where = std::this_thread::get_id();
  });
  ASSERT_EQ(waiting.size(), 1U);
  waiting[0](1);
  ASSERT_EQ(waiting.size(), 2U);
  EXPECT_EQ(got, 0);
  std::thread other([&] { waiting[1](2); });
  const auto its_id = other.get_id();
  other.join();
  EXPECT_EQ(got, 6);
  EXPECT_EQ(where, its_id);
}

Task<> NoteTwo(std::vector<int>& notes, Once<int>& first, Once<>& second) {
  const Result<int> number = co_await first;
  notes.push_back(number.value_or(-1));
  const Status status = co_await second;
  notes.push_back(status.ok() ? 0 : -1);
}

TEST(Task, ThatIsKeptGoesWithWhoeverKeepsIt) {
  std::vector<int> notes;
  Once<int> first;
  Once<> second;
  {
    Task<> kept = NoteTwo(notes, first, second);
    kept.Begin();
    first.Give(3);
  }
  EXPECT_THAT(notes, ElementsAre(3));
}

TEST(Once, GivesTheFirstAnswerWhetherItIsAwaitedBeforeOrAfter) {
  std::vector<int> notes;
  Once<int> first;
  Once<> second;
  second.Give(absl::CancelledError(""));
  second.Give(absl::OkStatus());
  EXPECT_TRUE(second.is_given());
  Start(NoteTwo(notes, first, second), [&] { notes.push_back(7); });
  EXPECT_THAT(notes, ElementsAre());
  first.Give(5);
  EXPECT_THAT(notes, ElementsAre(5, -1, 7));
}

/// Notes what it is given, and then goes, as nobody else keeps it.
struct Noting {
  Noting(std::vector<int>& to, std::shared_ptr<Noting>& keeper)
      : task(Note(to, keeper)), notes(to) {}
  ~Noting() { notes.push_back(0); }

  Task<> Note(std::vector<int>& to, std::shared_ptr<Noting>& keeper) {
    const Result<int> given = co_await number;
    to.push_back(given.value_or(-1));
    (void)co_await pause;
    keeper.reset();
    to.push_back(1);
  }

  Once<int> number;
  Once<> pause;
  Task<> task;
  std::vector<int>& notes;
};

TEST(GiveWhile, GivesAsLongAsTheOwnerOfTheTaskIsThereAndKeepsItMeanwhile) {
  std::vector<int> notes;
  std::shared_ptr<Noting> owner;
  owner = std::make_shared<Noting>(notes, owner);
  const std::weak_ptr<Noting> weak = owner;
  owner->task.Begin();
  GiveWhile(weak, owner->number)(5);
  const auto go_on = GiveWhile(weak, owner->pause);
  go_on();
  EXPECT_THAT(notes, ElementsAre(5, 1, 0));
  EXPECT_EQ(owner, nullptr);
  go_on();  // to nobody
}

TEST(Later, TakesTheFirstAnswer) {
  int got = 0;
  Start(Twice([](const Done& done) {
          done(1);
          done(2);
        }),
        [&](int value) { got = value; });
  EXPECT_EQ(got, 2);
}

TEST(Later, IsAnsweredWhenNobodyIsLeftWhoCould) {
  const auto held = std::make_shared<int>(1);
  int got = 0;
  Done kept;
  Start(Twice([&kept, held](Done done) { kept = std::move(done); }),
        [&](int value) { got = value; });
  EXPECT_EQ(got, 0);
  kept = nullptr;
  EXPECT_EQ(got, -1);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Later, IsAnsweredOnceByThreadsThatRace) {
  for (int i = 0; i < 500; ++i) {
    std::atomic<int> answers = 0;
    std::vector<std::thread> threads;
    Start(Twice([&](const Done& done) {
            for (int n = 0; n < 2; ++n) threads.emplace_back([done, n] { done(n); });
          }),
          [&](int) { ++answers; });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(answers, 1);
  }
}

}  // namespace
}  // namespace twofold
