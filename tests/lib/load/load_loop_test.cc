#include "lib/load/load_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace twofold::load {
namespace {

using Tag = LoadLoop::Tag;
using std::chrono::milliseconds;

constexpr Instant kEarliest{};

std::vector<Tag> Start(LoadLoop& loop, Instant now = kEarliest, LoadLoop::Lane lane = 0) {
  std::vector<Tag> tags;
  for (std::size_t n = loop.Grant(now); n > 0; --n) tags.push_back(loop.Send(now, now, 0, lane));
  return tags;
}

TEST(LoadLoop, StartsNothingWithoutParallelism) {
  LoadLoop loop;
  EXPECT_TRUE(Start(loop).empty());
  EXPECT_EQ(loop.outstanding(), 0U);
}

TEST(LoadLoop, KeepsParallelismJobsOutstanding) {
  LoadLoop loop;
  loop.SetParallelism(3);
  const std::vector<Tag> tags = Start(loop);
  EXPECT_EQ(tags.size(), 3U);
  EXPECT_TRUE(Start(loop).empty());
  loop.End(tags[1]);
  EXPECT_EQ(loop.outstanding(), 2U);
  EXPECT_EQ(Start(loop).size(), 1U);
  EXPECT_EQ(loop.outstanding(), 3U);
}

TEST(LoadLoop, RaisingStartsTheDifference) {
  LoadLoop loop;
  loop.SetParallelism(3);
  Start(loop);
  loop.SetParallelism(10);
  EXPECT_EQ(Start(loop).size(), 7U);
}

TEST(LoadLoop, LoweringLetsJobsEndWithoutReplacement) {
  LoadLoop loop;
  loop.SetParallelism(3);
  const std::vector<Tag> tags = Start(loop);
  loop.SetParallelism(1);
  EXPECT_EQ(loop.outstanding(), 3U);
  loop.End(tags[0]);
  loop.End(tags[1]);
  EXPECT_TRUE(Start(loop).empty());
  loop.End(tags[2]);
  EXPECT_EQ(Start(loop).size(), 1U);
}

TEST(LoadLoop, EndTellsWhenTheJobWasSubmitted) {
  LoadLoop loop;
  loop.SetParallelism(1);
  const Tag tag = Start(loop, kEarliest + milliseconds(7)).front();
  EXPECT_EQ(loop.End(tag)->submitted, kEarliest + milliseconds(7));
}

TEST(LoadLoop, ASecondAnswerIsUnknown) {
  LoadLoop loop;
  loop.SetParallelism(1);
  const Tag tag = Start(loop).front();
  EXPECT_TRUE(loop.End(tag));
  EXPECT_FALSE(loop.End(tag));
}

TEST(LoadLoop, ALateAnswerDoesNotEndTheNextJobOfTheSlot) {
  LoadLoop loop;
  loop.SetParallelism(1);
  const Tag first = Start(loop).front();
  loop.End(first);
  const Tag second = Start(loop).front();
  EXPECT_NE(first, second);
  EXPECT_FALSE(loop.End(first));
  EXPECT_EQ(loop.outstanding(), 1U);
  EXPECT_TRUE(loop.End(second));
}

TEST(LoadLoop, TagsNeverGivenAreUnknown) {
  LoadLoop loop;
  loop.SetParallelism(2);
  Start(loop);
  for (const Tag tag : {Tag{0}, Tag{2}, ~Tag{0}, Tag{1} << 63}) EXPECT_FALSE(loop.End(tag));
  EXPECT_EQ(loop.outstanding(), 2U);
}

TEST(LoadLoop, VisitsExactlyTheJobsWithoutAnAnswer) {
  LoadLoop loop;
  loop.SetParallelism(4);
  const std::vector<Tag> tags = Start(loop);
  loop.End(tags[2]);
  std::set<Tag> visited;
  loop.ForEachOutstanding([&](Tag tag, const LoadLoop::Sent&) { visited.insert(tag); });
  EXPECT_EQ(visited, (std::set{tags[0], tags[1], tags[3]}));
}

TEST(LoadLoop, HoldsBackAfterARejection) {
  LoadLoop loop;
  loop.SetParallelism(2);
  loop.End(Start(loop).front());
  loop.Rejected(kEarliest, milliseconds(100));
  EXPECT_TRUE(Start(loop, kEarliest + milliseconds(99)).empty());
  EXPECT_EQ(loop.NextStart(), kEarliest + milliseconds(100));
  EXPECT_EQ(Start(loop, kEarliest + milliseconds(100)).size(), 1U);
  EXPECT_FALSE(loop.NextStart());
}

TEST(LoadLoop, CountsTheJobsOfEachLane) {
  LoadLoop loop;
  loop.SetParallelism(2);
  const std::vector<Tag> tags = Start(loop);
  const Tag other = loop.Send(kEarliest, kEarliest, 7, 255);
  EXPECT_EQ(loop.outstanding(0), 2U);
  EXPECT_EQ(loop.outstanding(255), 1U);
  loop.Move(tags[0], 255, nullptr);
  EXPECT_EQ(loop.Find(tags[0])->lane, 255);
  EXPECT_EQ(loop.End(other)->lane, 255);
  EXPECT_EQ(loop.End(tags[1])->lane, 0);
  EXPECT_EQ(loop.outstanding(0), 0U);
  EXPECT_EQ(loop.outstanding(255), 1U);
}

// Against a simple model: what is outstanding is what was submitted and did not end.
TEST(LoadLoop, AgreesWithAModelOverARandomSchedule) {
  std::mt19937 random(20261121);
  LoadLoop loop;
  std::vector<Tag> alive;
  std::vector<Tag> dead;
  for (int step = 0; step < 200'000; ++step) {
    const auto pick = random();
    if (pick % 100 == 0) {
      loop.SetParallelism(static_cast<std::uint32_t>(random() % 50));
    } else if (pick % 3 == 0 && !alive.empty()) {
      std::swap(alive[random() % alive.size()], alive.back());
      ASSERT_TRUE(loop.End(alive.back()));
      dead.push_back(alive.back());
      alive.pop_back();
    } else if (pick % 3 == 1 && !dead.empty()) {
      ASSERT_FALSE(loop.End(dead[random() % dead.size()])) << "step " << step;
    } else {
      const std::vector<Tag> started =
          Start(loop, kEarliest, static_cast<LoadLoop::Lane>(pick % 4));
      alive.insert(alive.end(), started.begin(), started.end());
      ASSERT_GE(alive.size(), loop.parallelism());
    }
    ASSERT_EQ(loop.outstanding(), alive.size()) << "step " << step;
    std::size_t on_lanes = 0;
    for (LoadLoop::Lane lane = 0; lane < 4; ++lane) on_lanes += loop.outstanding(lane);
    ASSERT_EQ(on_lanes, alive.size()) << "step " << step;
  }
}

}  // namespace
}  // namespace twofold::load
