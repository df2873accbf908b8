#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include "suites/osu/osu.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

/// One command of a metrics-operator log.
std::string TimePoint(const std::string& command, const std::string& output) {
  return absl::StrCat("METRICS OPERATOR TIMEPOINT\n", command, "\n", output);
}

std::string PodLog(const std::vector<std::string>& points) {
  std::string log =
      "osu-l-0-0.ms\nMETADATA START {\"pods\":4,\"metricName\":\"network-osu-benchmark\"}\n"
      "METADATA END\nMETRICS OPERATOR COLLECTION START\n";
  for (const std::string& point : points) log += point;
  return log + "METRICS OPERATOR COLLECTION END\n";
}

/// A file of osu/errors: exit status, then stdout and stderr under their headings.
Outputs FailedRun(const std::string& name) {
  const std::string text = Sample("osu/errors/" + name);
  const std::size_t out = text.find("## stdout:\n");
  const std::size_t err = text.find("## stderr:\n");
  StageOutput stage;
  stage.exit_code = std::stoi(text.substr(text.find(':') + 1));
  stage.out = text.substr(out + 11, err - out - 11);
  stage.err = text.substr(err + 11);
  Outputs outputs;
  outputs.stages.push_back(stage);
  return outputs;
}

Outputs Named(const std::string& test, const std::string& text, int exit_code) {
  Outputs outputs = SavedText(text);
  outputs.stages[0].stage = test;
  outputs.stages[0].exit_code = exit_code;
  return outputs;
}

TEST(OsuParse, RealOutputGivesItsNumbers) {
  for (const char* name : {"osu_latency-np2", "osu_barrier-np4", "osu_ibarrier-np4",
                           "osu_iallreduce-np4", "osu_mbw_mr-np2", "osu_init-np4",
                           "osu_cas_latency-np2", "osu_latency_mp-np2", "timed_init-np4"}) {
    ExpectGoldenNumbers("osu", absl::StrCat("osu/", name, ".txt"));
  }
}

TEST(OsuParse, OptionsChangeTheColumnsNotTheirMeaning) {
  for (const char* name :
       {"osu_allreduce-Tall-np4", "osu_allreduce-Tfloat-np4", "osu_allreduce-f-np4",
        "osu_allreduce-f-z-np4", "osu_barrier-f-np4", "osu_bw-c-np2", "osu_bw-z-np2",
        "osu_iallreduce-f-np4", "osu_ibarrier-f-np4", "osu_latency-c-np2", "osu_latency-m0-np2",
        "osu_latency-z-np2", "osu_mbw_mr-R0-np4", "osu_mbw_mr-V-np4",
        "osu_put_latency-lock-create-np2"}) {
    ExpectGoldenNumbers("osu", absl::StrCat("osu/", name, ".txt"));
  }
}

TEST(OsuParse, WhereAPeakIsFoundIsNoPartOfWhatItIs) {
  const std::string head = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n";
  const auto once = osu::Parse(SavedText(head + "1  10.0\n2  9.0\n"));
  const auto again = osu::Parse(SavedText(head + "1  10.0\n2  11.0\n"));
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(once->measurements[0].dimensions, again->measurements[0].dimensions);
  EXPECT_EQ(once->measurements[0].at, (Dimensions{{"size", "1"}}));
  EXPECT_EQ(again->measurements[0].at, (Dimensions{{"size", "2"}}));
}

TEST(OsuParse, TestsAreNamedByTheirTitles) {
  for (const auto& [sample, test] : {std::pair{"osu_alltoallv-np3", "osu_alltoallv"},
                                     {"osu_alltoallw-np3", "osu_alltoallw"},
                                     {"osu_ialltoallw-np3", "osu_ialltoallw"},
                                     {"osu_iscatterv-np3", "osu_iscatterv"},
                                     {"osu_reduce_scatter-np3", "osu_reduce_scatter"},
                                     {"osu_neighbor_alltoallw-np4", "osu_neighbor_alltoallw"},
                                     {"osu_latency_mt-np2", "osu_latency_mt"},
                                     {"osu_bw_persistent-np2", "osu_bw_persistent"},
                                     {"osu_bw_fan_in-np3", "osu_bw_fan"},
                                     {"osu_init-np4", "osu_init"}}) {
    const auto result = osu::Parse(Saved(absl::StrCat("osu/", sample, ".txt")));
    ASSERT_TRUE(result.ok()) << sample << ": " << result.status();
    EXPECT_EQ(result->measurements.front().dimensions.front(), (Dimension{"test", test}));
  }
}

