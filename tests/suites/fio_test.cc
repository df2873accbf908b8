#include "suites/fio/fio.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lib/suite/json.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

Outputs TwoWorkers() {
  Outputs outputs = EndedWell("fio/worker0.json");
  outputs.stages.push_back(EndedWell("fio/worker1.json").stages.front());
  outputs.stages[1].rank = 1;
  return outputs;
}

/// Whether no dimension that both have differs: forms do not say all of how it was run.
bool AreOfTheSame(const Measurement& one, const Measurement& other) {
  return std::all_of(one.dimensions.begin(), one.dimensions.end(), [&](const Dimension& each) {
    const std::string* same = fio::ValueOf(other.dimensions, each.first);
    return same == nullptr || *same == each.second;
  });
}

/// Whether all numbers of a form are among those of the JSON of the same run, as far as the form
/// has digits: three at least, and microseconds in the terse one.
void ExpectSameNumbers(const Measurements& form, const Measurements& json,
                       const std::string& name) {
  EXPECT_GT(form.measurements.size(), 15U) << name;
  for (const Measurement& one : form.measurements) {
    std::vector<double> same;
    for (const Measurement& other : json.measurements) {
      const bool is_unnamed = one.name.starts_with("latency_p") && other.name.ends_with(one.name);
      if ((other.name == one.name || is_unnamed) && AreOfTheSame(one, other))
        same.push_back(other.value);
    }
    const double tolerance = std::max(0.005 * one.value, one.unit == "us" ? 1.0 : 0.006);
    const bool fits = std::any_of(same.begin(), same.end(), [&](double value) {
      return std::abs(value - one.value) <= tolerance;
    });
    EXPECT_TRUE(fits) << name << ": " << one.name << " " << one.value;
  }
}

TEST(FioPlan, EachWorkerHasItsOwnFilesAlsoOnASharedVolume) {
  const auto plan =
      FindSuite("fio")->plan(R"({"rw": "randrw", "bs": "32k", "size": "1G", "runtime": "10s",
      "iodepth": 8, "numJobs": 4, "numWorkers": 2, "rwmixread": 70, "thread": true,
      "directory": "/mnt/volume", "rampTime": "2s", "fioPort": 8765,
      "volumeClaimTemplate": {"accessModes": ["ReadWriteMany"]}})",
                             GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->ending, Ending::kEveryRank);
  ExpectGolden("fio/plan_two_workers.txt", Text(*plan));
}

TEST(FioPlan, DefaultsAreThoseOfKubePerftest) {
  const auto plan = FindSuite("fio")->plan("", GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("fio/plan_defaults.txt", Text(*plan));
}

TEST(FioSpec, TheMixOfKubePerftestIsTaken) {
  EXPECT_TRUE(FindSuite("fio")->check(R"({"rw": "rw,readwrite"})").ok());
  EXPECT_EQ(*FindSuite("fio")->check(R"({"numWorkers": 4})"), 4U);
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
    const auto checked = FindSuite("fio")->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_NE(std::string(checked.status().message()).find(words), std::string::npos)
        << checked.status();
  }
}

TEST(FioSpec, NoValueCanAddALineToTheJobFile) {
  for (const char* spec : {R"({"bs": "4k\nexec_prerun=touch x"})", R"({"size": "1G\nrw=write"})",
                           R"({"runtime": "1s\n"})", R"({"ioengine": "psync\nfilename=/etc/x"})",
                           R"({"directory": "/mnt\nfilename=/etc/x"})"}) {
    EXPECT_FALSE(FindSuite("fio")->check(spec).ok()) << spec;
  }
}

TEST(FioSpec, NothingIsExpandedOrReadAsSeveralPathsInTheJobFile) {
  for (const char* spec : {R"({"directory": "${TWOFOLD_TOKEN}"})", R"({"directory": "$jobname"})",
                           R"({"directory": "/mnt:/etc"})", R"({"directory": "/mnt/../etc"})",
                           R"({"directory": "`id`"})", R"({"ioengine": "${TWOFOLD_TOKEN}"})",
                           R"({"directory": "/mnt;x"})", R"({"ioengine": "psync\u0000"})"}) {
    EXPECT_FALSE(FindSuite("fio")->check(spec).ok()) << spec;
  }
}

