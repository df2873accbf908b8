#include "client/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <limits>

#include "lib/load/window.h"
#include "lib/stats/scaling.h"
#include "tests/client/golden.h"
#include "tests/lib/stats/made_windows.h"

namespace twofold::client {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

load::Snapshot Empty() {
  load::Snapshot snapshot;
  snapshot.queue = "sleep";
  snapshot.frontend = "localhost:9997";
  snapshot.estimate.log_error = std::numeric_limits<double>::infinity();
  snapshot.estimate.upper = std::numeric_limits<double>::infinity();
  snapshot.estimate.reason = "no job has ended yet";
  return snapshot;
}

load::JobEntry Took(Duration wait, Duration all) {
  return {
      .planned = {}, .sent = {}, .ended = Instant() + all, .wait = wait, .run = milliseconds(100)};
}

load::Snapshot Busy() {
  load::Snapshot snapshot = Empty();
  snapshot.link = load::Link::kConnected;
  snapshot.parallelism = 16;
  snapshot.pending = 15;
  snapshot.held_back = 1;
  snapshot.estimate = {.seconds = 12.5,
                       .succeeded = 200,
                       .failed = 3,
                       .counted = 16.0,
                       .throughput = 15.875,
                       .log_error = 0.015625,
                       .degrees = 15.0,
                       .lower = 15.5,
                       .upper = 16.25,
                       .batches = 16,
                       .steady = false,
                       .reason = "interrupted: the frontend was lost 1 time in this window"};
  for (int i = 1; i <= 200; ++i) {
    snapshot.times.Record(Took(microseconds(10 * i), milliseconds(103)));
  }
  snapshot.times.Record(Took(milliseconds(5), milliseconds(104)));
  for (int i = 0; i < 15; ++i) snapshot.times.from_send.open.Record(milliseconds(50));
  snapshot.refused = 7;
  snapshot.interruptions = 1;
  snapshot.totals.interruptions = 2;
  snapshot.totals.unknown_answers = 4;
  snapshot.places = {{"node-b", "pod-3", "", 50, 0},
                     {"node-a", "pod-1", "/dev/dri/renderD128", 100, 2},
                     {"node-a", "pod-2", "/dev/dri/renderD129", 50, 0},
                     {"", "", "", 0, 1}};
  for (int job = 0; job < 50; ++job) {
    snapshot.places[0].times.Add(0.15625);
    snapshot.places[0].runs.Add(0.125);
    for (const std::size_t place : {1U, 2U}) {
      snapshot.places[place].times.Add(0.125);
      snapshot.places[place].runs.Add(0.09375);
    }
  }
  snapshot.spread = {0.0625, 2.0};
  snapshot.errors = {{"<script>alert('&')</script>", 2},
                     {"the queue is full, try again later", 7},
                     {"the worker vanished", 1}};
  snapshot.totals.finished[v1::OUTCOME_SUCCEEDED] = 1200;
  snapshot.totals.finished[v1::OUTCOME_FAILED] = 3;
  snapshot.totals.round_trips.Record(milliseconds(103));
  return snapshot;
}

TEST(Pages, PlainForms) {
  ExpectGolden("stats_empty.txt", StatsPage(Empty()).plain);
  ExpectGolden("stats.txt", StatsPage(Busy()).plain);
  ExpectGolden("nodes_empty.txt", PlacesPage(Empty(), load::By::kNode).plain);
  ExpectGolden("nodes.txt", PlacesPage(Busy(), load::By::kNode).plain);
  ExpectGolden("pods.txt", PlacesPage(Busy(), load::By::kPod).plain);
  ExpectGolden("window_empty.txt", WindowPage(Empty()).plain);
  ExpectGolden("window.txt", WindowPage(Busy()).plain);
}

TEST(Pages, JsonForms) {
  ExpectGolden("stats_empty.json", StatsPage(Empty()).json);
  ExpectGolden("stats.json", StatsPage(Busy()).json);
  ExpectGolden("nodes.json", PlacesPage(Busy(), load::By::kNode).json);
  ExpectGolden("pods.json", PlacesPage(Busy(), load::By::kPod).json);
  ExpectGolden("window_empty.json", WindowPage(Empty()).json);
  ExpectGolden("window.json", WindowPage(Busy()).json);
  ExpectGolden("single.json", SinglePage("Reset", "Reseted", "a \"quoted\" word").json);
}

TEST(Pages, AnOpenLoopShowsItsRateAndItsLateness) {
  load::Snapshot snapshot = Busy();
  snapshot.parallelism = 0;
  snapshot.held_back = 0;
  snapshot.profile =
      std::make_shared<const load::Profile>(load::RateProfile(16, load::Arrivals::kPoisson, 60, 7));
  snapshot.stage = 0;
  snapshot.rate = 16;
  snapshot.load_time = milliseconds(12'500);
  snapshot.jobs.sent = 200;
  snapshot.jobs.sent_late = 3;
  snapshot.times.from_plan.ended.Reset();
  snapshot.times.from_plan.ended.Record(milliseconds(120));
  snapshot.times.from_plan.open.Record(milliseconds(130));
  snapshot.times.late.Record(milliseconds(17));
  ExpectGolden("stats_open.txt", StatsPage(snapshot).plain);
  ExpectGolden("window_open.json", WindowPage(snapshot).json);
  ExpectGolden("profile.txt", ProfilePage(snapshot).plain);
  ExpectGolden("profile.json", ProfilePage(snapshot).json);
  EXPECT_EQ(ProfilePage(Empty()).plain, "running false\n");
}

TEST(Pages, HtmlForms) {
  ExpectGolden("nodes.html", Html(PlacesPage(Busy(), load::By::kNode)));
  ExpectGolden("overview.html", Overview(Busy()));
}

TEST(Pages, Comparison) {
  const stats::Comparison comparison = {.ratio = 1.95,
                                        .lower = 1.75,
                                        .upper = 2.125,
                                        .verdict = stats::Verdict::kUndecided,
                                        .more_seconds = 12.5,
                                        .more_seconds_each = 6.25};
  ExpectGolden("comparison.txt", ComparisonPage(comparison).plain);
  ExpectGolden("comparison.json", ComparisonPage(comparison).json);
}

stats::StepRecord Record(std::uint32_t workers, double sd) {
  return stats::EvenRecord(workers, 0.98 * workers, sd);
}

load::Snapshot Measured() {
  load::Snapshot snapshot = Busy();
  snapshot.estimate.seconds = 30.0;
  snapshot.estimate.mean_life = 0.5;
  snapshot.estimate.usable = snapshot.estimate.steady = true;
  snapshot.estimate.reason.clear();
  snapshot.estimate.log_error = 0.002;
  snapshot.measured = stats::EvenWindow(16, 15.875, 0.01);
  return snapshot;
}

TEST(Pages, Look) {
  const stats::StepPlan plan = {.workers = 16, .scale = 1.8, .cap = {60.0}};
  const load::Snapshot seen = Measured();
  const stats::StepLook first = stats::LookAtStep({}, seen.estimate, seen.measured, plan);
  ExpectGolden("look_first.txt", LookPage(Measured(), first, Pods::kAny).plain);
  const std::vector<stats::StepRecord> earlier = {Record(8, 0.01)};
  const stats::StepLook look = stats::LookAtStep(earlier, seen.estimate, seen.measured, plan);
  ExpectGolden("look.txt", LookPage(Measured(), look, Pods::kAny).plain);
  ExpectGolden("look.json", LookPage(Measured(), look, Pods::kAny).json);
  const stats::StepLook unsteady = stats::LookAtStep(earlier, Busy().estimate, seen.measured, plan);
  ExpectGolden("look_unsteady.txt", LookPage(Busy(), unsteady, Pods::kThese).plain);
}

TEST(Pages, LookThatSaysWhatItExpects) {
  const stats::StepPlan plan = {.workers = 16,
                                .scale = 1.8,
                                .cap = {.seconds = 60.0, .patience = 600.0},
                                .next = stats::Next::kNever};
  load::Snapshot seen = Measured();
  seen.estimate.seconds = 60.0;
  seen.measured = stats::NoisyWindow(16, 14.2, 0.5, 0.0, 1);
  const std::vector<stats::StepRecord> earlier = {Record(8, 0.01)};
  const stats::StepLook look = stats::LookAtStep(earlier, seen.estimate, seen.measured, plan);
  ASSERT_TRUE(look.expected);
  ExpectGolden("look_open.txt", LookPage(seen, look, Pods::kAny).plain);
  ExpectGolden("look_open.json", LookPage(seen, look, Pods::kAny).json);
}

TEST(Pages, Explanation) {
  const stats::Explanation explanation = {stats::Cause::kWait, 2, 4, "wait grew"};
  ExpectGolden("why.txt", ExplanationPage(explanation).plain);
  ExpectGolden("why.json", ExplanationPage(explanation).json);
}

TEST(Pages, VerdictsOnTheseAndOnAnyPods) {
  const std::vector<stats::StepRecord> records = {Record(1, 0.0), Record(2, 0.1), Record(4, 0.1),
                                                  Record(8, 0.1)};
  ExpectGolden("verdict_any.txt", ScalingPage(records, {.scale = 1.8, .pods = Pods::kAny}).plain);
  ExpectGolden("verdict_these.txt",
               ScalingPage(records, {.scale = 1.8, .pods = Pods::kThese}).plain);
  ExpectGolden("verdict.json", ScalingPage(records, {.scale = 1.8, .pods = Pods::kAny}).json);
}

TEST(Pages, HtmlEscapesWhatCameFromOutside) {
  const std::string page = Html({"<b>", PlacesPage(Busy(), load::By::kNode).plain, ""});
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"));
}

TEST(Pages, JsonSurvivesInvalidUtf8) {
  load::Snapshot snapshot = Empty();
  snapshot.errors["\xff"] = 1;
  EXPECT_THAT(WindowPage(snapshot).json, HasSubstr("\xEF\xBF\xBD"));
}

TEST(Metrics, AllSeriesExistFromTheStart) {
  std::vector<prometheus::MetricFamily> families = CollectMetrics(Empty());
  families.pop_back();  // the build, which no golden file can know
  ExpectGolden("metrics_empty.txt", prometheus::TextSerializer().Serialize(families));
}

TEST(Metrics, TellWhatHappened) {
  const std::string text = prometheus::TextSerializer().Serialize(CollectMetrics(Busy()));
  for (const char* line :
       {"twofold_client_parallelism{queue=\"sleep\"} 16",
        "twofold_client_pending_jobs{queue=\"sleep\"} 15",
        "twofold_client_jobs_finished_total{queue=\"sleep\",outcome=\"succeeded\"} 1200",
        "twofold_client_round_trip_seconds_count{queue=\"sleep\"} 1",
        "twofold_client_interruptions_total{queue=\"sleep\"} 2",
        "# TYPE twofold_client_round_trip_seconds histogram", "# HELP twofold_client_connected "}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace twofold::client
