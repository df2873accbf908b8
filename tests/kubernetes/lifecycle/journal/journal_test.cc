#include "kubernetes/lifecycle/journal/journal.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/journal/journal_lines.h"
#include "kubernetes/lifecycle/journal/record.h"
#include "kubernetes/lifecycle/journal/replay.h"
#include "tests/kubernetes/lifecycle/telling.h"
#include "tests/support/program.h"

namespace twofold::lifecycle {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kBeganNs = 1'790'000'000'000'000'000;

Object RecordObject() {
  Record record;
  record.run = "r1";
  record.space = "load";
  record.kind = "job";
  record.resources = {kube::kJobs};
  record.count = 2;
  record.began_ns = kBeganNs;
  Object object = ToObject(record);
  object["metadata"]["uid"] = "record";
  object["metadata"]["managedFields"] = Object::array({"noise"});
  return object;
}

Anchor TestAnchor() { return {At(0), kBeganNs}; }

std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void AppendText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

class JournalTest : public ::testing::Test {
 protected:
  JournalSettings Options(std::uint32_t limit_mib = 64) { return {folder_ / "journal", limit_mib}; }

  std::unique_ptr<Journal> Begin(std::uint32_t limit_mib = 64) {
    auto journal = Journal::Create(Options(limit_mib));
    EXPECT_TRUE(journal.ok()) << journal.status();
    if (!journal.ok()) return nullptr;
    (*journal)->Write(HeadLine(RecordObject()));
    return *std::move(journal);
  }

  /// A journal of an Observer that was told everything, closed.
  std::string WriteAll() {
    const Kind& kind = *FindKind("job").value();
    Observer observer(kind, "r1");
    const auto journal = Begin();
    observer.SetHearer(HearerOf(*journal, kind, TestAnchor()));
    TellAll(observer, kind, false);
    return Known(observer);
  }

  Result<std::uint64_t> Read(Replay& replay) {
    return ReadJournal(path(), [&](const std::string& line) { return replay.Take(line); });
  }

  std::string path() { return folder_ / "journal"; }

  testing::TempDir folder_;
};

TEST_F(JournalTest, WhoReadsItKnowsWhatTheObserverKnew) {
  const std::string known = WriteAll();
  Replay replay(TestAnchor());
  const auto read = Read(replay);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, FileText(path()).size());
  EXPECT_EQ(replay.observed().With([](Observer& observer) { return Known(observer); }), known);
  EXPECT_EQ(replay.record().uid, "record");
  EXPECT_EQ(replay.record().count, 2);
}

TEST_F(JournalTest, OnlyItsOwnerMayReadIt) {
  WriteAll();
  struct stat file {};
  ASSERT_EQ(stat(path().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0600);
}

TEST_F(JournalTest, WhatWasToldReachesTheFileByItself) {
  const auto journal = Begin();
  EXPECT_TRUE(testing::Await([&] { return absl::StrContains(FileText(path()), "r1"); }));
}

TEST_F(JournalTest, ATornLastLineIsCutOffAndWritingGoesOn) {
  const std::string known = WriteAll();
  const std::string whole = FileText(path());
  const std::string more = LineOf(Tally{}, kBeganNs);
  for (const std::size_t torn : {std::size_t{1}, more.size() / 2, more.size() - 1}) {
    AppendText(path(), more.substr(0, torn));
    Replay replay(TestAnchor());
    {
      const auto journal =
          Journal::Continue(Options(), [&](const std::string& line) { return replay.Take(line); });
      ASSERT_TRUE(journal.ok()) << journal.status();
      EXPECT_EQ(FileText(path()), whole);
    }
    EXPECT_EQ(replay.observed().With([](Observer& observer) { return Known(observer); }), known);
  }
  {
    const auto journal = Journal::Continue(Options(), [](const std::string&) { return Status(); });
    ASSERT_TRUE(journal.ok());
    (*journal)->Write(more);
  }
  EXPECT_EQ(FileText(path()), whole + more);
}

TEST_F(JournalTest, ALineThatIsWrongIsNamed) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"nonsense", "line 2: it is no JSON object"},
      {"[]", "line 2: it is no JSON object"},
      {R"({"do": "sent", "t": -1})", "line 2: t"},
      {R"({"do": "sent", "t": 99999999999999999999})", "line 2: t"},
      {R"({"do": "sent", "t": 9223372036854775808})", "line 2: t"},
      {R"({"do": "dance", "t": 1})", "line 2: do: 'dance'"},
      {R"({"do": "seen", "t": 1})", "line 2: object"},
      {R"({"do": "seen", "t": 1, "object": {}, "event": "x"})", "line 2: event"},
      {R"({"do": "canary_written", "t": 1, "name": "c"})", "line 2: replied"},
      {R"({"do": "plan", "t": 1, "space": "load", "name": "w", "slots": 99999999999})",
       "line 2: plan.slots"},
      {R"({"t": "1", "dance": {}})", "line 2: dance"},
      {R"({"t": "-1", "sent": {}})", "line 2: t"},
      {R"({"sent": {}})", "line 2: t"},
      {R"({"t": "1", "seen": {"event": "x", "object": "{}"}})", "line 2: event"},
      {R"({"t": "1", "canary_written": {"name": "c"}})", "line 2: replied"}};
  for (const auto& [line, message] : wrong) {
    std::remove(path().c_str());
    AppendText(path(), HeadLine(RecordObject()) + line + "\n");
    Replay replay(TestAnchor());
    const Status status = Read(replay).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << line << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message)) << line;
  }
}

