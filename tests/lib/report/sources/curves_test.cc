// Series of jobs as curves, and the jobs of a run on a timeline.

#include "lib/report/sources/curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "lib/report/sources/timeline.h"
#include "tests/lib/report/checked.h"
#include "tests/lib/report/sources/samples.h"

namespace twofold::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const Panel& PanelOf(const Picture& picture) { return picture.figure.rows[0][0]; }

std::vector<std::string> NamesOf(const Panel& panel, Form form) {
  std::vector<std::string> names;
  for (const Series& each : panel.series) {
    if (each.form == form) names.push_back(each.name);
  }
  return names;
}

std::vector<std::vector<Datum>> DataOf(const Panel& panel, Form form) {
  std::vector<std::vector<Datum>> data;
  for (const Series& each : panel.series) {
    if (each.form == form) data.push_back(each.data);
  }
  return data;
}

void ExpectSoundPictures(const std::vector<Picture>& pictures) {
  std::map<std::string, std::string> svgs;
  for (const Picture& each : pictures) svgs[each.name] = ToSvg(each.figure);
  ExpectSound(svgs);
}

/// One permutation with `jobs` jobs.
RunResults Permutation(std::uint64_t jobs) {
  RunResults results;
  results.permutations.emplace_back().set_number(1);
  results.permutations[0].set_succeeded(jobs);
  return results;
}

TEST(Curves, ALineForEachPermutationWithSizesOnALogarithmicAxis) {
  const RunResults results = WithCurves(SomeRun("sweep", 1, 5), 1);
  const auto pictures = CurvePictures({{"", &results}});
  ASSERT_THAT(pictures, SizeIs(1));
  const Panel& panel = PanelOf(pictures[0]);
  EXPECT_EQ(pictures[0].name, "series-1-test-0-latency");
  EXPECT_EQ(pictures[0].figure.title, "test_0: latency by size");
  EXPECT_TRUE(panel.x.logarithmic);
  EXPECT_TRUE(panel.y.logarithmic);
  EXPECT_EQ(panel.x.unit, "B");
  EXPECT_EQ(panel.y.unit, "us");
  EXPECT_THAT(NamesOf(panel, Form::kLine),
              ElementsAre("blockSize=4096 engine=psync", "blockSize=4096 engine=libaio"));
  EXPECT_THAT(pictures[0].caption,
              HasSubstr("n = 5 at each size: rows of the series that each job has measured."));
  EXPECT_THAT(pictures[0].caption, HasSubstr("95 % intervals"));
  EXPECT_THAT(panel.notes,
              ElementsAre("size 0 has no place on a logarithmic axis and is not drawn"));
  EXPECT_THAT(ToSvg(pictures[0].figure), Not(HasSubstr("missing, infinite")));
  const auto bars = DataOf(panel, Form::kIntervals);
  ASSERT_THAT(bars, SizeIs(2));
  EXPECT_EQ(bars[0][0].x, 1);
  EXPECT_DOUBLE_EQ(bars[0][0].y, 1.8008 * 0.98);
  EXPECT_DOUBLE_EQ(bars[0][0].end, 1.8008 * 1.02);
  ExpectSoundPictures(pictures);
  EXPECT_EQ(ToSvg(pictures[0].figure), ToSvg(CurvePictures({{"", &results}})[0].figure));
}

TEST(Curves, SeveralRunsAreOverlaid) {
  const RunResults before = WithCurves(SomeRun("before", 1, 2), 2);
  const RunResults after = WithCurves(SomeRun("after", 1, 4), 1, 2.0);
  const auto pictures = CurvePictures({{"before", &before}, {"after", &after}});
  ASSERT_THAT(pictures, SizeIs(2)) << "a picture a series, whichever run has it";
  EXPECT_THAT(
      NamesOf(PanelOf(pictures[0]), Form::kLine),
      ElementsAre("before blockSize=4096 engine=psync", "before blockSize=4096 engine=libaio",
                  "after blockSize=4096 engine=psync", "after blockSize=4096 engine=libaio"));
  EXPECT_THAT(pictures[0].caption, HasSubstr("n = 2 to 4 at each size"));
  EXPECT_THAT(NamesOf(PanelOf(pictures[1]), Form::kLine), SizeIs(2));
}

TEST(Curves, TimesLieOnALinearAxis) {
  RunResults results = Permutation(2);
  v1::SeriesResult& curve = AddCurve("over_time", "time", "s", results.permutations[0]);
  for (int second = 1; second <= 60; ++second) AddPoint(second, 5, 2, curve);
  const auto pictures = CurvePictures({{"", &results}});
  ASSERT_THAT(pictures, SizeIs(1));
  EXPECT_FALSE(PanelOf(pictures[0]).x.logarithmic);
}

TEST(Curves, MomentsThatNoTwoJobsShareAreSinglePoints) {
  RunResults results = Permutation(2);
  v1::SeriesResult& curve = AddCurve("over_time", "time", "s", results.permutations[0]);
  for (const double at : {1.0, 1.001, 2.0, 2.003}) AddPoint(at, 5, 1, curve);
  const auto two = CurvePictures({{"", &results}});
  EXPECT_THAT(NamesOf(PanelOf(two.at(0)), Form::kPoints), SizeIs(1));
  EXPECT_THAT(two[0].caption, EndsWith("no two jobs have measured the same rows."));
  results.permutations[0].set_succeeded(1);
  const auto one = CurvePictures({{"", &results}});
  EXPECT_THAT(NamesOf(PanelOf(one.at(0)), Form::kPoints), IsEmpty());
  EXPECT_THAT(one[0].caption, Not(HasSubstr("Single points")));
}

