#include "kubernetes/lifecycle/times/events.h"

#include <absl/strings/str_format.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/lifecycle/times/seen_run.h"

namespace twofold::lifecycle {
namespace {

Object EventOf(const std::string& reason, const std::string& uid, const std::string& name) {
  return {{"kind", "Event"},
          {"metadata", {{"name", name}, {"namespace", "load"}}},
          {"reason", reason},
          {"regarding", {{"uid", uid}, {"namespace", "load"}}}};
}

/// As the scheduler's recorder makes them.
Object WithTime(const std::string& reason, const std::string& uid, UnixNs time) {
  Object event = EventOf(reason, uid, "x.1");
  event["eventTime"] = Rfc3339(time);
  return event;
}

/// As kubelets' and controllers' recorders make them.
Object Named(const std::string& reason, const std::string& uid, UnixNs time) {
  Object event = EventOf(reason, uid, absl::StrFormat("x.%x", time));
  event["eventTime"] = nullptr;
  event["deprecatedFirstTimestamp"] = WholeSecond(time);
  return event;
}

std::vector<EvidenceRow> RowsFor(const EventNotes& notes, const SeenRun& run) {
  return notes.Rows(*FindKind("job").value(), run.lives(), kClocks);
}

TEST(Events, PlantedDifferencesAreRecoveredAndLostOnesCounted) {
  const SeenRun run(100);
  EventNotes notes(ServerTime(0));
  const auto tell = [&](const Object& event, double ms) { notes.Seen(event, ServerTime(ms)); };
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == 7) continue;  // lost
    Object made = Named("SuccessfulCreate", JobUid(i), ServerTime(PodAt(i)) - 10 * kMs);
    made["note"] = "Created pod: " + PodName(i);
    tell(made, PodAt(i));
    tell(WithTime("Scheduled", PodUid(i), ServerTime(BoundAt(i)) - 5 * kMs), BoundAt(i));
    tell(Named("Pulled", PodUid(i), ServerTime(RunningAt(i)) - 80 * kMs), RunningAt(i));
    tell(Named("Started", PodUid(i), ServerTime(RunningAt(i)) - 30 * kMs), RunningAt(i));
    tell(Named("Completed", JobUid(i), ServerTime(CompleteAt(i)) + 2 * kMs), CompleteAt(i));
  }
  const auto rows = RowsFor(notes, run);
  const auto expect = [&](const char* reason, const char* moment, double seconds) {
    const EvidenceRow row = RowOf(rows, std::string("event ") + reason, moment);
    EXPECT_EQ(row.n, 90U) << reason;
    EXPECT_EQ(row.missing, 10U) << reason;
    EXPECT_EQ(row.inexact, 0U) << reason;
    ASSERT_TRUE(row.median && row.p99) << reason;
    EXPECT_NEAR(*row.median, seconds, 1e-5) << reason;
    EXPECT_NEAR(*row.p99, seconds, 1e-5) << reason;
    EXPECT_NEAR(row.doubt, 0.01, 1e-9) << reason;
  };
  expect("SuccessfulCreate", "pod_created", 0.010);
  expect("Scheduled", "scheduled", 0.005);
  expect("Pulled", "started", 0.080);
  expect("Started", "started", 0.030);
  expect("Completed", "complete", -0.002);
  EXPECT_EQ(RowOf(rows, "event Created", "started").missing, 100U);
  EXPECT_EQ(notes.CountsOf(run.lives()).seen, 450U);
  EXPECT_EQ(notes.CountsOf(run.lives()).foreign, 0U);
}

TEST(Events, CoreOnesAreReadToo) {
  const SeenRun run(1);
  EventNotes notes(ServerTime(0));
  const UnixNs time = ServerTime(RunningAt(0)) - 30 * kMs;
  const Object event = {{"metadata", {{"name", absl::StrFormat("x.%x", time)}}},
                        {"reason", "Started"},
                        {"involvedObject", {{"uid", PodUid(0)}}},
                        {"firstTimestamp", WholeSecond(time)}};
  notes.Seen(event, ServerTime(RunningAt(0)));
  EXPECT_NEAR(*RowOf(RowsFor(notes, run), "event Started", "started").median, 0.030, 1e-5);
}

