#include "suites/mpi_pingpong/mpi_pingpong.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
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
  // With a table of another benchmark behind it, that did not.
  const std::string many = Sample("mpi_pingpong/imb_many.txt");
  const std::size_t table = many.find("# Benchmarking Allreduce");
  const std::size_t next = many.find("# Benchmarking Allreduce", table + 1);
  const auto result = mpi_pingpong::Parse(SavedText(absl::StrReplaceAll(
      text, {{"bytes:   4194304", "bytes:   64"},
             {"\n# All processes", many.substr(table, next - table) + "\n# All processes"}})));
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

Result<Measurements> ReadPingPong(const std::string& text) {
  return FindSuite("mpi-pingpong")->parse(SavedText(text));
}

std::string Imb(const char* benchmark, const char* rows) {
  return absl::StrCat("#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n# Benchmarking ",
                      benchmark, "\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n",
                      rows, "\n# All processes entering MPI_Finalize\n");
}

// It was 4.6 % less, and called NetPIPE.
TEST(MpiPingPongParse, MbytesOfImbBefore2018HaveTwoToTheTwentiethBytes) {
  const auto result = ReadPingPong(Sample("mpi_pingpong/imb_4_0.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->tool, "Intel MPI Benchmarks 4.0 Update 1");
  EXPECT_NEAR(ValueOf(*result, "peak_bandwidth"), 4194304 / 1082.94, 0.02);
  EXPECT_NEAR(result->series[0].rows[15][2], 16384 / 9.76, 2);
  EXPECT_EQ(result->measurements[0].unit, "MB/s");
}

TEST(MpiPingPongParse, MbytesSince2018AreMillions) {
  const auto result = ReadPingPong(Sample("mpi_pingpong/imb_warning.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "peak_bandwidth"), 616.50);
}

// Sendrecv counts bytes in both directions, Exchange those with both neighbours.
TEST(MpiPingPongParse, TheUnitIsProvenInHoweverManyDirectionsBytesAreCounted) {
  for (const int directions : {1, 2, 4}) {
    const double mibs = directions * 65536 / 100e-6 / 1048576;
    const auto result =
        ReadPingPong(Imb("X", absl::StrCat("65536 10 100.00 ", mibs, "\n").c_str()));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_NEAR(ValueOf(*result, "peak_bandwidth"), directions * 655.36, 0.1) << directions;
  }
}

TEST(MpiPingPongParse, BandwidthOfNetpipeInBothDirectionsIsNotComparedWithThatOfOne) {
  const auto both = ReadPingPong("  0: 65536 bytes 10 times --> 10000.00 Mbps in 100.00 usec\n");
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->measurements[0].dimensions, (Dimensions{{"direction", "both"}}));
  // 2^20 or 10^6: 65536 bytes twice in 100 us.
  EXPECT_NEAR(ValueOf(*both, "peak_bandwidth"), 2 * 655.36, 2 * 655.36 * 0.03);
}

TEST(MpiPingPongParse, ABandwidthOverWhatItsSizeAndTimeSayIsLeftOutAndSaid) {
  const auto result = ReadPingPong(Imb("PingPong",
                                       "16384 10 10.00 1638.40\n32768 10 20.00 99999.00\n"
                                       "65536 10 40.00 1638.40\n131072 10 -80.00 1638.40\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "peak_bandwidth"), 1638.40);
  ASSERT_EQ(result->failures.size(), 2U);
  EXPECT_NE(result->failures[0].reason.find("size 32768: "), std::string::npos);
  EXPECT_NE(result->failures[1].reason.find("below 0"), std::string::npos);
  EXPECT_EQ(result->series[0].rows.size(), 2U);
}

// 0.06 us may have been 0.055: a tenth.
TEST(MpiPingPongParse, RowsOfFewDigitsAreNotHeldAgainstTheirTimes) {
  const auto result = ReadPingPong(
      Imb("PingPong", "64 10 0.06 1163.64\n65536 10 40.00 1638.40\n131072 10 80.00 1638.40\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->failures.empty());
  EXPECT_EQ(result->series[0].rows.size(), 3U);
  const auto few = ReadPingPong(Imb("PingPong", "64 10 0.02 4266.67\n"));
  ASSERT_TRUE(few.ok()) << few.status();
  EXPECT_DOUBLE_EQ(ValueOf(*few, "peak_bandwidth"), 4266.67);
}

TEST(MpiPingPongParse, AWarningBetweenRowsIsSkippedAndSaid) {
  const auto result = ReadPingPong(Sample("mpi_pingpong/imb_warning.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->series[0].rows.size(), 18U);
  ASSERT_EQ(result->notes.size(), 1U);
  EXPECT_NE(result->notes[0].find("UCX  WARN"), std::string::npos);
  // One inside a row has made it unreadable.
  EXPECT_TRUE(FailsWith(ReadPingPong(Imb("PingPong", "8 10 1.0 [1612.5] UCX WARN\n")),
                        "a row that is none"));
}

TEST(MpiPingPongParse, PrefixesCarriageReturnsAndIndentationAreSkipped) {
  for (const char* sample : {"mpi_pingpong/imb.txt", "mpi_pingpong/netpipe.txt"}) {
    const std::string text = Sample(sample);
    const auto plain = ReadPingPong(text);
    ASSERT_TRUE(plain.ok()) << plain.status();
    for (const char* prefix :
         {"[1,0]<stdout>:", "2026-11-20T23:41:55.123456789Z ", "[pod/mpi-0/launcher] ", "      "}) {
      const auto result = ReadPingPong(Prefixed(prefix, text));
      ASSERT_TRUE(result.ok()) << prefix << result.status();
      EXPECT_EQ(result->measurements, plain->measurements) << prefix;
    }
    const auto windows = ReadPingPong(absl::StrReplaceAll(text, {{"\n", "\r\n"}}));
    ASSERT_TRUE(windows.ok()) << windows.status();
    EXPECT_EQ(windows->measurements, plain->measurements);
  }
}

// mpirun puts its tag into the middle of rows, too.
TEST(MpiPingPongParse, RowsOfNetpipeAreReadThroughTheTagsOfMpirun) {
  const auto result = ReadPingPong(Sample("mpi_pingpong/netpipe_tagged.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->series.size(), 1U);
  EXPECT_EQ(result->series[0].rows.front(),
            (std::vector<double>{1, 17.35, 0.44 / 8 * 1048576 / 1e6}));
  EXPECT_TRUE(result->failures.empty());
}

TEST(MpiPingPongParse, TwoRunsAreTwoDocuments) {
  for (const char* sample : {"mpi_pingpong/imb.txt", "mpi_pingpong/netpipe.txt"}) {
    const std::string text = Sample(sample);
    EXPECT_TRUE(FailsWith(ReadPingPong(text + text), "2 runs in one document")) << sample;
    const auto runs = EachRun("mpi-pingpong", text + text);
    ASSERT_EQ(runs.size(), 2U) << sample;
    ASSERT_TRUE(runs[0].ok() && runs[1].ok()) << runs[0].status();
    EXPECT_EQ(runs[0]->measurements, runs[1]->measurements);
  }
  Outputs files = EndedWell("mpi_pingpong/imb.txt");
  files.stages.push_back(files.stages[0]);
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(files), "outputs of 2 runs, not of 1"));
}

TEST(MpiPingPongParse, EverySizeAndTheToolOfTheSpecAreThere) {
  Outputs outputs = EndedWell("mpi_pingpong/imb.txt");
  outputs.spec = R"({"maxlog": 16, "tool": "netpipe"})";
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(outputs), "not of netpipe"));
  outputs.spec = R"({"maxlog": 16})";
  std::string& text = outputs.stages[0].out;
  const std::size_t row = text.find("         1024 ");
  ASSERT_NE(row, std::string::npos);
  text.erase(row, text.find('\n', row) + 1 - row);
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(outputs), "no row of size 1024"));
  outputs = EndedWell("mpi_pingpong/netpipe.txt");
  outputs.spec = R"({"maxlog": 16, "tool": "netpipe"})";
  EXPECT_TRUE(mpi_pingpong::Parse(outputs).ok());
  outputs.spec = R"({"maxlog": 18, "tool": "netpipe"})";
  EXPECT_TRUE(FailsWith(mpi_pingpong::Parse(outputs), "ends before size 262144"));
}

TEST(MpiPingPongParse, AWholeSentenceOfMpirunIsTheReason) {
  constexpr char kNoProgram[] =
      "--------------------------------------------------------------------------\n"
      "mpirun was unable to find the specified executable file, and therefore\n"
      "did not launch the job.  This error was first reported for process\n"
      "rank 0; it may have occurred for other processes as well.\n"
      "--------------------------------------------------------------------------\n";
  const auto reason = [](const std::string& text) {
    return std::string(ReadPingPong(text).status().message());
  };
  EXPECT_EQ(reason(kNoProgram),
            "pingpong: mpirun was unable to find the specified executable file, and therefore did "
            "not launch the job.");
  EXPECT_EQ(
      reason(Sample("osu/errors/no-such-program.txt")),
      "pingpong: mpirun was unable to launch the specified application as it could not access "
      "or execute an executable: Executable: ./osu_nothing Node: worker-0");
  EXPECT_EQ(reason(Sample("osu/errors/no-slots.txt")),
            "pingpong: There are not enough slots available in the system to satisfy the 64 slots "
            "that were requested by the application: osu_hello");
}

// Real words of one that was killed; mpirun ends with 137.
TEST(MpiPingPongParse, ARankThatWasKilledIsNamedByMpirun) {
  Outputs outputs = SavedText(Sample("mpi_pingpong/killed.out"));
  outputs.stages[0].err = Sample("mpi_pingpong/killed.err");
  constexpr char kReason[] =
      "mpirun noticed that process rank 1 with PID 0 on node worker-0 exited on signal 9 (Killed).";
  EXPECT_TRUE(FailsWith(FindSuite("mpi-pingpong")->parse(outputs), kReason));
  outputs.stages[0].exit_code = 137;
  EXPECT_TRUE(FailsWith(FindSuite("mpi-pingpong")->parse(outputs), kReason));
}

// However whole the table is.
TEST(MpiPingPongParse, ARankThatWasKilledFailsTheJob) {
  for (const char* sample : {"mpi_pingpong/imb.txt", "mpi_pingpong/netpipe.txt"}) {
    for (const int rank : {0, 1}) {
      const std::string killed =
          absl::StrCat("mpirun noticed that process rank ", rank, " with PID 0 on node worker-",
                       rank, " exited on signal 9 (Killed).\n");
      const std::string words = absl::StrCat("process rank ", rank);
      EXPECT_TRUE(FailsWith(ReadPingPong(Sample(sample) + killed), words));
      Outputs outputs = EndedWell(sample);
      outputs.stages[0].err += killed;
      outputs.stages[0].exit_code = 137;
      EXPECT_TRUE(FailsWith(FindSuite("mpi-pingpong")->parse(outputs), words));
    }
    Outputs outputs = Saved(sample);
    outputs.stages[0].signal = 9;
    EXPECT_TRUE(FailsWith(FindSuite("mpi-pingpong")->parse(outputs), "killed by signal 9"));
  }
}

}  // namespace
}  // namespace twofold::suite