TEST(OsuParse, EveryTestButTheFanTestsIsKnownByItsTitle) {
  for (const osu::Test& test : osu::Tests()) {
    const bool fan = test.name.starts_with("osu_bw_fan_");
    const bool shared = fan || test.name == "osu_neighbor_alltoallw";
    EXPECT_EQ(test.title.empty(), shared) << test.name;
    if (shared) continue;
    EXPECT_EQ(osu::FindTitle(test.title), &test) << test.name;
  }
}

TEST(OsuParse, InitWithoutATitleIsNamed) {
  const auto result = osu::Parse(SavedText("nprocs: 2, min: 263, max: 295, avg: 279\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->measurements.front().dimensions, (Dimensions{{"test", "osu_init"}}));
}

TEST(OsuParse, MemoryOfAnAcceleratorIsToldApart) {
  const auto result = osu::Parse(
      SavedText("# OSU MPI-CUDA Latency Test v7.4\n# Size       Avg Latency(us)\n1  4.65\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->measurements.front().dimensions,
            (Dimensions{{"test", "osu_latency"}, {"accelerator", "CUDA"}}));
}

TEST(OsuParse, PersistentCollectivesAreNamed) {
  const auto result = osu::Parse(SavedText(
      "# OSU MPI Allreduce Persistent Latency Test v7.4\n# Size       Avg Latency(us)\n1  4.65\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->measurements.front().dimensions,
            (Dimensions{{"test", "osu_allreduce_persistent"}}));
}

// What a neighborhood test prints before its title is not of the test before.
TEST(OsuParse, NeighborhoodTestAfterAnotherIsToldApart) {
  const auto result = osu::Parse(SavedText(Sample("osu/osu_alltoallw-np3.txt") +
                                           Sample("osu/osu_neighbor_alltoallw-np4.txt")));
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->series.size(), 2U);
  EXPECT_EQ(result->series[0].name, "osu_alltoallw");
  EXPECT_EQ(result->series[1].name, "osu_neighbor_alltoallw");
}

TEST(OsuParse, BandwidthsOfTheFanTestsAreNoLatencies) {
  const auto result = osu::Parse(Saved("osu/osu_bw_fan_in-np3.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->series.at(0).columns.at(1).name, "bandwidth");
  EXPECT_EQ(result->series.at(0).columns.at(1).unit, "MB/s");
}

TEST(OsuParse, HelloHasOnlyItsWallTime) {
  Outputs outputs = EndedWell("osu/osu_hello-np4.txt");
  outputs.stages[0].stage = "osu_hello";
  outputs.stages[0].wall = std::chrono::milliseconds(850);
  const auto result = osu::Parse(outputs);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "wall_time"), 0.85);
  // Version 5.3 prints nothing.
  outputs.stages[0].out.clear();
  EXPECT_TRUE(osu::Parse(outputs).ok());
  outputs.stages[0].stage = "osu_latency";
  EXPECT_TRUE(FailsWith(osu::Parse(outputs), "osu_latency: no output"));
}

TEST(OsuParse, Version5PrintsTheHeadingOfIbarrierWithoutHash) {
  const auto result = osu::Parse(SavedText(
      "# OSU MPI Non-blocking Barrier Latency Test v5.8\n# Overall = Coll. Init + Compute "
      "+ MPI_Test + MPI_Wait\n\nOverall(us)       Compute(us)    Pure Comm.(us)        "
      "Overlap(%)\n        70.70             22.77             20.61              0.50\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "overall"), 70.70);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "overlap"), 0.50);
}

TEST(OsuParse, InitOfVersion5HasNoUnitAndMeansMilliseconds) {
  const auto result =
      osu::Parse(SavedText("# OSU MPI Init Test v5.3\nnprocs: 2, min: 263, max: 295, avg: 279\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "init_avg"), 279);
}

TEST(OsuParse, APodLogHasSeveralTestsWithTheirWallTimes) {
  const auto result = osu::Parse(SavedText(
      PodLog({TimePoint("mpirun --hostfile ./hostfile.txt -np 2 -map-by ppr:1:node "
                        "/opt/osu-benchmark/pt2pt/osu_latency",
                        Sample("osu/osu_latency-np2.txt") +
                            "\nreal\t0m48.187s\nuser\t0m0.087s\nsys\t0m0.221s\n"),
              TimePoint("mpirun -np 4 ./osu_iallreduce", Sample("osu/osu_iallreduce-np4.txt")),
              TimePoint("time mpirun -np 64 ./osu_hello",
                        "This is a test with 64 processes\n\nreal\t1m2.500s\n")})));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->failures.empty());
  EXPECT_DOUBLE_EQ(ValueOf(*result, "wall_time", "osu_latency"), 48.187);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "wall_time", "osu_hello"), 62.5);
  EXPECT_GT(ValueOf(*result, "min_overall", "osu_iallreduce"), 0);
  EXPECT_EQ(result->series.at(0).dimensions, (Dimensions{{"test", "osu_latency"}, {"ranks", "2"}}));
}

TEST(OsuParse, ATestThatFailedInAPodLogIsNamedAndTheOthersKept) {
  const auto result = osu::Parse(SavedText(
      PodLog({TimePoint("mpirun -np 3 ./osu_bw", "This test requires exactly two processes\n"),
              TimePoint("mpirun -np 4 ./osu_barrier", Sample("osu/osu_barrier-np4.txt"))})));
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->failures.size(), 1U);
  EXPECT_EQ(result->failures[0], (Failure{"osu_bw", "This test requires exactly two processes"}));
  EXPECT_DOUBLE_EQ(ValueOf(*result, "latency", "osu_barrier"), 6.36);
}

TEST(OsuParse, APodLogWithoutItsEndIsCutOff) {
  std::string log = PodLog({TimePoint("mpirun ./osu_barrier", Sample("osu/osu_barrier-np4.txt"))});
  log.resize(log.rfind("METRICS OPERATOR"));
  const auto result = osu::Parse(SavedText(log));
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->failures.size(), 1U);
  EXPECT_EQ(result->failures[0].stage, "log");
}

TEST(OsuParse, TestsOneAfterTheOtherAreToldApartByTheirTitles) {
  const auto result =
      osu::Parse(SavedText(Sample("osu/osu_latency-np2.txt") + Sample("osu/osu_barrier-np4.txt")));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(ValueOf(*result, "min_latency", "osu_latency"), 0);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "latency", "osu_barrier"), 6.36);
}

