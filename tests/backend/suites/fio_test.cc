#include "backend/suites/fio/fio.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include "lib/suite/json.h"
#include "tests/backend/suites/samples.h"

namespace twofold::suite {
namespace {

Outputs TwoWorkers() {
  Outputs outputs = EndedWell("fio/worker0.json");
  outputs.stages.push_back(EndedWell("fio/worker1.json").stages.front());
  outputs.stages[1].rank = 1;
  return outputs;
}

TEST(FioPlan, EachWorkerHasItsOwnFilesAlsoOnASharedVolume) {
  const auto plan = fio::Plan(R"({"rw": "randrw", "bs": "32k", "size": "1G", "runtime": "10s",
      "iodepth": 8, "numJobs": 4, "numWorkers": 2, "rwmixread": 70, "thread": true,
      "directory": "/mnt/volume", "rampTime": "2s", "fioPort": 8765,
      "volumeClaimTemplate": {"accessModes": ["ReadWriteMany"]}})",
                              GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->ending, Ending::kEveryRank);
  ExpectGolden("fio/plan_two_workers.txt", Text(*plan));
}

TEST(FioPlan, DefaultsAreThoseOfKubePerftest) {
  const auto plan = fio::Plan("", GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("fio/plan_defaults.txt", Text(*plan));
}

TEST(FioSpec, TheMixOfKubePerftestIsTaken) {
  EXPECT_TRUE(fio::Check(R"({"rw": "rw,readwrite"})").ok());
  EXPECT_EQ(*fio::Check(R"({"numWorkers": 4})"), 4U);
}

TEST(FioSpec, WhatIsWrongIsNamed) {
  for (const auto& [spec, words] :
       {std::pair{R"({"rw": "sideways"})", "rw: 'sideways' is none of read"},
        std::pair{R"({"bs": "4X"})", "bs: '4X'"}, std::pair{R"({"bs": "0"})", "bs: '0'"},
        std::pair{R"({"size": "ten"})", "size: 'ten'"},
        std::pair{R"({"runtime": "30"})", "runtime: '30'"},
        std::pair{R"({"rampTime": "-1s"})", "rampTime: '-1s'"},
        std::pair{R"({"direct": 2})", "direct: 2 is not from 0 to 1"},
        std::pair{R"({"rwmixread": 101})", "rwmixread: 101"},
        std::pair{R"({"ioengine": ""})", "ioengine: empty"},
        std::pair{R"({"directory": "/a b"})", "directory: '/a b'"}}) {
    const auto checked = fio::Check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_NE(std::string(checked.status().message()).find(words), std::string::npos)
        << checked.status();
  }
}

TEST(FioSpec, NoValueCanAddALineToTheJobFile) {
  for (const char* spec : {R"({"bs": "4k\nexec_prerun=touch x"})", R"({"size": "1G\nrw=write"})",
                           R"({"runtime": "1s\n"})", R"({"ioengine": "psync\nfilename=/etc/x"})",
                           R"({"directory": "/mnt\nfilename=/etc/x"})"}) {
    EXPECT_FALSE(fio::Check(spec).ok()) << spec;
  }
}

TEST(FioSpec, NothingIsExpandedOrReadAsSeveralPathsInTheJobFile) {
  for (const char* spec : {R"({"directory": "${TWOFOLD_TOKEN}"})", R"({"directory": "$jobname"})",
                           R"({"directory": "/mnt:/etc"})", R"({"directory": "/mnt/../etc"})",
                           R"({"directory": "`id`"})", R"({"ioengine": "${TWOFOLD_TOKEN}"})",
                           R"({"directory": "/mnt;x"})", R"({"ioengine": "psync\u0000"})"}) {
    EXPECT_FALSE(fio::Check(spec).ok()) << spec;
  }
}

TEST(FioPlan, EnginesThatLoadLibrariesOrRunProgramsAreUnlisted) {
  for (const char* engine :
       {"/tmp/x.so", "external:/tmp/x.so", "exec", "sg", "http", "net", "Psync"}) {
    const auto plan = fio::Plan(absl::StrCat(R"({"ioengine": ")", engine, "\"}"), GangOf(1));
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->unlisted, std::vector{absl::StrCat("ioengine: '", engine, "'")});
  }
  EXPECT_TRUE(fio::Plan(R"({"ioengine": "io_uring"})", GangOf(1))->unlisted.empty());
}

TEST(FioParse, RealOutputGivesItsNumbers) {
  ExpectGoldenNumbers("fio", "fio/worker0.json");
  ExpectGoldenNumbers("fio", "fio/two_jobs.json");
}