TEST_F(JournalTest, WhatIsNoJournalIsNotReadAsOne) {
  Replay replay(TestAnchor());
  EXPECT_TRUE(absl::IsNotFound(Read(replay).status()));
  AppendText(path(), "no line break");
  EXPECT_TRUE(absl::IsInvalidArgument(Read(replay).status()));
  AppendText(path(), "\n");
  EXPECT_TRUE(absl::IsInvalidArgument(Read(replay).status()));
  std::remove(path().c_str());
  AppendText(path(), "{\"journal\": 2, \"record\": {}}\n");
  EXPECT_THAT(std::string(Read(replay).status().message()), HasSubstr("version 2"));
  std::remove(path().c_str());
  AppendText(path(), std::string((16 << 20) + 1, 'x'));
  EXPECT_THAT(std::string(Read(replay).status().message()), HasSubstr("longer than 16 MiB"));
}

TEST_F(JournalTest, AFileThatIsThereIsNotWrittenOver) {
  AppendText(path(), "precious");
  EXPECT_TRUE(absl::IsFailedPrecondition(Journal::Create(Options()).status()));
  EXPECT_EQ(FileText(path()), "precious");
}

TEST_F(JournalTest, TwoDoNotWriteOneFile) {
  const auto journal = Begin();
  journal->Flush();
  const auto other = Journal::Continue(Options(), [](const std::string&) { return Status(); });
  EXPECT_TRUE(absl::IsFailedPrecondition(other.status())) << other.status();
}

TEST_F(JournalTest, AtItsLimitItEndsAndSaysSo) {
  const std::string line = LineOf(Tally{}, kBeganNs);
  {
    const auto journal = Begin(1);
    for (std::size_t bytes = 0; bytes < (2 << 20); bytes += line.size()) journal->Write(line);
    journal->Flush();
    EXPECT_THAT(std::string(journal->failure().message()), HasSubstr("--journal-limit"));
  }
  EXPECT_LE(FileText(path()).size(), 1 << 20);
  EXPECT_GT(FileText(path()).size(), (1 << 20) - 2 * line.size());
  Replay replay(TestAnchor());
  ASSERT_TRUE(Read(replay).ok());
  EXPECT_TRUE(replay.tally().full);
}

