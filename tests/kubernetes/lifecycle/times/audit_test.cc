#include "kubernetes/lifecycle/times/audit.h"

#include <gtest/gtest.h>

#include "tests/kubernetes/lifecycle/times/seen_run.h"

namespace twofold::lifecycle {
namespace {

Object EntryOf(const std::string& verb, const std::string& resource, const std::string& name,
               UnixNs received, UnixNs done) {
  Object entry = {{"kind", "Event"},
                  {"level", "Metadata"},
                  {"stage", "ResponseComplete"},
                  {"verb", verb},
                  {"objectRef", {{"resource", resource}, {"namespace", "load"}, {"name", name}}},
                  {"responseStatus", {{"code", 201}}},
                  {"requestReceivedTimestamp", Rfc3339(received)},
                  {"stageTimestamp", Rfc3339(done)}};
  if (resource == "jobs") entry["objectRef"]["apiGroup"] = "batch";
  return entry;
}

Object In(Object entry, const std::string& subresource) {
  entry["objectRef"]["subresource"] = subresource;
  return entry;
}

class AuditTest : public ::testing::Test {
 protected:
  void Tell(const Object& entry) { notes_.Line(entry.dump()); }
  EvidenceRow Row(const std::string& source, const std::string& moment) {
    return RowOf(notes_.Rows(kClocks), source, moment);
  }

  static constexpr int kJobs = 50;
  const SeenRun run_{kJobs};
  AuditNotes notes_{*FindKind("job").value(), run_.lives(), ServerTime(-100)};
};

TEST_F(AuditTest, PlantedDifferencesAreRecovered) {
  for (int i = 0; i < kJobs; ++i) {
    if (i == 7) continue;
    Tell(EntryOf("create", "jobs", JobName(i), ServerTime(SentAt(i)) + kMs,
                 ServerTime(CreatedAt(i)) - 3 * kMs));
    Tell(EntryOf("create", "pods", PodName(i), ServerTime(PodAt(i)) - 9 * kMs,
                 ServerTime(PodAt(i)) - 4 * kMs));
    Tell(In(EntryOf("create", "pods", PodName(i), ServerTime(BoundAt(i)) - 8 * kMs,
                    ServerTime(BoundAt(i)) - 2 * kMs),
            "binding"));
  }
  const auto expect = [&](const char* source, const char* moment, double seconds) {
    const EvidenceRow row = Row(source, moment);
    EXPECT_EQ(row.n, 49U) << source << " " << moment;
    EXPECT_EQ(row.missing, 1U) << source << " " << moment;
    ASSERT_TRUE(row.median) << source << " " << moment;
    EXPECT_NEAR(*row.median, seconds, 1e-5) << source << " " << moment;
    EXPECT_NEAR(*row.p99, seconds, 1e-5) << source << " " << moment;
    EXPECT_EQ(row.clock, "API server");
  };
  expect("audit received", "sent", -0.001);
  expect("audit done", "replied", 0.001);
  expect("audit done", "created", 0.003);
  expect("audit done", "pod_created", 0.004);
  expect("audit received", "scheduled", 0.008);
  expect("audit done", "scheduled", 0.002);
  EXPECT_EQ(notes_.counts().matched, 3U * 49U);
}

Object StatusPatch(int i, const Object& status, UnixNs done) {
  Object entry = In(EntryOf("patch", "pods", PodName(i), done - kMs, done), "status");
  entry["responseStatus"]["code"] = 200;
  if (!status.is_null()) entry["requestObject"] = {{"status", status}};
  return entry;
}

TEST_F(AuditTest, TheFirstPatchThatShowsAPhaseIsTheOneThatBroughtIt) {
  const Object running = {{"phase", "Running"}};
  const UnixNs time = ServerTime(RunningAt(0));
  Tell(StatusPatch(0, {{"phase", "Pending"}}, time - 90 * kMs));
  Tell(StatusPatch(0, running, time + 400 * kMs));
  Tell(StatusPatch(0, running, time - 6 * kMs));  // of the log's next file
  EXPECT_NEAR(*Row("audit done", "started").median, 0.006, 1e-5);
  EXPECT_EQ(Row("audit done", "started").n, 1U);
  EXPECT_EQ(Row("audit done", "pod_ready").n, 0U);
}

TEST_F(AuditTest, PatchesWithoutTheirContentAreCountedAndNotGuessed) {
  Tell(StatusPatch(0, {}, ServerTime(RunningAt(0))));
  EXPECT_EQ(notes_.counts().blind, 1U);
  EXPECT_EQ(Row("audit done", "started").n, 0U);
}

TEST_F(AuditTest, NamesThatTheServerMadeComeFromItsAnswerOrAreCounted) {
  Object entry =
      EntryOf("create", "pods", "", ServerTime(PodAt(0)), ServerTime(PodAt(0)) - 4 * kMs);
  entry["objectRef"].erase("name");
  Tell(entry);
  EXPECT_EQ(notes_.counts().unnamed, 1U);
  entry["responseObject"] = {{"metadata", {{"name", PodName(0)}}}};
  Tell(entry);
  EXPECT_EQ(notes_.counts().unnamed, 1U);
  EXPECT_NEAR(*Row("audit done", "pod_created").median, 0.004, 1e-5);
}

TEST_F(AuditTest, TornLinesAreCountedAndTheOthersRead) {
  const std::string whole =
      EntryOf("create", "jobs", JobName(0), ServerTime(0), ServerTime(3)).dump();
  notes_.Line(whole.substr(0, whole.size() / 2));
  notes_.Line(whole.substr(whole.size() / 2));
  notes_.Line("{\"stage\":\"ResponseComplete\",\"verb\":\"create\",\"pods\" }");
  notes_.Line("");
  notes_.Line(whole + "\r");
  EXPECT_EQ(notes_.counts().lines, 4U);
  EXPECT_EQ(notes_.counts().torn, 3U);
  EXPECT_EQ(notes_.counts().matched, 1U);
}

TEST_F(AuditTest, WhatFailedOrIsOfOthersIsNotCompared) {
  Object refused = EntryOf("create", "jobs", JobName(0), ServerTime(0), ServerTime(3));
  refused["responseStatus"]["code"] = 429;
  Tell(refused);
  Tell(EntryOf("create", "jobs", "foreign", ServerTime(0), ServerTime(3)));
  Object received = EntryOf("create", "jobs", JobName(0), ServerTime(0), ServerTime(3));
  received["stage"] = "RequestReceived";
  Tell(received);
  Object other_group = EntryOf("create", "jobs", JobName(0), ServerTime(0), ServerTime(3));
  other_group["objectRef"]["apiGroup"] = "batch.volcano.sh";
  Tell(other_group);
  Object untimed = EntryOf("create", "jobs", JobName(0), ServerTime(0), ServerTime(3));
  untimed.erase("stageTimestamp");
  Tell(untimed);
  Tell(EntryOf("create", "jobs", JobName(0), ServerTime(-101), ServerTime(3)));  // an earlier run's
  Object trial = EntryOf("create", "jobs", JobName(0), ServerTime(0), ServerTime(3));
  trial["requestURI"] = "/apis/batch/v1/namespaces/load/jobs?dryRun=All&fieldManager=twofold";
  Tell(trial);
  EXPECT_EQ(notes_.counts().matched, 0U);
  EXPECT_EQ(Row("audit done", "created").missing, 50U);
}

}  // namespace
}  // namespace twofold::lifecycle