TEST(FioParse, RatesOfWorkersAddUpAndMeansAreWeighed) {
  const auto result = fio::Parse(TwoWorkers());
  ASSERT_TRUE(result.ok()) << result.status();
  double ios = 0;
  double weighed = 0;
  double bytes = 0;
  for (const char* name : {"fio/worker0.json", "fio/worker1.json"}) {
    const Json read = Json::parse(Sample(name))["jobs"][0]["read"];
    ios += read["total_ios"].get<double>();
    weighed += read["total_ios"].get<double>() * read["lat_ns"]["mean"].get<double>();
    bytes += read["bw_bytes"].get<double>();
  }
  const auto total = [&](std::string_view name) {
    for (const Measurement& one : result->measurements) {
      const bool all = one.dimensions == Dimensions{{"rw", "read"}, {"worker", "all"}};
      if (all && one.name == name) return one.value;
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(total("bandwidth"), bytes / 1048576);
  EXPECT_DOUBLE_EQ(total("latency_mean"), weighed / ios / 1000);
}

TEST(FioParse, PercentilesAreOfWorkersNeverOfTheTotal) {
  const auto result = fio::Parse(TwoWorkers());
  ASSERT_TRUE(result.ok()) << result.status();
  int workers = 0;
  for (const Measurement& one : result->measurements) {
    if (!one.name.starts_with("completion_latency_p")) continue;
    EXPECT_NE(one.dimensions.back().second, "all");
    if (one.name == "completion_latency_p99" && one.dimensions.front().second == "read") ++workers;
  }
  EXPECT_EQ(workers, 2);
}

TEST(FioParse, TheTotalOfAClientIsNotCountedTwice) {
  const auto result = fio::Parse(EndedWell("fio/client.json"));
  ASSERT_TRUE(result.ok()) << result.status();
  double bytes = 0;
  const Json document = FindDocument("", Sample("fio/client.json"))->json;
  for (const Json& entry : document["client_stats"]) {
    if (entry["jobname"] != "All clients") bytes += entry["read"]["bw_bytes"].get<double>();
  }
  EXPECT_DOUBLE_EQ(ValueOf(*result, "bandwidth", "all"), bytes / 1048576);
  EXPECT_GT(ValueOf(*result, "bandwidth", "127.0.0.1:8771"), 0);
}

TEST(FioParse, ExitCodeZeroIsNoSuccess) {
  EXPECT_TRUE(FailsWith(fio::Parse(EndedWell("fio/client_bad_directory.txt")),
                        "fio: /nonexistent is not a directory"));
  EXPECT_TRUE(FailsWith(fio::Parse(EndedWell("fio/client_bad_option.txt")), "fio: "));
  EXPECT_TRUE(FailsWith(fio::Parse(EndedWell("fio/client_refused.txt")), "disconnected"));
}

TEST(FioParse, AFullDiskIsAFailureThoughThereAreNumbers) {
  EXPECT_TRUE(FailsWith(fio::Parse(Saved("fio/full.json")), "No space left on device"));
  EXPECT_TRUE(FailsWith(fio::Parse(Saved("fio/bad_engine.txt")), "engine nosuch not loadable"));
}

TEST(FioParse, ABadExitIsAFailureThoughThereAreNumbers) {
  Outputs outputs = Saved("fio/worker0.json");
  outputs.stages[0].signal = 15;
  EXPECT_TRUE(FailsWith(fio::Parse(outputs), "fio of worker 0: killed by signal 15"));
}

TEST(FioParse, OtherFormatsAreRefused) {
  EXPECT_TRUE(FailsWith(fio::Parse(Saved("fio/write.terse")), "no JSON in its output"));
}

TEST(FioParse, CutOffAnywhereIsNoNumber) {
  const std::string text = Sample("fio/worker0.json");
  for (std::size_t size = 0; size + 3 < text.size(); size += 11) {
    EXPECT_FALSE(fio::Parse(SavedText(text.substr(0, size))).ok()) << size;
  }
}

TEST(FioParse, AWorkerThatIsMissingIsNoted) {
  Outputs outputs = EndedWell("fio/worker0.json");
  outputs.spec = R"({"numWorkers": 2})";
  EXPECT_TRUE(FailsWith(fio::Parse(outputs), "outputs of 1 workers, not of 2"));
}

TEST(FioParse, TheLayoutIsNoMeasurementButItsFailureIsOne) {
  Outputs outputs = EndedWell("fio/worker0.json");
  outputs.stages.insert(outputs.stages.begin(),
                        StageOutput{.stage = "layout", .out = "", .exit_code = 0});
  EXPECT_TRUE(fio::Parse(outputs).ok());
  outputs.stages[0].exit_code = 1;
  outputs.stages[0].err = "fio: native_fallocate call failed: No space left on device\n";
  EXPECT_TRUE(FailsWith(fio::Parse(outputs), "layout of worker 0: fio: native_fallocate"));
}

}  // namespace
}  // namespace twofold::suite
