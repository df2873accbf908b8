#include "cli/local/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace twofold::local {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class PlanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) / ("plan_test." + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
    for (const char* name : {"twofold-frontend", "twofold-backend", "twofold-client"}) {
      std::ofstream(folder_ / name) << "#!/bin/sh\n";
      std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
    }
    options_.programs = folder_;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  ClusterOptions options_;
};

TEST_F(PlanTest, FrontendFirstThenBackendAndClientOfEachQueue) {
  options_.queues = "a=1,b=0.5";
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::vector<std::string> names;
  for (const DeploymentSpec& spec : *plan) names.push_back(spec.name);
  EXPECT_THAT(names, ElementsAre("scalability-tester-frontend", "scalability-tester-backend-a",
                                 "scalability-tester-client-a", "scalability-tester-backend-b",
                                 "scalability-tester-client-b"));
  EXPECT_THAT(plan->at(0).arguments, ElementsAre("a", "b"));
  EXPECT_THAT(plan->at(3).arguments, IsSupersetOf({"--queue", "b", "--", "sleep", "0.5"}));
}

TEST_F(PlanTest, TimesMayBeDistributionsWithCommasOfTheirOwn) {
  options_.queues = "a=lognormal:0.1,0.5,b=bimodal:0.05,1,10%,c=exponential:0.2,d=1";
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->at(0).arguments, ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(plan->at(1).arguments.back(), "lognormal:0.1,0.5");
  EXPECT_EQ(plan->at(3).arguments.back(), "bimodal:0.05,1,10%");
  EXPECT_EQ(plan->at(5).arguments.back(), "exponential:0.2");
}

TEST_F(PlanTest, WorkersOfAQueueWithoutSecondsRunTheWorkload) {
  options_.queues = "a,b=1";
  options_.workload = {"gpu", "{}"};
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->at(1).arguments, IsSupersetOf({"--queue", "a", "--", "gpu", "{}"}));
  EXPECT_THAT(plan->at(3).arguments, IsSupersetOf({"--queue", "b", "--", "sleep", "1"}));
  options_.queues = "b=1";
  EXPECT_THAT(std::string(MakePlan(options_).status().message()),
              HasSubstr("'gpu' is for no queue"));
}

TEST_F(PlanTest, AClusterForARunHasAStoreAndNoLoadClient) {
  options_.run = RunCluster{"fio", {"fio", "--x"}, "/tmp/run.db", "run=a"};
  options_.replicas = 3;
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->size(), 2U);
  EXPECT_THAT(plan->at(0).arguments,
              ElementsAre("--store", "sqlite:/tmp/run.db", "--keep-finished-for", "0",
                          "--keep-finished", "0", "fio"));
  EXPECT_EQ(plan->at(1).replicas, 3);
  const auto& arguments = plan->at(1).arguments;
  ASSERT_GE(arguments.size(), 3U);
  EXPECT_THAT(std::vector<std::string>(arguments.end() - 3, arguments.end()),
              ElementsAre("--", "fio", "--x"));
}

TEST_F(PlanTest, WhatSpecsMayAskForIsToldToTheWorkersOfARun) {
  options_.run =
      RunCluster{.queue = "fio", .workload = {"fio"}, .store = "/tmp/run.db", .label = "a=b"};
  options_.allow = {"--allow-path", "/mnt"};
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto& arguments = plan->at(1).arguments;
  ASSERT_GE(arguments.size(), 4U);
  EXPECT_THAT(std::vector<std::string>(arguments.end() - 4, arguments.end()),
              ElementsAre("--allow-path", "/mnt", "--", "fio"));
}

TEST_F(PlanTest, WhatSpecsMayAskForIsToldToTheWorkersOfAQueue) {
  options_.queues = "object";
  options_.workload = {"object-storage"};
  options_.allow = {"--allow-env", "AWS_*"};
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto& arguments = plan->at(1).arguments;
  EXPECT_THAT(std::vector<std::string>(arguments.end() - 4, arguments.end()),
              ElementsAre("--allow-env", "AWS_*", "--", "object-storage"));
}

TEST_F(PlanTest, StandardPortsOnLoopbackAndClientsCountDown) {
  options_.queues = "a=1,b=1";
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->at(0).listen,
              UnorderedElementsAre(Pair("client", "127.0.0.1:9997"), Pair("http", "127.0.0.1:9998"),
                                   Pair("worker", "127.0.0.1:9999")));
  EXPECT_THAT(plan->at(2).listen, ElementsAre(Pair("http", "127.0.0.1:9996")));
  EXPECT_THAT(plan->at(4).listen, ElementsAre(Pair("http", "127.0.0.1:9995")));
}

