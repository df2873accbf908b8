#include "bench/peers/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace twofold::bench {
namespace {

constexpr Traits kPulls = {.name = "pulls", .takes = true, .enqueue = true, .idle = true};
constexpr Traits kPushes = {.name = "pushes", .idle = true, .slots = true};

SeriesPlan RoundTrips() {
  return {.shapes = {{1, 1}, {8, 1024}}, .payloads = {100, 1024}, .takes = {64, 256}};
}

TEST(ParseShape, ReadsConnectionsAndOutstanding) {
  EXPECT_EQ(ParseShape("8:1024").value(), (Shape{8, 1024}));
  for (const char* bad :
       {"", "8", "8:", ":8", "0:1", "1:0", "1001:1", "1:100001", "1:2:3", "a:b"}) {
    EXPECT_FALSE(ParseShape(bad).ok()) << bad;
  }
}

TEST(PlanCells, TakesAreMeasuredWhereTheyMatter) {
  std::vector<int> takes;
  for (const Cell& cell : PlanCells(RoundTrips(), kPulls)) takes.push_back(cell.take);
  // One outstanding: one take. 1024 outstanding: both. Another payload: the first.
  EXPECT_EQ(takes, (std::vector{1, 64, 256, 64}));
}

TEST(PlanCells, PeersThatPushHaveNoTakes) {
  const std::vector<Cell> cells = PlanCells(RoundTrips(), kPushes);
  EXPECT_EQ(cells.size(), 3U);
  for (const Cell& cell : cells) EXPECT_EQ(cell.take, 0);
}

TEST(PlanCells, OtherPayloadsAreMeasuredWithTheLastShape) {
  const std::vector<Cell> cells = PlanCells(RoundTrips(), kPushes);
  EXPECT_EQ(cells.back().payload, 1024);
  EXPECT_EQ(cells.back().outstanding, 1024);
  EXPECT_EQ(std::ranges::count(cells, 1024, &Cell::payload), 1);
}

TEST(PlanCells, LeavesOutWhatAPeerCannotDo) {
  SeriesPlan plan;
  plan.tests = {TestKind::kEnqueue, TestKind::kIdle};
  EXPECT_EQ(PlanCells(plan, kPulls).size(), 2U);
  ASSERT_EQ(PlanCells(plan, kPushes).size(), 1U);
  plan.slots = 100;
  EXPECT_EQ(PlanCells(plan, kPulls).size(), 1U);
  EXPECT_EQ(PlanCells(plan, kPushes).front().slots, 100);
}

TEST(PlanCells, OpenLoopHasItsRateAndRunTime) {
  SeriesPlan plan;
  plan.tests = {TestKind::kOpenLoop};
  plan.rate = 500;
  const Cell cell = PlanCells(plan, kPushes).at(0);
  EXPECT_EQ(cell.rate, 500);
  EXPECT_GT(cell.run_seconds, 0);
}

}  // namespace
}  // namespace twofold::bench
