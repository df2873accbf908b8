#include "suites/mpi_pingpong/mpi_pingpong.h"

#include <gtest/gtest.h>

#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

TEST(MpiPingPongPlan, RankZeroStartsBothRanksWithoutSsh) {
  const auto plan =
      FindSuite("mpi-pingpong")->plan(R"({"maxlog": 25, "sshPort": 2222})", GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("mpi_pingpong/plan_tcp.txt", Text(*plan));
}

TEST(MpiPingPongPlan, RdmaGoesThroughUcx) {
  const auto plan =
      FindSuite("mpi-pingpong")
          ->plan(
              R"({"transport": "RDMA", "tool": "netpipe", "maxlog": 20, "mpirunArgs": ["--display-map"]})",
              GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("mpi_pingpong/plan_rdma.txt", Text(*plan));
}

TEST(MpiPingPongSpec, WhatIsWrongIsNamed) {
  EXPECT_EQ(*FindSuite("mpi-pingpong")->check("{}"), 2U);
  for (const auto& [spec, words] :
       {std::pair{R"({"maxlog": 31})", "maxlog: 31 is not from 1 to 30"},
        std::pair{R"({"transport": "UDP"})", "transport: 'UDP' is none of TCP, RDMA"},
        std::pair{R"({"tool": "osu"})", "tool: 'osu' is none of imb, netpipe"},
        std::pair{R"({"network": "eth0; reboot"})", "network: 'eth0; reboot'"},
        std::pair{R"({"timeout": 0})", "timeout: 0"}}) {
    const auto checked = FindSuite("mpi-pingpong")->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_NE(std::string(checked.status().message()).find(words), std::string::npos)
        << checked.status();
  }
}

TEST(MpiPingPongParse, RealOutputGivesItsNumbers) {
  ExpectGoldenNumbers("mpi-pingpong", "mpi_pingpong/imb.txt");
  ExpectGoldenNumbers("mpi-pingpong", "mpi_pingpong/netpipe.txt");
}

TEST(MpiPingPongParse, OtherBenchmarksOfImbGiveTheirNumbers) {
  for (const char* name : {"many", "pt2pt", "nbc", "rma", "multi"}) {
    ExpectGoldenNumbers("mpi-pingpong", std::string("mpi_pingpong/imb_") + name + ".txt");
  }
}

// PingPing was read as more rows of PingPong.
TEST(MpiPingPongParse, TablesOfImbAreToldApartByTheirNames) {
  const auto result = mpi_pingpong::Parse(Saved("mpi_pingpong/imb_pt2pt.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->series.size(), 4U);
  EXPECT_EQ(result->series[0].name, "pingpong");
  EXPECT_EQ(result->series[0].rows.size(), 8U);
  EXPECT_EQ(result->series[1].dimensions, (Dimensions{{"benchmark", "PingPing"}, {"ranks", "2"}}));
}

TEST(MpiPingPongParse, CollectiveOfNothingIsNotTheBest) {
  const auto result = mpi_pingpong::Parse(Saved("mpi_pingpong/imb_many.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  for (const Measurement& one : result->measurements) {
    if (one.dimensions.front().second != "Allreduce") continue;
    EXPECT_NE(one.at, (Dimensions{{"size", "0"}}));
  }
}

TEST(MpiPingPongParse, TableThatRanOutOfTimeIsAFailure) {
  const std::string text = Sample("mpi_pingpong/imb_timeout.txt");
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(SavedText(text)), "time-out: Time limit"));
  const auto result = mpi_pingpong::Parse(SavedText(text + Sample("mpi_pingpong/imb_many.txt")));
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->failures.size(), 2U);
  EXPECT_EQ(result->failures[1].stage, "Bcast");
}

TEST(MpiPingPongParse, DefectsAreAFailure) {
  const auto text = [](const char* defects) {
    return std::string(
               "# Benchmarking Bcast\n# #processes = 2\n#bytes #repetitions t_min[usec] "
               "t_max[usec] t_avg[usec] defects\n 4 10 1.0 2.0 1.5 ") +
           defects + "\n# All processes entering MPI_Finalize\n";
  };
  EXPECT_TRUE(mpi_pingpong::Parse(SavedText(text("0.00"))).ok());
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(SavedText(text("3.00"))), "defects in: 4 10"));
}

TEST(MpiPingPongParse, MegaOfNetpipeIsTwoToTheTwentieth) {
  const auto result = mpi_pingpong::Parse(
      SavedText("  0: 4099 bytes 4121 times -->  1781.67 Mbps in 17.55 usec\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  // 4099 bytes in 17.55 us.
  EXPECT_NEAR(ValueOf(*result, "peak_bandwidth"), 4099 / 17.55, 0.05);
}

TEST(MpiPingPongParse, WhereAPeakIsFoundIsNoPartOfWhatItIs) {
  const std::string small = "  0: 4096 bytes 4121 times -->  1781.67 Mbps in 17.55 usec\n";
  const auto once = mpi_pingpong::Parse(
      SavedText(small + "  1: 8192 bytes 4121 times -->  1700.00 Mbps in 36.76 usec\n"));
  const auto again = mpi_pingpong::Parse(
      SavedText(small + "  1: 8192 bytes 4121 times -->  1800.00 Mbps in 34.72 usec\n"));
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(once->measurements[0].dimensions, again->measurements[0].dimensions);
  EXPECT_EQ(once->measurements[0].at, (Dimensions{{"size", "4096"}}));
  EXPECT_EQ(again->measurements[0].at, (Dimensions{{"size", "8192"}}));
}

TEST(MpiPingPongParse, CutOffIsNoNumber) {
  for (const char* sample : {"mpi_pingpong/imb.txt", "mpi_pingpong/imb_multi.txt"}) {
    const std::string text = Sample(sample);
    const std::size_t end = text.find("# All processes");
    for (std::size_t size = 0; size < end; size += 5) {
      EXPECT_FALSE(mpi_pingpong::Parse(SavedText(text.substr(0, size))).ok()) << size;
    }
  }
  EXPECT_TRUE(FailsWith(
      mpi_pingpong::Parse(SavedText("  0:  1 bytes 110521 times -->      8.98 Mbps in \n")),
      "cut off"));
}

TEST(MpiPingPongParse, TheLargestSizeOfTheSpecIsReached) {
  Outputs outputs = EndedWell("mpi_pingpong/imb.txt");
  outputs.spec = R"({"maxlog": 16})";
  EXPECT_TRUE(mpi_pingpong::Parse(outputs).ok());
  outputs.spec = R"({"maxlog": 17})";
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(outputs), "ends before size 131072"));
}

TEST(MpiPingPongParse, AFailureIsInTheWordsOfMpirun) {
  Outputs outputs = Saved("osu/errors/no-slots.txt");
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(outputs), "There are not enough slots available"));
  outputs = Saved("mpi_pingpong/imb.txt");
  outputs.stages[0].exit_code = 110;
  outputs.stages[0].err =
      "The user-provided time limit for job execution has been reached:\n\n  Timeout: 2 seconds\n";
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(outputs), "time limit for job execution"));
  outputs.stages[0].err.clear();
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(outputs), "exit code 110"));
}

TEST(MpiPingPongPlan, ArgumentsThatStartProgramsAreUnlisted) {
  const auto plan = FindSuite("mpi-pingpong")
                        ->plan(R"({"mpirunArgs": ["--mca", "plm_rsh_agent", "sh"]})", GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->unlisted, std::vector<std::string>{"mpirunArgs: '--mca plm_rsh_agent sh'"});
}

}  // namespace
}  // namespace twofold::suite
