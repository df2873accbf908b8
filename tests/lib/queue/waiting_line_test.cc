#include "lib/queue/waiting_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "tests/support/sanitized.h"

namespace twofold::queue {
namespace {

using std::chrono::seconds;

/// Adds and removes jobs, and finds out anew what the line says of them.
class WaitingLineTest : public testing::TestWithParam<Duration> {
 protected:
  /// It came so long ago.
  Slot Add(const JobOptions& options, Duration ago = Duration(0)) {
    const Slot slot = jobs.Add(std::make_shared<const JobOptions>(options), "", ++sequence);
    now += seconds(sequence % 3 == 0 ? 1 : 0);
    jobs[slot].accepted = now - ago;
    line.Add(slot);
    there.push_back(slot);
    return slot;
  }

  void Remove(Slot slot) {
    if (std::erase(aside, slot) > 0) {
      line.EndAside(slot);
    } else {
      line.Remove(slot);
    }
    std::erase(there, slot);
    jobs.Free(slot);
  }

  void RemoveAny() { Remove(there[random() % there.size()]); }

  void Take() {
    const Slot slot = line.Front();
    line.Take(slot);
    std::erase(there, slot);
    jobs.Free(slot);
  }

  void SetAside() {
    aside.push_back(line.Front());
    line.SetAside(line.Front());
  }

  /// Of a line without keys.
  void CheckRank(Slot slot) const {
    const Precedence own = line.PrecedenceOf(slot);
    const auto ahead = std::count_if(there.begin(), there.end(),
                                     [&](Slot other) { return line.PrecedenceOf(other) < own; });
    ASSERT_EQ(line.Ahead(slot), static_cast<std::uint64_t>(ahead));
  }

  /// Hands out all of the line, and compares what was told of each job before. Nothing is aside.
  void CheckAheadByHandingOut() {
    std::map<Slot, std::uint64_t> told;
    for (const Slot slot : there) told[slot] = line.Ahead(slot);
    for (std::uint64_t gone = 0; !line.empty(); ++gone) {
      ASSERT_EQ(told.at(line.Front()), gone);
      Take();
    }
  }

  void CheckOldest() const {
    std::optional<Instant> oldest;
    for (const Slot slot : there) {
      oldest = std::min(jobs[slot].accepted, oldest.value_or(jobs[slot].accepted));
    }
    ASSERT_EQ(line.Oldest(), oldest);
  }

  JobTable jobs{1, 0};
  WaitingLine line{jobs, GetParam()};
  std::vector<Slot> there;
  std::vector<Slot> aside;  // of those there
  Instant now{seconds(100'000)};
  std::uint64_t sequence = 0;
  std::mt19937 random{7};
};

TEST_P(WaitingLineTest, CountsAndFindsTheOldestAsJobsComeAndGoAnywhere) {
  for (std::uint64_t round = 0; round < Fewer(6); ++round) {
    for (int i = 0; i < 3000; ++i) {
      JobOptions options;
      if (i % 4 == 0) options.priority = static_cast<int>(random() % 21) - 10;
      Add(options, seconds(i % 8 == 0 ? random() % 2000 : 0));
      if (i % 50 == 0) SetAside();
    }
    for (int i = 0; i < 2700; ++i) {
      if (i % 10 == 0) {
        RemoveAny();
      } else {
        Take();
      }
    }
    for (int i = 0; i < 20; ++i) CheckRank(there[random() % there.size()]);
    CheckRank(there.front());
    CheckRank(there.back());
    CheckOldest();
  }
  while (!there.empty()) RemoveAny();
  EXPECT_TRUE(line.empty());
  CheckOldest();
  CheckRank(Add({.priority = 3}));
  CheckOldest();
}

TEST_P(WaitingLineTest, TurnsOfKeysAreCountedAsTheyAreHandedOut) {
  std::vector<Slot> slots;
  for (const char* key : {"A", "A", "A", "A", "B", "B", "B", "B"}) {
    slots.push_back(Add({.fair_key = key}));
  }
  std::vector<std::uint64_t> ahead;
  for (const Slot slot : slots) ahead.push_back(line.Ahead(slot));
  EXPECT_EQ(ahead, (std::vector<std::uint64_t>{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST_P(WaitingLineTest, AsManyGoBeforeAJobAsWasTold) {
  for (int round = 0; round < 30; ++round) {
    // With ageing, keys of other priorities are counted as if they took no turns.
    const bool has_levels = GetParam() == Duration(0);
    for (int i = 0; i < 400; ++i) {
      JobOptions options;
      const auto key = static_cast<std::uint32_t>(random() % 9);
      if (key > 0) options.fair_key = std::to_string(key);
      options.weight = 1 + key % 4 * 7;
      if (has_levels) options.priority = static_cast<int>(random() % 3);
      Add(options, seconds(i % 8 == 0 ? random() % 2000 : 0));
      if (i % 3 == 0) Take();  // so that keys have paid, owe, and are forgotten
      if (i % 7 == 6) RemoveAny();
    }
    CheckOldest();
    ASSERT_NO_FATAL_FAILURE(CheckAheadByHandingOut());
  }
}

TEST_P(WaitingLineTest, OneThatWasSetAsideKeepsItsRankAmongKeys) {
  for (int i = 0; i < 40; ++i) Add({.fair_key = i % 3 == 0 ? "a" : "b"});
  for (int i = 0; i < 5; ++i) SetAside();
  const std::vector<Slot> set_aside = aside;
  for (const Slot slot : set_aside) CheckRank(slot);
  EXPECT_EQ(line.Ahead(line.Front()),
            static_cast<std::uint64_t>(std::count_if(aside.begin(), aside.end(), [&](Slot other) {
              return line.PrecedenceOf(other) < line.PrecedenceOf(line.Front());
            })));
  for (const Slot slot : set_aside) Remove(slot);
  CheckAheadByHandingOut();
}

TEST_P(WaitingLineTest, JobsOfOnePriorityGoInOrderOfArrivalWheneverTheyWerePutIn) {
  for (int i = 0; i < 10'000; ++i) Add({}, seconds(i % 3 == 0 ? random() % 5000 : 0));
  for (int i = 0; i < 2'000; ++i) RemoveAny();
  std::vector<Slot> order = there;
  std::sort(order.begin(), order.end(),
            [&](Slot a, Slot b) { return line.PrecedenceOf(a) < line.PrecedenceOf(b); });
  for (const Slot slot : order) {
    ASSERT_EQ(line.Front(), slot);
    line.Take(slot);
  }
  EXPECT_TRUE(line.empty());
}

TEST_P(WaitingLineTest, AQueueThatIsNeverLongCountsOnAndOn) {
  for (int i = 0; i < 5000; ++i) {
    const Slot slot = Add({});
    if (i % 100 == 0) CheckRank(slot);
    CheckOldest();
    Take();
  }
  EXPECT_EQ(line.Oldest(), std::nullopt);
}

TEST_P(WaitingLineTest, AJobThatWaitsForLongStaysInFront) {
  const Slot first = Add({});
  for (int i = 0; i < 5000; ++i) {
    Add({});
    Remove(there[1]);
  }
  CheckRank(first);
  CheckRank(Add({}));
  CheckOldest();
}

INSTANTIATE_TEST_SUITE_P(Ageing, WaitingLineTest, testing::Values(seconds(0), seconds(10)));

}  // namespace
}  // namespace twofold::queue
