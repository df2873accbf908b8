#include "cli/local/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "cli/local/log_file.h"
#include "tests/cli/local/fake_programs.h"

namespace twofold::local {
namespace {

using ::testing::HasSubstr;

constexpr const char* kStubborn = "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.02; done\n";

class ClusterTest : public FakePrograms {
 protected:
  void SetUp() override {
    FakePrograms::SetUp();
    policy_.first_backoff = std::chrono::milliseconds(20);
    policy_.most_backoff = std::chrono::milliseconds(20);
    policy_.grace = std::chrono::milliseconds(200);
  }

  void TearDown() override {
    if (cluster_) {
      cluster_->Stop(Now());
      EXPECT_TRUE(Until([&] { return cluster_->Stopped(); }));
    }
    FakePrograms::TearDown();
  }

  void Start() { cluster_.emplace(folder_, Plan(), policy_); }

  // Drives the cluster until the condition holds; false after a time that is plenty.
  bool Until(const std::function<bool()>& condition) {
    for (const Instant deadline = Now() + std::chrono::seconds(60); Now() < deadline;) {
      cluster_->Step(Now());
      cluster_->Reap(Now());
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

  DeploymentStatus Of(const std::string& name) { return cluster_->Find(name).value(); }

  std::string Log(const std::string& process) {
    return Tail(folder_.LogFile(process), 100).value_or("");
  }

  DeploymentPolicy policy_;
  std::optional<Cluster> cluster_;
};

TEST_F(ClusterTest, OthersStartWithTheAddressesOfTheFrontend) {
  Start();
  ASSERT_TRUE(Until([&] { return Of("c")["ready"] == 1 && !Log("b-0").empty(); }));
  EXPECT_EQ(Of("f")["ready"], 1);
  EXPECT_EQ(Of("f")["addresses"]["http"], "127.0.0.1:4711");
  EXPECT_EQ(Log("b-0"), "b-0 --frontend w:1\n");
}

TEST_F(ClusterTest, BackendIsReadyWhenRegisteredOnly) {
  Start();
  ASSERT_TRUE(Until([&] { return Of("b")["running"] == 1; }));
  EXPECT_EQ(Of("b")["ready"], 0);
  cluster_->SetRegistrations(cluster_->generation(), {{"q", 1}});
  EXPECT_EQ(Of("b")["ready"], 1);
  cluster_->SetRegistrations(cluster_->generation(), {{"q", 5}});
  EXPECT_EQ(Of("b")["ready"], 1);
}

TEST_F(ClusterTest, RegistrationsFromBeforeAChangeAreIgnored) {
  Start();
  ASSERT_TRUE(Until([&] { return Of("b")["running"] == 1 && Of("c")["running"] == 1; }));
  const auto before = cluster_->generation();
  ASSERT_TRUE(cluster_->Scale("b", 2).ok());
  ASSERT_TRUE(Until([&] { return Of("b")["running"] == 2; }));
  cluster_->SetRegistrations(before, {{"q", 2}});
  EXPECT_EQ(Of("b")["ready"], 0);
}

TEST_F(ClusterTest, RestartedServerKeepsItsPortsAndIsCounted) {
  Start();
  ASSERT_TRUE(Until([&] { return Of("c")["ready"] == 1; }));
  kill(Of("f")["pids"].at(0), SIGKILL);
  ASSERT_TRUE(Until([&] { return Of("f")["restarts"] == 1 && Of("f")["ready"] == 1; }));
  EXPECT_THAT(Of("f")["last_exit"].get<std::string>(), HasSubstr("signal 9"));
  EXPECT_THAT(Log("f-0"), HasSubstr("--http-address 127.0.0.1:4711"));
  EXPECT_EQ(Of("c")["restarts"], 0);
}

TEST_F(ClusterTest, ScalesUpAndDown) {
  Start();
  ASSERT_TRUE(Until([&] { return Of("b")["running"] == 1; }));
  ASSERT_TRUE(cluster_->Scale("b", 4).ok());
  ASSERT_TRUE(Until([&] { return Of("b")["running"] == 4 && !Log("b-3").empty(); }));
  ASSERT_TRUE(cluster_->Scale("b", 1).ok());
  ASSERT_TRUE(Until([&] { return Of("b")["terminating"] == 0 && Of("b")["pids"].size() == 1; }));
  EXPECT_EQ(Of("b")["running"], 1);
  EXPECT_EQ(Of("b")["restarts"], 0);
}

TEST_F(ClusterTest, WhatIgnoresTheRequestToEndIsKilled) {
  WriteProgram("backend", kStubborn);
  Start();
  ASSERT_TRUE(Until([&] { return Of("b")["running"] == 1; }));
  const pid_t pid = Of("b")["pids"].at(0);
  ASSERT_TRUE(cluster_->Scale("b", 0).ok());
  ASSERT_TRUE(Until([&] { return Of("b")["pids"].empty(); }));
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST_F(ClusterTest, AProgramThatCannotRunSaysSoInItsLog) {
  WriteProgram("backend", "#!/nonexistent\n");
  Start();
  ASSERT_TRUE(Until([&] { return Of("b")["restarts"] >= 2; }));
  EXPECT_EQ(Of("b")["last_exit"], "exit code 127");
  EXPECT_THAT(Log("b-0"), HasSubstr("cannot run"));
}

TEST_F(ClusterTest, WhatIsKilledStaysAwayUntilItIsRevivedAtItsPorts) {
  Start();
  ASSERT_TRUE(Until([&] { return Of("c")["ready"] == 1; }));
  ASSERT_TRUE(cluster_->Signal("f", SIGKILL).ok());
  ASSERT_TRUE(Until([&] { return Of("f")["pids"].empty(); }));
  EXPECT_EQ(Of("f")["held"], true);
  EXPECT_THAT(Of("f")["last_exit"].get<std::string>(), HasSubstr("signal 9"));
  const auto status = cluster_->Signal("f", SIGKILL);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  ASSERT_TRUE(cluster_->Revive("f", Now()).ok());
  ASSERT_TRUE(Until([&] { return Of("f")["ready"] == 1; }));
  EXPECT_THAT(Log("f-0"), HasSubstr("--http-address 127.0.0.1:4711"));
  EXPECT_EQ(Of("f")["held"], false);
}

TEST_F(ClusterTest, WhatIsStoppedGoesOnWhenItIsRevived) {
  Start();
  ASSERT_TRUE(Until([&] { return Of("c")["ready"] == 1; }));
  const pid_t pid = Of("c")["pids"].at(0);
  const auto state = [&] {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string word;
    file >> word >> word >> word;
    return word;
  };
  ASSERT_TRUE(cluster_->Signal("c", SIGSTOP).ok());
  EXPECT_TRUE(Until([&] { return state() == "T"; }));
  ASSERT_TRUE(cluster_->Revive("c", Now()).ok());
  EXPECT_TRUE(Until([&] { return state() != "T"; }));
  EXPECT_EQ(Of("c")["pids"].at(0), pid);
}

TEST_F(ClusterTest, UnknownNamesAndOtherKindsAreRefused) {
  Start();
  EXPECT_EQ(cluster_->Scale("x", 1).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(cluster_->Scale("f", 2).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(cluster_->Signal("x", SIGKILL).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(cluster_->Revive("x", Now()).code(), absl::StatusCode::kNotFound);
}

/// A database "d" and two frontends on it, "f-1" and "f-2".
class SharedClusterTest : public ClusterTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    WriteProgram("database", kDatabase);
    WriteProgram("named", kNamed);
    const std::string file = root_ / "pid";
    std::vector<DeploymentSpec> plan = {
        {"d", Kind::kDatabase, "", 1, root_ / "database", {}, {file}}};
    plan[0].pid_file = file;
    plan[0].serves = {{"store", "postgresql:there"}};
    plan[0].stop_signal = SIGINT;
    for (const char* name : {"f-1", "f-2"}) {
      plan.push_back({name,
                      Kind::kFrontend,
                      "",
                      1,
                      root_ / "named",
                      {{"http", "127.0.0.1:0"}},
                      {"--store", "{store}", "--name", name}});
    }
    plan.push_back({"b", Kind::kBackend, "q", 2, root_ / "backend", {}, {"{worker}"}});
    plan.push_back({"c", Kind::kBackend, "q", 1, root_ / "backend", {}, {"{client}"}});
    cluster_.emplace(folder_, plan, policy_);
  }

  bool AllRun() {
    return Until([&] {
      return Of("b")["running"] == 2 && !Log("b-0").empty() && !Log("b-1").empty() &&
             !Log("c-0").empty();
    });
  }

  // Its PID file is that of an earlier one at first.
  static constexpr const char* kDatabase = R"(#!/bin/sh
trap 'echo fast; exit 0' INT
trap '' TERM
printf '1\n\n\n\n\n\n\nready   \n' > "$1"
sleep 0.1
printf '%s\n\n\n\n\n\n\nready   \n' $$ > "$1.new"
mv "$1.new" "$1"
echo serves
while :; do sleep 0.02; done
)";
  static constexpr const char* kNamed = R"(#!/bin/sh
trap 'exit 0' TERM
echo "$*"
while [ $# -gt 0 ]; do
  [ "$1" = --ready-file ] && ready=$2
  [ "$1" = --name ] && name=$2
  shift
done
printf '{"http": "h:%s", "client": "client:%s", "worker": "worker:%s"}' $name $name $name > "$ready.new"
mv "$ready.new" "$ready"
while :; do sleep 0.02; done
)";
};

TEST_F(SharedClusterTest, FrontendsStartWithTheAddressOfTheDatabaseOnceItServes) {
  ASSERT_TRUE(Until([&] { return Of("f-2")["ready"] == 1; }));
  EXPECT_EQ(Of("d")["ready"], 1);
  EXPECT_TRUE(Until([&] { return Log("d-0") == "serves\n"; }));
  EXPECT_THAT(Log("f-1-0"), HasSubstr("--store postgresql:there --name f-1"));
}

TEST_F(SharedClusterTest, OthersKnowAllFrontendsEachInTurnFirst) {
  ASSERT_TRUE(AllRun());
  EXPECT_EQ(Log("b-0"), "b-0 worker:f-2,worker:f-1\n");
  EXPECT_EQ(Log("b-1"), "b-1 worker:f-1,worker:f-2\n");
  EXPECT_EQ(Log("c-0"), "c-0 client:f-1,client:f-2\n");
}

TEST_F(SharedClusterTest, TheFrontendsServiceIsOneThatServes) {
  ASSERT_TRUE(Until([&] { return Of("f-1")["ready"] == 1 && Of("f-2")["ready"] == 1; }));
  EXPECT_EQ(cluster_->FindService("frontend").value()["name"], "f-1");
  ASSERT_TRUE(cluster_->Signal("f-1", SIGKILL).ok());
  ASSERT_TRUE(Until([&] { return Of("f-1")["ready"] == 0; }));
  EXPECT_EQ(cluster_->FindService("scalability-tester-frontend").value()["name"], "f-2");
  EXPECT_EQ(cluster_->FindService("f-1").value()["name"], "f-1");
  EXPECT_EQ(cluster_->FindService("frontent").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SharedClusterTest, TheDatabaseEndsLastByItsOwnSignal) {
  ASSERT_TRUE(AllRun());
  cluster_->Stop(Now());
  ASSERT_TRUE(Until([&] { return Of("f-1")["pids"].empty() || Of("d")["pids"].empty(); }));
  EXPECT_EQ(Of("d")["terminating"], 0);
  EXPECT_TRUE(Until([&] { return cluster_->Stopped(); }));
  EXPECT_EQ(Log("d-0"), "serves\nfast\n");
}

}  // namespace
}  // namespace twofold::local