TEST_F(JournalTest, AFullDiskEndsItAndWhatWasWrittenIsRead) {
  const std::string line = LineOf(Tally{}, kBeganNs);
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 100'000, before.rlim_max };
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  {
    const auto journal = Begin();
    for (std::size_t bytes = 0; bytes < 200'000; bytes += line.size()) journal->Write(line);
    journal->Flush();
    EXPECT_FALSE(journal->failure().ok());
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  Replay replay(TestAnchor());
  EXPECT_TRUE(Read(replay).ok());
}

/// A pod with what servers and kubelets put into it.
Object RealPod() {
  Object pod = WithNoise(OwnedBy(PodOf("big-17", "0f8fad5b-d9cb-469f-a165-70867728950e"), "Job",
                                 "7c9e6679-7425-40de-944b-e07fc1f90ae7"));
  pod["metadata"]["labels"] = {{kRunLabel, "r1"},
                               {kWorkloadLabel, "big-17"},
                               {"batch.kubernetes.io/controller-uid", "7c9e6679-7425-40de-944b"},
                               {"batch.kubernetes.io/job-name", "big-17"},
                               {"job-name", "big-17"}};
  for (const char* type : {"PodReadyToStartContainers", "Initialized", "ContainersReady"}) {
    Put(pod, type, true);
  }
  return pod;
}

TEST_F(JournalTest, TheLifeOfAPodTakesAFewKilobytes) {
  const Kind& kind = *FindKind("job").value();
  const Object pod = RealPod();
  std::size_t bytes = 0;
  for (const Object& version : {pod, Bound(pod), Bound(pod), Running(pod), Ready(pod), Over(pod)}) {
    bytes += LineOf(input::Seen{Event::kModified, version, At(5)}, kind, TestAnchor()).size();
  }
  RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_GT(bytes, 3'000);
  EXPECT_LT(bytes, 8'000) << bytes << "; "
                          << "docs/lifecycle.md says how long a journal is";
}

TEST_F(JournalTest, WhatNoObserverKnowsIsKeptToo) {
  Tally tally;
  tally.sending.sent = 9;
  tally.sending.created = 7;
  tally.sending.late = 1;
  tally.sending.repeated = 2;
  tally.sending.throttled = 3;
  tally.sending.throttled_time = std::chrono::milliseconds(1500);
  tally.sending.refused = {{"Forbidden", 2}};
  tally.sending.refusal = "no";
  tally.breaks = 4;
  tally.resumed = 1;
  tally.watchers = {"a", "b"};
  Replay replay(TestAnchor());
  ASSERT_TRUE(replay.Take(HeadLine(RecordObject())).ok());
  ASSERT_TRUE(replay.Take(LineOf(tally, kBeganNs + 5)).ok());
  EXPECT_EQ(replay.tally(), tally);
  EXPECT_EQ(replay.Latest(), At(0) + Duration(5));
}

TEST_F(JournalTest, ObjectsThatAreNestedWithoutEndDoNotTakeTheStack) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  Replay replay(TestAnchor());
  ASSERT_TRUE(replay.Take(HeadLine(RecordObject())).ok());
  for (const std::string& line :
       {R"({"do":"seen","event":"added","object":{"kind":"Job","a":)" + deep + R"(},"t":1})",
        R"({"t":"1","seen":{"event":"added","object":"{\"kind\":\"Job\",\"a\":)" + deep +
            R"(}"}})"}) {
    EXPECT_TRUE(replay.Take(line).ok()) << replay.Take(line);
  }
}

// A journal as it was written until November 2026: {"do": ...}, and objects inside.
TEST_F(JournalTest, JournalsOfEarlierVersionsAreRead) {
  for (
      const char* line :
      {R"({"journal":1,"record":{"metadata":{"name":"r1","namespace":"load","uid":"record"},
            "data":{"kind":"job","count":"2","resources":"[[\"batch\",\"v1\",\"jobs\",\"Job\"]]"}}})",
       R"({"claims":1,"do":"expect","name":"r1-0","slots":1,"space":"load","t":1790000000000000000})",
       R"({"do":"plan","name":"r1-0","slots":1,"space":"load","t":1790000000005000000,"wave":2})",
       R"({"do":"sent","name":"r1-0","space":"load","t":1790000000006000000})",
       R"({"do":"replied","name":"r1-0","space":"load","t":1790000000009000000})",
       R"({"do":"plan","name":"r1-1","slots":1,"space":"load","t":1790000000005000000})",
       R"({"do":"refused","name":"r1-1","space":"load","t":1790000000009000000,"why":"no quota"})",
       R"({"do":"listing","name":"Job","t":1790000000009000000})",
       R"({"do":"listed","name":"Job","t":1790000000010000000})",
       R"({"do":"seen","event":"added","object":{"kind":"Job","metadata":{"name":"r1-0","namespace":"load",
            "uid":"j","labels":{"twofold/run":"r1"}}},"other":1790000000007000000,"t":1790000000020000000})",
       R"({"do":"alive","name":"Job","t":1790000000021000000})",
       R"({"do":"canary_written","name":"c 1","other":1790000000023000000,"t":1790000000022000000})",
       R"({"do":"canary_seen","name":"c 1","t":1790000000024000000})",
       R"({"do":"resume","t":1790000000025000000})",
       R"({"breaks":4,"created":1,"do":"tally","late":0,"refusal":"no quota","refused":{"Forbidden":1},"repeated":0,
            "resumed":1,"sent":2,"t":1790000000026000000,"throttled":3,"throttled_ns":1500000000,"watchers":["a"]})",
       R"({"do":"full"})"}) {
    std::string one = line;
    std::erase(one, '\n');
    AppendText(path(), one + "\n");
  }
  Replay replay(TestAnchor());
  ASSERT_TRUE(Read(replay).ok()) << Read(replay).status();
  EXPECT_EQ(replay.record().uid, "record");
  EXPECT_EQ(replay.tally().sending.refused.at("Forbidden"), 1U);
  EXPECT_EQ(replay.tally().sending.throttled_time, std::chrono::milliseconds(1500));
  EXPECT_EQ(replay.tally().watchers, std::set<std::string>{"a"});
  EXPECT_TRUE(replay.tally().full);
  EXPECT_DOUBLE_EQ(Ms(replay.Latest()), 26);
  replay.observed().With([](Observer& observer) {
    ASSERT_EQ(observer.lives().size(), 2U);
    const Life& life = observer.lives().front();
    EXPECT_EQ(life.uid, "j");
    EXPECT_EQ(life.planned.claims, 1U);
    EXPECT_DOUBLE_EQ(Ms(Of(life.own, Moment::kPlanned)->at), 5);
    EXPECT_DOUBLE_EQ(Ms(Of(life.own, Moment::kCreated)->after), 7);
    EXPECT_DOUBLE_EQ(Ms(Of(life.own, Moment::kCreated)->at), 20);
    EXPECT_EQ(observer.lives().back().refused, "no quota");
    EXPECT_EQ(observer.lags().size(), 1U);
  });
}

}  // namespace
}  // namespace twofold::lifecycle
