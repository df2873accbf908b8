#include "cli/load/record/summary.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "lib/suite/latencies.h"
#include "lib/words/one_load.h"

namespace twofold::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::LoadRecord Parsed(const std::string& text) {
  v1::LoadRecord record;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &record));
  return record;
}

v1::LoadRecord ClosedLoop() {
  return Parsed(R"(
    queue: "sleep" warm_up_seconds: 2 warm_up_rule: "two mean lives" ended_because: "duration"
    result {
      seconds: 28 succeeded: 4430 failed: 2 throughput: 158.3 lower: 157.9 upper: 158.8 steady: true
      from_plan { count: 4430 mean: 0.101 min: 0.1001 p50: 0.101 p90: 0.102 p99: 0.11 max: 0.2 }
      from_send { count: 4430 mean: 0.101 }
      run { count: 4430 mean: 0.1 }
      jobs { planned: 4432 sent: 4432 succeeded: 4430 failed: 2 }
    }
    errors { text: "exit code 1" count: 2 }
    limits { text: "p99>200ms" value: 110 unit: "ms" met: true }
    limits { text: "errors>0" value: 2 }
  )");
}

TEST(Summary, SaysWhatWasMeasuredHowWellAndWhatWentWrong) {
  const std::string text = Summary(ClosedLoop());
  EXPECT_THAT(text, HasSubstr("sleep: 28 s after a warm-up of 2 s (two mean lives)"));
  EXPECT_THAT(text, HasSubstr("throughput: 158.3 /s (95 %: 157.9 to 158.8)\n"));
  EXPECT_THAT(text, HasSubstr("jobs: 4432 sent, 4430 succeeded, 2 failed, 0 rejected\n"));
  EXPECT_THAT(text, HasSubstr("error: 2 x exit code 1\n"));
  EXPECT_THAT(text, HasSubstr("101 ms"));
  EXPECT_THAT(text, HasSubstr("kept: --fail-if p99>200ms: it is 110 ms\n"));
  EXPECT_THAT(text, HasSubstr("NOT KEPT: --fail-if errors>0: it is 2\n"));
}

TEST(Summary, SaysWhatTheIntervalOfAThroughputDoesNotTell) {
  v1::LoadRecord load = ClosedLoop();
  EXPECT_THAT(Summary(load), HasSubstr(kMeasuredInOneLoad));
  load.mutable_result()->clear_upper();
  EXPECT_THAT(Summary(load), Not(HasSubstr(kMeasuredInOneLoad)));
}

TEST(Summary, AClosedLoopHasOneLatency) {
  EXPECT_THAT(Summary(ClosedLoop()), Not(HasSubstr("from send")));
  v1::LoadRecord open = ClosedLoop();
  open.mutable_result()->mutable_late()->set_count(4430);
  EXPECT_THAT(Summary(open), HasSubstr("from send"));
  EXPECT_THAT(Summary(open), HasSubstr("late"));
}

TEST(Summary, EveryPlannedJobIsInANumber) {
  const std::string text = Summary(Parsed(R"(
    queue: "q" drain_seconds: 2
    result {
      jobs { planned: 600 sent: 396 succeeded: 380 failed: 14 timed_out: 5 unanswered: 9 rejected: 2 }
      refused: 1003
      from_plan { count: 380 open: 213 known: 0.6 p50: 1.2 p99: 9 max: 9 }
    }
    warm_up { planned: 8 sent: 8 succeeded: 6 failed: 2 lost: 2 })"));
  EXPECT_THAT(text, HasSubstr("jobs: 396 sent, 380 succeeded, 14 failed, 2 rejected; of those that "
                              "failed 5 timed out, 9 had no answer; 204 more were due and never "
                              "sent; 1003 answers refused jobs that were sent again\n"));
  EXPECT_THAT(text, HasSubstr("jobs of the warm-up: 8 sent, 6 succeeded, 2 failed, 0 rejected; of "
                              "those that failed 2 were lost\n"));
  EXPECT_THAT(text, HasSubstr("593  "));
  EXPECT_THAT(text, HasSubstr("1.2 s  "));
  EXPECT_THAT(text, HasSubstr(">= 9 s"));
  EXPECT_THAT(text, HasSubstr("then 2 s for the last jobs"));
}

TEST(Summary, OfALoadWithoutASuccessSaysSo) {
  const std::string text = Summary(Parsed(R"(queue: "q" ended_because: "duration")"));
  EXPECT_THAT(text, HasSubstr("throughput: not known"));
  EXPECT_THAT(text, Not(HasSubstr("MEAN")));
}

TEST(Summary, MarksAreShownAndTextsOfOthersAreMadePrintable) {
  const std::string text = Summary(Parsed(R"(
    queue: "q" spoiled { from: 1.5 to: 2 reason: "late" }
    errors { text: "\033[2Jboo" count: 1 })"));
  EXPECT_THAT(text, HasSubstr("spoiled from 1.5 s to 2 s: late\n"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
}

TEST(SlicesCsv, HasARowForEachSliceAndLeavesOutWhatIsNotKnown) {
  v1::LoadRecord record = Parsed(R"(slice_seconds: 2
    slices { planned: 10 sent: 9 succeeded: 8 outstanding: 3 }
    slices { sent: 1 parallel: 4 rejected: 2 unanswered: 1 seconds: 0.5 })");
  stats::Histogram times;
  times.Record(std::chrono::milliseconds(100));
  *record.mutable_slices(0)->mutable_from_plan() = suite::ToMessage(times);
  EXPECT_EQ(SlicesCsv(record),
            "second,planned,sent,succeeded,failed,unanswered,rejected,seconds,parallel,outstanding,"
            "p50,p90,p99,max\n"
            "0,10,9,8,0,0,0,0,,3,0.1,0.1,0.1,0.1\n"
            "2,,1,0,0,1,2,0.5,4,0,,,,\n");
}

TEST(TimeText, HasTheUnitThatFits) {
  EXPECT_EQ(TimeText(0.1012345), "101.2 ms");
  EXPECT_EQ(TimeText(12.5e-6), "12.5 us");
  EXPECT_EQ(TimeText(0), "0 s");
  EXPECT_EQ(TimeText(90), "90 s");
}

}  // namespace
}  // namespace twofold::cli