TEST_F(PlanTest, FreePortsAreAllZero) {
  options_.free_ports = true;
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok());
  for (const DeploymentSpec& spec : *plan) {
    for (const auto& [key, address] : spec.listen) EXPECT_EQ(address, "127.0.0.1:0") << key;
  }
}

TEST_F(PlanTest, AWorkerHandsItsJobBackBeforeTheKill) {
  options_.grace_seconds = 10;
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->at(1).arguments, IsSupersetOf({"--drain-limit", "8"}));
}

TEST_F(PlanTest, SeveralFrontendsShareAStoreAndTheFirstHasTheUsualPorts) {
  options_.queues = "a=1";
  options_.frontends = 3;
  options_.postgres = true;
  options_.ttl_seconds = 2.5;
  options_.shards = {"a=2"};
  const auto plan = MakePlan(options_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->size(), 5U);
  EXPECT_EQ(plan->at(0).name, "scalability-tester-frontend-1");
  EXPECT_EQ(plan->at(0).listen.at("client"), "127.0.0.1:9997");
  EXPECT_EQ(plan->at(2).name, "scalability-tester-frontend-3");
  for (const auto& [key, address] : plan->at(2).listen) EXPECT_EQ(address, "127.0.0.1:0") << key;
  EXPECT_THAT(plan->at(2).arguments, ElementsAre("--store", "{store}", "--name", "frontend-3",
                                                 "--ttl", "2.5", "--shards", "a=2", "a"));
}

TEST_F(PlanTest, OneFrontendMayHaveAnyStore) {
  options_.queues = "a=1";
  options_.store = "sqlite:jobs.db";
  EXPECT_THAT(MakePlan(options_)->at(0).arguments, ElementsAre("--store", "sqlite:jobs.db", "a"));
  options_.store.clear();
  options_.store_file = "store";
  EXPECT_THAT(MakePlan(options_)->at(0).arguments, ElementsAre("--store-file", "store", "a"));
}

TEST_F(PlanTest, SeveralFrontendsNeedAStoreThatTheyCanShare) {
  options_.frontends = 2;
  for (const char* store : {"", "sqlite:jobs.db"}) {
    options_.store = store;
    EXPECT_THAT(std::string(MakePlan(options_).status().message()),
                HasSubstr("--frontends 2: several frontends share a PostgreSQL database"));
  }
  options_.store = "postgresql://localhost/jobs";
  EXPECT_TRUE(MakePlan(options_).ok());
  options_.postgres = true;
  EXPECT_THAT(std::string(MakePlan(options_).status().message()), HasSubstr("no --store"));
}

TEST_F(PlanTest, MissingProgramIsNamed) {
  std::filesystem::remove(folder_ / "twofold-client");
  const auto plan = MakePlan(options_);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("twofold-client"));
}

TEST(IsCalled, ByTheWholeNameOrWithoutThePrefix) {
  EXPECT_TRUE(IsCalled("scalability-tester-backend-a", "scalability-tester-backend-a"));
  EXPECT_TRUE(IsCalled("scalability-tester-backend-a", "backend-a"));
  EXPECT_TRUE(IsCalled("supervisor", "supervisor"));
  EXPECT_FALSE(IsCalled("scalability-tester-backend-a", "a"));
  EXPECT_FALSE(IsCalled("scalability-tester-backend-a-b", "backend-a"));
}

TEST(Queues, SayWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "'' is not a queue name"},    {"a=1,", "'' is not a queue name"},
      {"a", "'' is not a time"},         {"a=", "'' is not a time"},
      {"a=nan", "'nan' is not a time"},  {"a=-1", "'-1' is not a time"},
      {"a=exp:,b=1", "'exp:' is wrong"}, {"a=lognormal:1,b=1", "'lognormal:1' is wrong"},
      {"a b=1", "'a b' is not a queue"}, {"a=1,a=2", "'a' twice"}};
  for (const auto& [text, message] : cases) {
    ClusterOptions options;
    options.queues = text;
    const auto plan = MakePlan(options);
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(plan.status().message()), HasSubstr(message)) << text;
  }
}

}  // namespace
}  // namespace twofold::local