TEST(FioPlan, EnginesThatLoadLibrariesOrRunProgramsAreUnlisted) {
  for (const char* engine :
       {"/tmp/x.so", "external:/tmp/x.so", "exec", "sg", "http", "net", "Psync"}) {
    const auto plan =
        FindSuite("fio")->plan(absl::StrCat(R"({"ioengine": ")", engine, "\"}"), GangOf(1));
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->unlisted, std::vector{absl::StrCat("ioengine: '", engine, "'")});
  }
  EXPECT_TRUE(FindSuite("fio")->plan(R"({"ioengine": "io_uring"})", GangOf(1))->unlisted.empty());
}

TEST(FioParse, RealOutputGivesItsNumbers) {
  ExpectGoldenNumbers("fio", "fio/worker0.json");
  ExpectGoldenNumbers("fio", "fio/two_jobs.json");
}

// Two jobs of one name, each with a line of its own.
constexpr char kTwice[] = "fio/forms_two.terse";

// The last of a run's reports, and a second job, look the same.
TEST(FioParse, SeveralLinesOfAJobInTheTerseFormAreRefusedAsNothingTellsWhatTheyAre) {
  for (const char* sample : {kTwice, "fio/cases/status-interval.terse"}) {
    EXPECT_TRUE(FailsWith(fio::Parse(Saved(sample)), "job mix has several lines")) << sample;
  }
  const std::string one = Sample("fio/forms_group.terse");
  EXPECT_TRUE(FailsWith(fio::Parse(SavedText(one + one)), "job mix has several lines"));
}

TEST(FioParse, AllFormsOfARunSayTheSame) {
  for (const char* run : {"two", "group", "lat", "both"}) {
    const std::string name = std::string("fio/forms_") + run;
    const auto json = fio::Parse(Saved(name + ".json"));
    ASSERT_TRUE(json.ok()) << json.status();
    for (const char* form : {".txt", ".terse"}) {
      if (name + form == kTwice) continue;
      ExpectGoldenNumbers("fio", name + form);
      const auto result = fio::Parse(Saved(name + form));
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(result->tool, json->tool);
      ExpectSameNumbers(*result, *json, name + form);
    }
  }
}

TEST(FioParse, OfSeveralFormsTheMostExactIsRead) {
  const std::string all =
      Sample(kTwice) + Sample("fio/forms_two.json") + Sample("fio/forms_two.txt");
  const auto result = fio::Parse(SavedText(all));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->measurements, fio::Parse(Saved("fio/forms_two.json"))->measurements);
}

// The mean was of the total latency, and the percentile beside it of completion.
TEST(FioParse, HeadlinesAreOfOneClock) {
  for (const auto& [sample, clock] : {std::pair{"fio/worker0.json", "completion_latency_"},
                                      {"fio/forms_two.txt", "completion_latency_"},
                                      {"fio/forms_lat.json", "total_latency_"},
                                      {"fio/forms_lat.txt", "total_latency_"},
                                      {"fio/forms_both.json", "total_latency_"},
                                      {"fio/forms_group.terse", "completion_latency_"}}) {
    const auto result = fio::Parse(Saved(sample));
    ASSERT_TRUE(result.ok()) << result.status();
    int latencies = 0;
    for (const Measurement& one : result->measurements) {
      if (!one.headline || one.unit != "us") continue;
      EXPECT_TRUE(one.name.starts_with(clock)) << sample << ": " << one.name;
      ++latencies;
    }
    EXPECT_GT(latencies, 0) << sample;
  }
}

TEST(FioParse, PercentilesOfTheTerseFormHaveNoClock) {
  const auto result = fio::Parse(Saved("fio/write.terse"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "latency_p99"), 1302);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "bandwidth", "all"), 2849391.0 / 1024);
}

TEST(FioParse, ClockThatIsSwitchedOffHasNoNumbers) {
  Json json = Json::parse(Sample("fio/worker0.json"));
  for (const char* side : {"read", "write"}) {
    json["jobs"][0][side]["lat_ns"] = {
        {"min", 0}, {"max", 0}, {"mean", 0}, {"stddev", 0}, {"N", 0}};
  }
  const auto result = fio::Parse(SavedText(json.dump(1)));
  ASSERT_TRUE(result.ok()) << result.status();
  for (const Measurement& one : result->measurements) {
    EXPECT_FALSE(one.name.starts_with("total_latency")) << one.name;
  }
}

TEST(FioParse, VersionOfTheTerseFormThatIsNotKnownIsNamed) {
  EXPECT_TRUE(FailsWith(fio::Parse(SavedText("2;job;0;0;968;16133;4033;60\n")),
                        "its terse form has version 2, not 3 to 5"));
}

