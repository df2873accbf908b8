#include "lib/queue/line_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace twofold::queue {
namespace {

using std::chrono::seconds;

/// Adds and removes jobs, and counts anew what LineRanks says.
class LineRanksTest : public testing::TestWithParam<Duration> {
 protected:
  Slot Add(int priority, JobState state = JobState::kWaiting) {
    const auto options = std::make_shared<const JobOptions>(JobOptions{.priority = priority});
    const Slot slot = jobs.Add(options, "", ++sequence);
    jobs[slot].sequence = sequence;
    jobs[slot].accepted = now += seconds(sequence % 3 == 0 ? 1 : 0);
    jobs[slot].state = state;
    ranks.Add(slot);
    there.push_back(slot);
    return slot;
  }

  void Remove(std::size_t index) {
    ranks.Remove(there[index]);
    jobs.Free(there[index]);
    there.erase(there.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void Check(Slot slot) const {
    const Precedence own = line.PrecedenceOf(slot);
    const auto ahead = std::count_if(there.begin(), there.end(),
                                     [&](Slot other) { return line.PrecedenceOf(other) < own; });
    ASSERT_EQ(ranks.Ahead(slot), static_cast<std::uint64_t>(ahead));
  }

  void CheckOldest() const {
    std::optional<Instant> oldest;
    for (const Slot slot : there) {
      oldest = std::min(jobs[slot].accepted, oldest.value_or(jobs[slot].accepted));
    }
    ASSERT_EQ(ranks.Oldest(), oldest);
  }

  JobTable jobs{1, 0};
  WaitingLine line{jobs, GetParam()};
  LineRanks ranks{jobs, line};
  std::vector<Slot> there;
  Instant now{};
  std::uint64_t sequence = 0;
};

TEST_P(LineRanksTest, CountsAndFindsTheOldestAsJobsComeAndGoAnywhere) {
  std::mt19937 random(7);
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 1500; ++i) {
      const int priority = i % 4 == 0 ? static_cast<int>(random() % 21) - 10 : 0;
      Add(priority, i % 8 == 0 ? JobState::kSortedIn : JobState::kWaiting);
    }
    // Mostly the first ones, as workers take them.
    for (int i = 0; i < 1300; ++i) Remove(random() % (i % 10 == 0 ? there.size() : 5));
    for (int i = 0; i < 20; ++i) Check(there[random() % there.size()]);
    Check(there.front());
    Check(there.back());
    CheckOldest();
  }
  while (!there.empty()) Remove(random() % there.size());
  CheckOldest();
  Check(Add(3));
  CheckOldest();
}

TEST_P(LineRanksTest, AQueueThatIsNeverLongCountsOnAndOn) {
  for (int i = 0; i < 5000; ++i) {
    const Slot slot = Add(0);
    if (i % 100 == 0) Check(slot);
    CheckOldest();
    Remove(0);
  }
  EXPECT_EQ(ranks.Oldest(), std::nullopt);
}

TEST_P(LineRanksTest, AJobThatWaitsForLongStaysInFront) {
  const Slot first = Add(0);
  for (int i = 0; i < 5000; ++i) {
    Add(0);
    Remove(1);
  }
  Check(first);
  Check(Add(0));
  CheckOldest();
}

INSTANTIATE_TEST_SUITE_P(Ageing, LineRanksTest, testing::Values(seconds(0), seconds(10)));

}  // namespace
}  // namespace twofold::queue
