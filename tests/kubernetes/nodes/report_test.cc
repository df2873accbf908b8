#include "kubernetes/nodes/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace twofold::nodes {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Report, ALineTellsWhatHappenedSinceTheOneBefore) {
  SimulationCounts before;
  before.lanes[1].lateness.Record(seconds(100));
  SimulationCounts counts = before;
  counts.fleet.up = 3;
  counts.lives.running = 7;
  for (int i = 0; i < 50; ++i) counts.lanes[1].lateness.Record(milliseconds(2));
  const std::string line = ProgressLine(counts, before, seconds(10));
  EXPECT_THAT(line, HasSubstr("3 nodes up; pods 0 waiting, 7 running, 0 ended"));
  EXPECT_THAT(line, HasSubstr("5.0 changes/s of pods, late p50 2.0 ms, p99 2.0 ms, max 2.0 ms"));
}

TEST(Report, WithoutAChangeThereIsNoLateness) {
  EXPECT_THAT(ProgressLine({}, {}, seconds(10)), HasSubstr("0.0 changes/s of pods, none;"));
}

TEST(Report, WhatIsWrongIsSaidOnlyIfItIs) {
  SimulationCounts counts;
  EXPECT_THAT(ProgressLine(counts, {}, seconds(1)), Not(HasSubstr("lost")));
  counts.fleet.lost = 2;
  counts.fleet.gone = 1;
  counts.lives.foreign = 4;
  const std::string line = ProgressLine(counts, {}, seconds(1));
  EXPECT_THAT(line, HasSubstr("2 lost, 1 deleted by somebody"));
  EXPECT_THAT(line, HasSubstr("4 without the toleration, left alone"));
}

TEST(Report, TheEndHasEndingsAndErrorsByReason) {
  SimulationCounts counts;
  counts.lives.started = 12;
  counts.lives.ended = {5, 4, 1, 0, 0, 2};
  counts.lanes[1].calls = 30;
  counts.lanes[1].errors["Forbidden"] = 3;
  counts.lanes[1].throttled = 8;
  const std::string report = FinalReport(counts, seconds(10));
  EXPECT_THAT(report, HasSubstr("pods: 12 started, 5 succeeded, 4 failed, 1 evicted, 0 killed, 0 "
                                "refused, 2 invalid"));
  EXPECT_THAT(report, HasSubstr("calls for pods: 30 (3.0/s), none, 3 Forbidden, 8 times asked"));
}

}  // namespace
}  // namespace twofold::nodes