TEST(FioParse, VersionAtTheEndOfWhatIsCutOffIsRead) {
  EXPECT_TRUE(FailsWith(fio::Parse(SavedText("3;fio-2.1")), "fio-2.1 is not read"));
  EXPECT_FALSE(fio::Parse(SavedText("3;fio-3")).ok());
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
      const bool all = *fio::ValueOf(one.dimensions, "rw") == "read" &&
                       *fio::ValueOf(one.dimensions, "worker") == "all";
      if (all && one.name == name) return one.value;
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(total("bandwidth"), bytes / 1048576);
  EXPECT_DOUBLE_EQ(total("total_latency_mean"), weighed / ios / 1000);
}

TEST(FioParse, PercentilesAreOfWorkersNeverOfTheTotal) {
  const auto result = fio::Parse(TwoWorkers());
  ASSERT_TRUE(result.ok()) << result.status();
  int workers = 0;
  for (const Measurement& one : result->measurements) {
    if (!one.name.starts_with("completion_latency_p")) continue;
    EXPECT_NE(*fio::ValueOf(one.dimensions, "worker"), "all");
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

TEST(FioParse, AWarningIsNoReasonForNumbersThatAreCutOff) {
  const std::string json = Sample("fio/worker0.json");
  const std::string cut = json.substr(0, json.size() / 2);
  const std::string warning = "fio: this platform does not support process shared mutexes\n";
  EXPECT_TRUE(ReadText("fio", warning + json).ok());
  EXPECT_TRUE(FailsWith(ReadText("fio", warning + cut), "its JSON is cut off"));
  EXPECT_TRUE(FailsWith(ReadText("fio", warning + "fio: terminating on signal 2\n" + cut),
                        "fio: terminating on signal 2"));
}

TEST(FioParse, VersionsBeforeThreeAreRefusedByName) {
  constexpr char kOld[] = "fio-2.2.10 is not read (3.0 and later are)";
  EXPECT_TRUE(
      FailsWith(ReadText("fio", R"({"fio version": "fio-2.2.10", "jobs": [{"error": 0}]})"), kOld));
  EXPECT_TRUE(
      FailsWith(ReadText("fio",
                         "test: (g=0): rw=randread\nfio-2.2.10\nStarting 1 process\n\n"
                         "test: (groupid=0, jobs=1): err= 0: pid=2345: Fri Nov 20 23:55:54 2026\n"
                         "  read : io=65474MB, bw=214088KB/s, iops=26760, runt=313167msec\n"),
                kOld));
  EXPECT_TRUE(FailsWith(ReadText("fio", R"({"fio version": "fio-3.33", "jobs": [{"error": 0}]})"),
                        "its JSON has no number"));
}

// It prints all that was given.
TEST(FioParse, AnOptionThatMayBeGivenTwiceMakesNoTwoMeanings) {
  const std::string json = Sample("fio/worker0.json");
  const auto with = [&](const char* options) {
    return ReadText("fio", absl::StrReplaceAll(json, {{"\"job options\" : {", options}}));
  };
  const auto twice = with(R"("job options" : { "filename" : "/dev/a", "filename" : "/dev/b",)");
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ(twice->measurements, ReadText("fio", json)->measurements);
  EXPECT_TRUE(FailsWith(with(R"("job options" : { "bs" : "4m", "bs" : "8m",)"), "the key bs"));
}

TEST(FioParse, AFullDiskIsAFailureThoughThereAreNumbers) {
  EXPECT_TRUE(FailsWith(fio::Parse(Saved("fio/full.json")), "No space left on device"));
  EXPECT_TRUE(FailsWith(fio::Parse(Saved("fio/bad_engine.txt")), "engine nosuch not loadable"));
  EXPECT_TRUE(FailsWith(fio::Parse(Saved("fio/normal_full.txt")), "No space left on device"));
  EXPECT_TRUE(FailsWith(fio::Parse(Saved("fio/full.terse")), "No space left on device"));
}

TEST(FioParse, ARunThatASignalHasEndedHasNoNumbers) {
  EXPECT_TRUE(FailsWith(fio::Parse(EndedWell("fio/normal_terminated.txt")),
                        "fio: terminating on signal 15"));
  EXPECT_TRUE(FailsWith(fio::Parse(EndedWell("fio/normal_killed.txt")), "no result of fio"));
  EXPECT_TRUE(FailsWith(
      fio::Parse(SavedText("\nfio: terminating on signal 15\n" + Sample("fio/worker0.json"))),
      "fio: terminating on signal 15"));
}

TEST(FioParse, ABadExitIsAFailureThoughThereAreNumbers) {
  Outputs outputs = Saved("fio/worker0.json");
  outputs.stages[0].signal = 15;
  EXPECT_TRUE(FailsWith(fio::Parse(outputs), "fio of worker 0: killed by signal 15"));
}

TEST(FioParse, CutOffAnywhereIsNoNumber) {
  for (const char* sample : {"fio/worker0.json", "fio/forms_two.txt", "fio/forms_group.terse"}) {
    const std::string text = Sample(sample);
    // After that line there is nothing that is read; of terse lines the last one tells by its end.
    const std::size_t end = std::min(text.size() - 3, text.find("Run status group 0"));
    const std::size_t step = text.starts_with('{') ? 37 : 11;  // a cut of JSON is one like another
    for (std::size_t size = 0; size < end; size += step) {
      const std::string begin = text.substr(0, size);
      if (begin.ends_with('\n') && std::string_view(sample).ends_with(".terse")) continue;
      EXPECT_FALSE(fio::Parse(SavedText(begin)).ok()) << sample << " " << size;
    }
  }
}

TEST(FioParse, AWorkerThatIsMissingIsNoted) {
  Outputs outputs = EndedWell("fio/worker0.json");
  outputs.spec = R"({"numWorkers": 2})";
  EXPECT_TRUE(FailsWith(fio::Parse(outputs), "outputs of 1 worker, not of 2"));
}

TEST(FioParse, WhatCameIsHeldAgainstTheSpec) {
  Outputs outputs = EndedWell("fio/worker0.json");
  const auto read = [&](const char* spec) {
    outputs.spec = spec;
    return fio::Parse(outputs);
  };
  const std::string same =
      R"("rw": "randrw", "rwmixread": 70, "bs": "4K", "iodepth": 4, "direct": 0)";
  EXPECT_TRUE(read(("{" + same + R"(, "numJobs": 2, "runtime": "1000ms"})").c_str()).ok());
  EXPECT_TRUE(FailsWith(read(("{" + same + R"(, "numJobs": 4, "runtime": "1s"})").c_str()),
                        "worker 0: it has numJobs 2, not 4"));
  for (const auto& [spec, why] :
       {std::pair{R"({"rw": "randrw", "bs": "4k", "runtime": "30s"})",
                  "it ends after 1.001 s, not 30"},
        {R"({"rw": "randrw", "bs": "1M", "runtime": "1s"})",
         "it has reads of 4096 B, not of 1048576"},
        {R"({"rw": "read", "bs": "4k", "runtime": "1s"})",
         "it has writes, which read does not ask for"},
        {R"({"rw": "randrw", "rwmixread": 0, "bs": "4k", "runtime": "1s"})",
         "it has reads, which randrw does not ask for"}}) {
    EXPECT_TRUE(FailsWith(read(spec), why)) << spec;
  }
  for (const auto& [spec, why] :
       {std::pair{R"({"rw": "rw,readwrite", "bs": "4k", "runtime": "1s"})",
                  "it has pattern randrw, not rw"},
        {R"({"rw": "randrw", "bs": "4k", "runtime": "1s"})", "it has rwmixread 70, not 50"},
        {R"({"rw": "randrw", "rwmixread": 70, "bs": "4k", "runtime": "1s"})",
         "it has iodepth 4, not 1"},
        {R"({"rw": "randrw", "rwmixread": 70, "bs": "4k", "iodepth": 4, "numJobs": 2,
             "runtime": "1s"})",
         "it has direct 0, not 1"}}) {
    EXPECT_TRUE(FailsWith(read(spec), why)) << spec;
  }
  Json json = Json::parse(Sample("fio/worker0.json"));
  json["jobs"][0]["job_runtime"] = 1001;
  outputs.stages[0].out = json.dump(1);
  EXPECT_TRUE(FailsWith(read(("{" + same + R"(, "numJobs": 2, "runtime": "1s"})").c_str()),
                        "it has the run time of 1 job, not 2"));
  json["jobs"][0]["write"]["total_ios"] = 0;
  outputs.stages[0].out = json.dump(1);
  EXPECT_TRUE(FailsWith(read(R"({"rw": "randrw", "bs": "4k", "runtime": "1s"})"),
                        "worker 0: it has no writes, which randrw asks for"));
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