TEST(OsuParse, ATitleThatARunHasAlreadyBeginsTheNext) {
  const std::string tests = Sample("osu/osu_latency-np2.txt") + Sample("osu/osu_barrier-np4.txt");
  const auto plain = ReadText("osu", tests);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_TRUE(FailsWith(ReadText("osu", tests + tests + tests), "two runs in one document"));
  const auto runs = EachRun("osu", tests + tests + tests);
  ASSERT_EQ(runs.size(), 3U);
  for (const auto& run : runs) {
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->measurements, plain->measurements);
  }
}

TEST(OsuParse, AFailedRunSaysWhyAndHasNoNumbers) {
  for (const auto& [name, words] :
       {std::pair{"allreduce-np1.txt", "This test requires at least two processes"},
        std::pair{"as-root.txt", "attempt to run as root"},
        std::pair{"bw_fan_in-one-host.txt", "run this benchmark on more than 1 node"},
        std::pair{"latency-np1.txt", "This test requires exactly two processes"},
        std::pair{"latency-np3.txt", "This test requires exactly two processes"},
        std::pair{"mbw_mr-np3-hangs.txt", "exit code 124"},
        std::pair{"multi_lat-np3-hangs.txt", "exit code 124"},
        std::pair{"no-slots.txt", "There are not enough slots available"},
        std::pair{"no-such-program.txt", "unable to launch the specified application"}}) {
    Outputs outputs = FailedRun(name);
    EXPECT_TRUE(FailsWith(osu::Parse(outputs), words)) << name;
    outputs.stages[0].exit_code = 0;  // as if it were to be trusted
    EXPECT_FALSE(osu::Parse(outputs).ok()) << name;
  }
}