TEST(Curves, SizesThatOneOfSeveralJobsHasMeasuredAreALine) {
  RunResults results = Permutation(2);
  v1::SeriesResult& curve = AddCurve("osu_bw", "size", "B", results.permutations[0]);
  for (const double at : {1.0, 2.0, 4.0}) AddPoint(at, 5, 1, curve);
  EXPECT_THAT(NamesOf(PanelOf(CurvePictures({{"", &results}}).at(0)), Form::kLine), SizeIs(1));
}

TEST(Curves, OfManyColumnsAndLinesTheFirstAreDrawnAndCounted) {
  const RunResults results = WithCurves(SomeRun("sweep", 5, 2), 40);
  const auto pictures = CurvePictures({{"", &results}});
  ASSERT_THAT(pictures, SizeIs(12));
  EXPECT_THAT(PanelOf(pictures[0]).notes, Contains("of 10 lines the first 6 are drawn"));
  EXPECT_THAT(pictures.back().caption, EndsWith("Of 40 such figures the first 12 are drawn."));
  ExpectSoundPictures(pictures);
}

TEST(Curves, VeryManyRowsAreAPictureOfItsOwnWithoutIntervals) {
  RunResults results = Permutation(2);
  for (const char* name : {"first", "second"}) {
    v1::SeriesResult& curve = AddCurve(name, "time", "s", results.permutations[0]);
    for (int row = 1; row <= 8'000; ++row) AddPoint(row, 5 + row % 7, 2, curve);
  }
  results.permutations[0].set_series_values_left_out(7);
  const auto pictures = CurvePictures({{"", &results}});
  ASSERT_THAT(pictures, SizeIs(1));
  EXPECT_THAT(DataOf(PanelOf(pictures[0]), Form::kIntervals), ElementsAre(IsEmpty()));
  EXPECT_THAT(pictures[0].caption, HasSubstr("Lines of more than 100 rows have none."));
  EXPECT_THAT(pictures[0].caption, HasSubstr("Of 2 such figures the first 1 are drawn."));
  EXPECT_THAT(pictures[0].caption, EndsWith("7 values of series; they are in no figure."));
  EXPECT_LT(ToSvg(pictures[0].figure).size(), 100'000U);
}

TEST(Curves, WhatIsNotFiniteIsAGapAndNothingIsNoPicture) {
  RunResults results = Permutation(1);
  EXPECT_THAT(CurvePictures({{"", &results}}), IsEmpty());
  AddCurve("empty", "size", "B", results.permutations[0]);
  EXPECT_THAT(CurvePictures({{"", &results}}), IsEmpty());
  v1::SeriesResult& curve = AddCurve("odd", "size", "B", results.permutations[0]);
  AddPoint(std::nan(""), 1, 1, curve);
  AddPoint(1, std::numeric_limits<double>::infinity(), 2, curve);
  AddPoint(-1e300, 1, 2, curve);
  ExpectSoundPictures(CurvePictures({{"", &results}}));
}

// ---- the timeline

TEST(RunTimeline, HasALaneForEachWorkerAndAJobAfterTheOther) {
  RunResults results = WithPlaces(SomeRun("sweep", 1, 4), 2);
  results.permutations[0].mutable_jobs(1)->set_outcome(v1::OUTCOME_TIMED_OUT);
  const auto picture = RunTimelinePicture(results);
  ASSERT_TRUE(picture);
  const Panel& panel = PanelOf(*picture);
  EXPECT_THAT(panel.y.names, ElementsAre("node-0 pod-0", "node-1 pod-1"));
  EXPECT_EQ(panel.x.label, "since the first job began");
  const auto spans = DataOf(panel, Form::kSpans);
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_THAT(spans[0], SizeIs(7));
  EXPECT_THAT(spans[1], SizeIs(1)) << "the one that did not succeed";
  EXPECT_THAT(NamesOf(panel, Form::kSpans), ElementsAre("succeeded", "failed"));
  // Of the first worker: job 2, 1.02 s from the start on.
  EXPECT_DOUBLE_EQ(spans[1][0].x, 0.0);
  EXPECT_DOUBLE_EQ(spans[1][0].end, 1.02);
  EXPECT_EQ(spans[1][0].y, 0.0);
  EXPECT_THAT(picture->caption, HasSubstr("n = 8 jobs."));
  EXPECT_THAT(picture->caption, HasSubstr("A job ends when its result arrives"));
  ExpectSoundPictures({*picture});
}

TEST(RunTimeline, IsOfJobsThatRanAndWorkersThatDidTwoAtOnceHaveTwoLanes) {
  RunResults results = WithPlaces(SomeRun("sweep", 1, 2), 4);
  auto& jobs = *results.permutations[0].mutable_jobs();
  auto& more = *results.permutations[1].mutable_jobs();
  more[0].set_state(v1::JOB_STATE_RUNNING);
  more[1].set_started_unix_ns(0);
  jobs[1].set_node(jobs[0].node());
  jobs[1].set_pod(jobs[0].pod());
  const auto picture = RunTimelinePicture(results);
  ASSERT_TRUE(picture);
  EXPECT_THAT(PanelOf(*picture).y.names, ElementsAre("node-1 pod-1", "#2"));
  EXPECT_FALSE(RunTimelinePicture(SomeRun("no places", 1, 2)));
}

TEST(RunTimeline, OfVeryManyJobsSomeAreDrawnEvenly) {
  const auto picture = RunTimelinePicture(WithPlaces(SomeRun("sweep", 10, 5'000), 40));
  ASSERT_TRUE(picture);
  EXPECT_THAT(picture->caption, HasSubstr("n = 20000 jobs, drawn evenly from 100000."));
  EXPECT_THAT(DataOf(PanelOf(*picture), Form::kSpans)[0], SizeIs(20'000));
}

}  // namespace
}  // namespace twofold::report
