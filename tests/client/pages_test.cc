#include "client/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <limits>

#include "client/metrics.h"
#include "client/outcomes.h"
#include "client/window.h"
#include "lib/stats/scaling.h"
#include "tests/client/golden.h"

namespace twofold::client {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

Snapshot Empty() {
  Snapshot snapshot;
  snapshot.queue = "sleep";
  snapshot.frontend = "localhost:9997";
  snapshot.estimate.log_error = std::numeric_limits<double>::infinity();
  snapshot.estimate.upper = std::numeric_limits<double>::infinity();
  snapshot.estimate.reason = "no job has ended yet";
  return snapshot;
}

Snapshot Busy() {
  Snapshot snapshot = Empty();
  snapshot.link = Link::kConnected;
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
  Latencies latencies;
  for (int i = 1; i <= 200; ++i) {
    latencies.Record(microseconds(10 * i), milliseconds(100), milliseconds(103));
  }
  latencies.Record(milliseconds(5), milliseconds(100), milliseconds(104));
  for (const Part part : kParts) {
    snapshot.latencies[static_cast<std::size_t>(part)] = latencies.Summary(part);
  }
  snapshot.clamped_overheads = latencies.clamped();
  snapshot.rejected = 7;
  snapshot.interruptions = 1;
  snapshot.all_interruptions = 2;
  snapshot.unknown_answers = 4;
  snapshot.places = {{"node-b", "pod-3", "", 50, 0},
                     {"node-a", "pod-1", "/dev/dri/renderD128", 100, 2},
                     {"node-a", "pod-2", "/dev/dri/renderD129", 50, 0},
                     {"", "", "", 0, 1}};
  snapshot.errors = {{"<script>alert('&')</script>", 2},
                     {"the queue is full, try again later", 7},
                     {"the worker vanished", 1}};
  snapshot.finished[v1::OUTCOME_SUCCEEDED] = 1200;
  snapshot.finished[v1::OUTCOME_FAILED] = 3;
  snapshot.round_trips.Record(milliseconds(103));
  return snapshot;
}

TEST(Pages, PlainForms) {
  ExpectGolden("stats_empty.txt", text::Stats(Empty()));
  ExpectGolden("stats.txt", text::Stats(Busy()));
  ExpectGolden("nodes_empty.txt", text::Places(Empty(), By::kNode));
  ExpectGolden("nodes.txt", text::Places(Busy(), By::kNode));
  ExpectGolden("pods.txt", text::Places(Busy(), By::kPod));
  ExpectGolden("window_empty.txt", text::Window(Empty()));
  ExpectGolden("window.txt", text::Window(Busy()));
}

TEST(Pages, JsonForms) {
  ExpectGolden("stats_empty.json", json::Stats(Empty()));
  ExpectGolden("stats.json", json::Stats(Busy()));
  ExpectGolden("nodes.json", json::Places(Busy(), By::kNode));
  ExpectGolden("pods.json", json::Places(Busy(), By::kPod));
  ExpectGolden("window_empty.json", json::Window(Empty()));
  ExpectGolden("window.json", json::Window(Busy()));
  ExpectGolden("single.json", json::Single(std::string_view("Reseted"), "a \"quoted\" word"));
}

TEST(Pages, HtmlForms) {
  ExpectGolden("nodes.html", html::Text("Nodes", text::Places(Busy(), By::kNode)));
  ExpectGolden("overview.html", html::Overview(Busy()));
}

TEST(Pages, Comparison) {
  const stats::Comparison comparison = {.ratio = 1.95,
                                        .lower = 1.75,
                                        .upper = 2.125,
                                        .verdict = stats::Verdict::kUndecided,
                                        .more_seconds = 12.5,
                                        .more_seconds_each = 6.25};
  ExpectGolden("comparison.txt", text::Comparison(comparison));
  ExpectGolden("comparison.json", json::Comparison(comparison));
}

stats::StepRecord Record(std::uint32_t workers, double variance) {
  return {.workers = workers,
          .rate = {0.98 * workers, 0.002, 11.5, 30.0},
          .confidence = 0.997,
          .spread = {variance, workers - 1.0}};
}

Snapshot Measured() {
  Snapshot snapshot = Busy();
  snapshot.estimate.seconds = 30.0;
  snapshot.estimate.mean_life = 0.5;
  snapshot.estimate.steady = true;
  snapshot.estimate.reason.clear();
  snapshot.estimate.log_error = 0.002;
  return snapshot;
}

TEST(Pages, Look) {
  const stats::StepPlan plan = {.workers = 16, .scale = 1.8, .cap = 60.0};
  const stats::StepLook first = stats::LookAtStep({}, Measured().estimate, {}, plan);
  ExpectGolden("look_first.txt", text::Look(Measured(), first, Pods::kAny));
  const std::vector<stats::StepRecord> earlier = {Record(8, 0.0001)};
  const stats::StepLook look =
      stats::LookAtStep(earlier, Measured().estimate, {0.0001, 15.0}, plan);
  ExpectGolden("look.txt", text::Look(Measured(), look, Pods::kAny));
  ExpectGolden("look.json", json::Look(Measured(), look, Pods::kAny));
  const stats::StepLook unsteady = stats::LookAtStep(earlier, Busy().estimate, {}, plan);
  ExpectGolden("look_unsteady.txt", text::Look(Busy(), unsteady, Pods::kThese));
}

TEST(Pages, VerdictsOnTheseAndOnAnyPods) {
  const std::vector<stats::StepRecord> records = {Record(1, 0.0), Record(2, 0.01), Record(4, 0.01),
                                                  Record(8, 0.01)};
  const stats::ScalingVerdict scaling = stats::JudgeScaling(records, 1.8);
  ExpectGolden("verdict_any.txt", text::Scaling(scaling, Pods::kAny));
  ExpectGolden("verdict_these.txt", text::Scaling(scaling, Pods::kThese));
  ExpectGolden("verdict.json", json::Scaling(scaling, Pods::kAny));
}

TEST(Pages, HtmlEscapesWhatCameFromOutside) {
  const std::string page = html::Text("<b>", text::Places(Busy(), By::kNode));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"));
}

TEST(Pages, JsonSurvivesInvalidUtf8) {
  Snapshot snapshot = Empty();
  snapshot.errors["\xff"] = 1;
  EXPECT_THAT(json::Window(snapshot), HasSubstr("\xEF\xBF\xBD"));
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
