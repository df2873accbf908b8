#include "cli/local/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
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

TEST_F(ClusterTest, UnknownNamesAndOtherKindsAreRefused) {
  Start();
  EXPECT_EQ(cluster_->Scale("x", 1).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(cluster_->Scale("f", 2).code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace twofold::local
