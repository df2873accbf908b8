#include "lib/load/counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/load/window.h"

namespace twofold::load {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::Le;
using ::testing::SizeIs;

TEST(ErrorCounts, TextsAreOneLineWithoutWhatTerminalsObey) {
  ErrorCounts errors;
  errors.Add("a\nb\x1b[2J\u009b2J");
  EXPECT_EQ(errors.all(), (ErrorCounts::Map{{"a b [2J 2J", 1}}));
}

TEST(ErrorCounts, CountsByText) {
  ErrorCounts errors;
  errors.Add("exit code 1");
  errors.Add("exit code 1");
  errors.Add("signal 9");
  EXPECT_EQ(errors.all(), (ErrorCounts::Map{{"exit code 1", 2}, {"signal 9", 1}}));
}

TEST(ErrorCounts, TextsBeyondTheLimitAreOther) {
  ErrorCounts errors;
  for (int i = 0; i < 1000; ++i) errors.Add(std::to_string(i));
  errors.Add("0");
  EXPECT_THAT(errors.all(), SizeIs(ErrorCounts::kMost + 1));
  EXPECT_EQ(errors.all().at("other"), 1000 - ErrorCounts::kMost);
  EXPECT_EQ(errors.all().at("0"), 2U);
}

TEST(ErrorCounts, LongTextsAreCut) {
  ErrorCounts errors;
  errors.Add(std::string(100'000, 'x'));
  EXPECT_THAT(errors.all().begin()->first, SizeIs(ErrorCounts::kMaxBytes));
}

TEST(Places, TheSameNamesAreTheSamePlace) {
  Places places;
  const Places::Index a = places.Find("node", "pod", "gpu");
  EXPECT_EQ(places.Find("node", "pod", "gpu"), a);
  EXPECT_NE(places.Find("node", "pod", ""), a);
}

TEST(Places, NumberAndLengthOfNamesAreBounded) {
  Places places;
  for (int i = 0; i < 20'000; ++i) {
    places.Succeeded(places.Find("n" + std::to_string(i), "", ""), 1.0, 1.0);
  }
  EXPECT_THAT(places.all(), SizeIs(Places::kMost + 1));
  EXPECT_EQ(places.all().back().node, "other");
  EXPECT_EQ(places.all().back().succeeded, 20'000 - Places::kMost);

  Places long_names;
  const std::string name(100'000, 'x');
  EXPECT_EQ(long_names.Find(name, name, name), long_names.Find(name, name, name));
  EXPECT_LT(long_names.all().front().node.size(), 300U);
}

TEST(GroupPlaces, AddsUpByNodeAndDevice) {
  const std::vector<Place> places = {
      {"n2", "p3", "", 1, 0},
      {"n1", "p1", "gpu", 1, 2},
      {"n1", "p2", "gpu", 3, 0},
      {"", "", "", 0, 0},
  };
  const std::vector<PlaceGroup> groups = GroupPlaces(places, By::kNode);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(groups[0].name, "n1");
  EXPECT_EQ(groups[0].device, "gpu");
  EXPECT_EQ(groups[0].succeeded, 4U);
  EXPECT_EQ(groups[0].failed, 2U);
  EXPECT_EQ(groups[1].name, "n2");
  EXPECT_THAT(GroupPlaces(places, By::kPod), SizeIs(3));
}

TEST(GroupPlaces, CountsWorkersAndJobsAndPoolsRunTimesOfWholeNodes) {
  Places places;
  places.Succeeded(places.Find("b", "pod-3", ""), 9.0, 5.0);
  places.Succeeded(places.Find("a", "pod-1", "gpu0"), 9.0, 1.0);
  places.Succeeded(places.Find("a", "pod-1", "gpu1"), 9.0, 2.0);
  places.Succeeded(places.Find("a", "pod-2", ""), 9.0, 3.0);
  places.Failed(places.Find("a", "pod-2", ""));
  places.Failed(places.Find("", "", ""));
  places.Find("c", "pod-4", "");
  const std::vector<PlaceGroup> nodes = GroupPlaces(places.all(), By::kWholeNode);
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].name, "");
  EXPECT_EQ(nodes[1].name, "a");
  EXPECT_EQ(nodes[1].workers, 2U);
  EXPECT_EQ(nodes[1].jobs(), 4U);
  EXPECT_DOUBLE_EQ(nodes[1].runs.mean(), 2.0);
  EXPECT_EQ(nodes[2].name, "b");
  EXPECT_EQ(nodes[2].workers, 1U);
}

TEST(ErrorText, TakesTheReportsErrorFirst) {
  v1::Report report;
  EXPECT_EQ(ErrorText(v1::OUTCOME_LOST, report.SerializeAsString()), "lost");
  report.set_exit_code(3);
  EXPECT_EQ(ErrorText(v1::OUTCOME_FAILED, report.SerializeAsString()), "exit code 3");
  report.set_signal(9);
  EXPECT_EQ(ErrorText(v1::OUTCOME_FAILED, report.SerializeAsString()), "signal 9");
  report.set_error("no such device");
  EXPECT_EQ(ErrorText(v1::OUTCOME_FAILED, report.SerializeAsString()), "no such device");
}

TEST(ErrorText, EndsWithTheLastLineThatAProgramHasPrinted) {
  v1::Report report;
  report.set_error("exit code 3");
  report.set_exit_code(3);
  report.set_output("starting\nlooking for the device\nno such device: /dev/dri/card7\n \n");
  const auto text = [&report] { return ErrorText(v1::OUTCOME_FAILED, report.SerializeAsString()); };
  EXPECT_EQ(text(), "exit code 3: no such device: /dev/dri/card7");
  report.set_output("10 %\r20 %\rfailed at 20 %");
  EXPECT_EQ(text(), "exit code 3: failed at 20 %");
  report.set_output("a\x1b[31mb\xff");
  EXPECT_EQ(text(), "exit code 3: a [31mb?");
  report.set_output(std::string(5000, 'x'));
  EXPECT_EQ(text(), "exit code 3: " + std::string(200, 'x'));
  for (const char* nothing : {"", "\n", " \r\n\t"}) {
    report.set_output(nothing);
    EXPECT_EQ(text(), "exit code 3");
  }
  report.set_output("what has gone wrong is\nexit code 3");
  EXPECT_EQ(text(), "exit code 3") << "a suite may have taken it from there";
  report.set_exit_code(0);
  report.set_output("100 % done");
  EXPECT_EQ(text(), "exit code 3") << "what ended well, or never ran, has nothing to add";
}

TEST(ErrorText, SurvivesAReportThatIsNone) {
  EXPECT_EQ(ErrorText(v1::OUTCOME_FAILED, "\xff\xff\xff"), "the report of the job cannot be read");
}

}  // namespace
}  // namespace twofold::load