TEST(OsuParse, AHeadingWithoutRowsIsATestThatWasStopped) {
  Outputs outputs = FailedRun("mbw_mr-np3-hangs.txt");
  outputs.stages[0].exit_code.reset();
  EXPECT_TRUE(FailsWith(osu::Parse(outputs), "a table without rows"));
}

TEST(OsuParse, ATableThatEndsBeforeTheSizeOfTheSpecIsNone) {
  Outputs outputs = SavedText(Sample("osu/osu_latency-np2.txt"));
  outputs.spec = R"({"tests": ["latency"], "sizes": "8:1073741824"})";
  EXPECT_TRUE(FailsWith(osu::Parse(outputs), "that were asked for: it was stopped"));
  outputs.stages[0].out.insert(0, "Warning! Limiting max message size to: 4194304. Increase -M\n");
  EXPECT_TRUE(osu::Parse(outputs).ok());
}

TEST(OsuParse, LinesBetweenRowsAreSkippedAndSaid) {
  std::string text = Sample("osu/osu_latency-np2.txt");
  const std::string plain = text;
  text.insert(text.find("\n8 ") + 1, "[node1:77] 3 more processes have sent help message\n");
  ASSERT_NE(text, plain);
  const auto noisy = osu::Parse(SavedText(text));
  ASSERT_TRUE(noisy.ok()) << noisy.status();
  EXPECT_EQ(noisy->measurements, osu::Parse(SavedText(plain))->measurements);
  ASSERT_EQ(noisy->notes.size(), 1U);
  EXPECT_NE(noisy->notes[0].find("3 more processes"), std::string::npos) << noisy->notes[0];
}

TEST(OsuParse, AValidationThatFailedIsAFailure) {
  EXPECT_TRUE(FailsWith(osu::Parse(Saved("osu/osu_allreduce-c-np4.txt")),
                        "osu_allreduce: DATA VALIDATION ERROR"));
  EXPECT_TRUE(FailsWith(
      osu::Parse(SavedText("# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)        "
                           "Validation\n1                       4.65              Fail\n")),
      "validation failed at size 1"));
}

TEST(OsuParse, ThreadedLatencyIsJudgedByItsTable) {
  std::string text = "# OSU MPI Multi-threaded Latency Test v7.4\n# Size       Avg Latency(us)\n";
  for (int size = 1; size <= 4 << 20; size *= 2) absl::StrAppend(&text, size, "      1.50\n");
  EXPECT_TRUE(osu::Parse(Named("osu_latency_mt", text, 1)).ok());
  EXPECT_FALSE(osu::Parse(Named("osu_latency", text, 1)).ok());
  EXPECT_FALSE(osu::Parse(Named("osu_latency_mt", text, 139)).ok());
  // mpirun says of it that it leaves with 1.
  const std::string blame =
      "Primary job terminated, but 1 process returned\na non-zero exit code.\n";
  EXPECT_TRUE(osu::Parse(SavedText(text + blame)).ok());
  EXPECT_FALSE(osu::Parse(SavedText(text + "rank 0 exited on signal 9.\n" + blame)).ok());
  text.resize(text.rfind("4194304"));
  EXPECT_FALSE(osu::Parse(Named("osu_latency_mt", text, 1)).ok());
  Outputs smaller = Named("osu_latency_mt", text, 1);
  smaller.spec = R"({"tests": ["latency_mt"], "sizes": "1:2097152"})";
  EXPECT_TRUE(osu::Parse(smaller).ok());
}

TEST(OsuParse, ARowThatIsCutOffIsNoNumber) {
  const std::string text = Sample("osu/osu_latency-np2.txt");
  const std::size_t first = text.find("\n1 ") + 1;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto result = osu::Parse(SavedText(text.substr(0, size)));
    // Whole rows are as far as a file by itself can tell; see ThreadedLatency... for what a job
    // can.
    const bool whole_row = size > first + 2 && text[size - 1] == '\n';
    EXPECT_EQ(result.ok(), whole_row) << size;
  }
}

TEST(OsuParse, ColumnsThatAreNotKnownAreNotGuessed) {
  EXPECT_FALSE(osu::Parse(SavedText("# OSU MPI Latency Test v9.9\n# Size  Avg Latency(ns)\n"
                                    "1  650.0\n"))
                   .ok());
}

}  // namespace
}  // namespace twofold::suite
