#include <gtest/gtest.h>

#include <set>

#include "suites/osu/osu.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

TEST(OsuPlan, TestsForTwoRunOnTwoWorkersAndTheOthersOnAll) {
  const auto plan = FindSuite("osu")->plan(
      R"({"tests": ["latency", "osu_allreduce", "init"], "ranks": 6, "ranksPerNode": 2,
          "iterations": 100, "warmup": 10, "sizes": "8:65536", "extraArgs": ["-f"]})",
      GangOf(3));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("osu/plan_mixed.txt", Text(*plan));
}

TEST(OsuPlan, OneWorkerHoldsBothRanksOfAPair) {
  const auto plan = FindSuite("osu")->plan(R"({"tests": ["bw"], "ranks": 2, "ranksPerNode": 2,
                                  "network": "10.0.0.0/24"})",
                                           GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("osu/plan_one_worker.txt", Text(*plan));
}

TEST(OsuPlan, WorkersWithOneAddressAreOneHost) {
  Gang gang = GangOf(2);
  gang.members[1].address = gang.members[0].address;
  const auto plan = FindSuite("osu")->plan(R"({"tests": ["bw"]})", gang);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_NE(Text(*plan).find("--host 10.0.0.1:2 -np 2"), std::string::npos) << Text(*plan);
}

TEST(OsuPlan, WorkersWithIpv6AddressesHaveNoColonThatEndsAHost) {
  Gang gang = GangOf(2);
  gang.members[0].address = "fd00::1";
  gang.members[1].address = "fd00::2";
  const auto plan = FindSuite("osu")->plan(R"({"tests": ["bw"]})", gang);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_NE(Text(*plan).find("--host fd00--1:1,fd00--2:1 -np 2"), std::string::npos) << Text(*plan);
}

TEST(OsuPlan, EveryTestCanBeAskedForByEitherName) {
  std::set<std::string_view> names;
  for (const osu::Test& test : osu::Tests()) {
    names.insert(test.name);
    for (const std::string_view name : {test.name, test.name.substr(4)}) {
      const std::string spec = R"({"ranks": 4, "tests": [")" + std::string(name) + "\"]}";
      const auto plan = FindSuite("osu")->plan(spec, GangOf(4));
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->ranks[0].stages.at(0).name, test.name);
    }
  }
  EXPECT_EQ(names.size(), 63U);
}

TEST(OsuPlan, ATestThatFailsDoesNotStopTheOthers) {
  const auto plan = FindSuite("osu")->plan("", GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->ranks[0].stages.size(), 9U);  // metrics-operator's list
  for (const Stage& stage : plan->ranks[0].stages) EXPECT_TRUE(stage.goes_on) << stage.name;
}

TEST(OsuPlan, ArgumentsThatStartProgramsOrReachFilesAreUnlisted) {
  const auto listed =
      FindSuite("osu")->plan(R"({"extraArgs": ["-f", "-T", "mpi_int", "-i100", "--type=all"],
      "mpirunArgs": ["--report-bindings", "-x", "UCX_TLS=tcp"]})",
                             GangOf(2));
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_TRUE(listed->unlisted.empty());
  const auto plan = FindSuite("osu")->plan(
      R"({"extraArgs": ["-G", "png", "-fP", "--papi=X:/tmp/x", "-l", "/etc/passwd"],
      "mpirunArgs": ["--mca", "plm_rsh_agent", "sh"]})",
      GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->unlisted,
            (std::vector<std::string>{"mpirunArgs: '--mca plm_rsh_agent sh'", "extraArgs: '-G'",
                                      "extraArgs: '-fP'", "extraArgs: '--papi=X:/tmp/x'",
                                      "extraArgs: '-l'", "extraArgs: '/etc/passwd'"}));
}

TEST(OsuPlan, AnAddressThatIsNoneIsRefused) {
  for (const char* address : {"-x", "a b", "a,b", "a;b", "$(a)"}) {
    Gang gang = GangOf(2);
    gang.members[1].address = address;
    EXPECT_FALSE(FindSuite("osu")->plan("", gang).ok()) << address;
  }
}

TEST(OsuSpec, RanksWithWhichATestHangsOrFailsAreRefused) {
  for (const auto& [spec, words] :
       {std::pair{R"({"tests": ["mbw_mr"], "ranks": 3})", "osu_mbw_mr needs an even number"},
        std::pair{R"({"tests": ["multi_lat"], "ranks": 1})", "osu_multi_lat needs an even number"},
        std::pair{R"({"tests": ["latency"], "ranks": 1})", "osu_latency needs two at least"},
        std::pair{R"({"tests": ["allreduce"], "ranks": 1})", "osu_allreduce needs two at least"},
        std::pair{R"({"tests": ["bw_fan_in"], "ranks": 2, "ranksPerNode": 2})",
                  "osu_bw_fan_in needs two workers"},
        std::pair{R"({"tests": ["neighbor_allgather"], "ranks": 2})",
                  "osu_neighbor_allgather needs three"}}) {
    const auto checked = FindSuite("osu")->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_NE(std::string(checked.status().message()).find(words), std::string::npos)
        << checked.status();
  }
}

TEST(OsuSpec, WhatIsWrongIsNamed) {
  for (const auto& [spec, words] :
       {std::pair{R"({"tests": ["ping"]})", "tests: 'ping' is no OSU test"},
        std::pair{R"({"tests": ["bw", "osu_bw"]})", "tests: 'osu_bw' is there twice"},
        std::pair{R"({"sizes": "9:8"})", "sizes: '9:8'"},
        std::pair{R"({"sizes": "1k"})", "sizes: '1k'"},
        std::pair{R"({"sizes": ":"})", "sizes: ':'"},
        std::pair{R"({"ranksPerNode": 0})", "ranksPerNode: 0"},
        std::pair{R"({"transport": "tcp"})", "transport: 'tcp' is none of TCP, RDMA"}}) {
    const auto checked = FindSuite("osu")->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_NE(std::string(checked.status().message()).find(words), std::string::npos)
        << checked.status();
  }
}

TEST(OsuSpec, NeedsAsManyWorkersAsItsRanksFill) {
  EXPECT_EQ(*FindSuite("osu")->check(R"({"ranks": 5, "ranksPerNode": 2})"), 3U);
  EXPECT_EQ(*FindSuite("osu")->check(R"({"tests": ["hello"], "ranks": 1})"), 1U);
}

}  // namespace
}  // namespace twofold::suite