TEST(Events, OfThoseThatComeTwiceOrDisorderedTheFirstTimeCounts) {
  const SeenRun run(1);
  EventNotes notes(ServerTime(0));
  for (const UnixNs later : {40 * kMs, UnixNs{0}, 20 * kMs}) {
    notes.Seen(WithTime("Scheduled", PodUid(0), ServerTime(BoundAt(0)) + later), ServerTime(50));
  }
  const EvidenceRow row = RowOf(RowsFor(notes, run), "event Scheduled", "scheduled");
  EXPECT_EQ(row.n, 1U);
  EXPECT_NEAR(*row.median, 0.0, 1e-5);
  EXPECT_EQ(notes.CountsOf(run.lives()).seen, 1U);
}

TEST(Events, NamesThatDoNotAgreeWithTheirSecondAreNotBelieved) {
  const UnixNs time = ServerTime(0);
  EXPECT_EQ(ExactTimeOf(Named("Started", "u", time)), time);
  Object other = Named("Started", "u", time);
  other["deprecatedFirstTimestamp"] = WholeSecond(time + 3'000 * kMs);
  EXPECT_EQ(ExactTimeOf(other), std::nullopt);
  for (const char* name :
       {"x", "x.", "x.abc", "x.zzzz", "x.ffffffffffffffff", "x.11111111111111111"}) {
    other = Named("Started", "u", time);
    other["metadata"]["name"] = name;
    EXPECT_EQ(ExactTimeOf(other), std::nullopt) << name;
  }
  EventNotes notes(0);
  notes.Seen(other, time);
  EXPECT_EQ(notes.CountsOf({}).inexact, 1U);
}

TEST(Events, LateForeignAndTooManyAreCounted) {
  const SeenRun run(3);
  EventNotes notes(ServerTime(0), /*most=*/2);
  notes.Seen(WithTime("Scheduled", PodUid(0), ServerTime(30)), ServerTime(30) + kLateEvent + 1);
  notes.Seen(WithTime("Scheduled", "of somebody else", ServerTime(30)), ServerTime(30));
  notes.Seen(WithTime("Scheduled", PodUid(1), ServerTime(30)), ServerTime(30));
  notes.Seen(WithTime("Killing", PodUid(1), ServerTime(30)), ServerTime(30));
  const EventCounts counts = notes.CountsOf(run.lives());
  EXPECT_EQ(counts.seen, 2U);
  EXPECT_EQ(counts.late, 1U);
  EXPECT_EQ(counts.foreign, 1U);
  EXPECT_EQ(counts.left_out, 1U);
}

TEST(Events, FromBeforeTheRunAreOfNoInterest) {
  EventNotes notes(ServerTime(0));
  notes.Seen(WithTime("Scheduled", "old", ServerTime(-1)), ServerTime(0));
  EXPECT_EQ(notes.CountsOf({}).seen, 0U);
  EXPECT_EQ(notes.CountsOf({}).foreign, 0U);
}

TEST(Events, FailedSchedulingIsCountedAndComparedWithNothing) {
  const SeenRun run(1);
  EventNotes notes(ServerTime(0));
  notes.Seen(WithTime("FailedScheduling", PodUid(0), ServerTime(25)), ServerTime(25));
  EXPECT_EQ(notes.CountsOf(run.lives()).failed_scheduling, 1U);
  EXPECT_EQ(RowOf(RowsFor(notes, run), "event Scheduled", "scheduled").missing, 1U);
}

TEST(Events, WhatWasSeenAsAnIntervalIsNotCompared) {
  SeenRun run(1);
  ASSERT_TRUE(run.observer().Tell(input::Plan{"load", JobName(1), 1, At(-1)}).ok());
  run.observer().Tell(input::Sent{"load", JobName(1), At(0)});
  run.observer().Tell(input::Seen{Event::kListed, Bound(PodOf(JobName(1), PodUid(1))), At(5000)});
  EventNotes notes(ServerTime(0));
  notes.Seen(WithTime("Scheduled", PodUid(1), ServerTime(1000)), ServerTime(1000));
  const EvidenceRow row = RowOf(RowsFor(notes, run), "event Scheduled", "scheduled");
  EXPECT_EQ(row.n, 0U);
  EXPECT_EQ(row.inexact, 1U);
  EXPECT_EQ(row.missing, 1U);
}

}  // namespace
}  // namespace twofold::lifecycle
