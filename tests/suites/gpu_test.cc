#include "suites/gpu/gpu.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include "lib/suite/json.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

using v1::suites::GpuSpec;

std::vector<std::uint64_t> SizesOf(const char* json) { return gpu::Sizes(*gpu::ReadSpec(json)); }

/// The sample with a change to its JSON, as the output of a program that ended well.
template <typename Change>
Outputs Changed(const char* sample, Change change) {
  Json json = Json::parse(Sample(sample));
  change(json);
  Outputs outputs = EndedWell(sample);
  outputs.stages[0].out = json.dump();
  return outputs;
}

StageOutput ListOf(const std::string& json) {
  return {.stage = "probe", .out = json, .exit_code = 0};
}

TEST(GpuSpec, WhatIsWrongIsNamed) {
  for (const auto& [spec, words] :
       {std::pair{R"({"work": "play"})", "work: 'play' is none of compute"},
        std::pair{R"({"precision": "fp8"})", "precision: 'fp8'"},
        std::pair{R"({"size": "5k"})", "size: '5k' is not a multiple of 4k"},
        std::pair{R"({"size": "64g"})", "size: '64g' is not a multiple of 4k, from 4k to 32G"},
        std::pair{R"({"size": "17179869185g"})", "from 4k to 32G"},
        std::pair{R"({"size": "1X"})", "size: '1X'"},
        std::pair{R"({"size": "4096"})", "size: '4096'"},
        std::pair{R"({"minSize": "2M", "size": "1M"})", "minSize: is more than size"},
        std::pair{R"({"iterations": 5, "seconds": 5})", "seconds: give iterations or seconds"},
        std::pair{R"({"seconds": 0})", "seconds: 0, and iterations are not given"},
        std::pair{R"({"gflop": 0})", "gflop: is not more than 0"},
        std::pair{R"({"streams": 65})", "streams: 65 is not from 1 to 64"},
        std::pair{R"({"work": "mixed", "computeShare": 0, "memoryShare": 0, "transferShare": 0,
                      "launchShare": 0})",
                  "computeShare: all shares are 0"}}) {
    const auto checked = FindSuite("gpu")->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_NE(std::string(checked.status().message()).find(words), std::string::npos)
        << checked.status();
  }
}

TEST(GpuSpec, SizesGoUpInStepsOfFourAndEndWithTheLast) {
  EXPECT_EQ(SizesOf("{}"), (std::vector<std::uint64_t>{64 << 20}));
  EXPECT_EQ(SizesOf(R"({"minSize": "64k", "size": "1m"})"),
            (std::vector<std::uint64_t>{64 << 10, 256 << 10, 1 << 20}));
  EXPECT_EQ(SizesOf(R"({"minSize": "4k", "size": "20k"})"),
            (std::vector<std::uint64_t>{4096, 16384, 20480}));
  EXPECT_EQ(SizesOf(R"({"size": "32G"})"), (std::vector<std::uint64_t>{32ULL << 30}));
}

TEST(GpuPlan, OneProgramGetsWhatWasGiven) {
  const auto plan = FindSuite("gpu")->plan(
      R"({"work": "memory", "pattern": "triad", "size": "1G", "iterations": 100})", GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("gpu/plan_memory.txt", Text(*plan));
}

TEST(GpuParse, RealOutputGivesItsNumbers) {
  for (const char* sample :
       {"gpu/compute.json", "gpu/transfer.json", "gpu/mixed.json", "gpu/launch.json"}) {
    ExpectGoldenNumbers("gpu", sample);
  }
}

TEST(GpuParse, OfSeveralSizesTheLargestIsTheHeadline) {
  const auto result = gpu::Parse(EndedWell("gpu/transfer.json"));
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<std::string> headlines;
  for (const Measurement& one : result->measurements) {
    if (one.headline) headlines.push_back(one.dimensions.back().second);
  }
  EXPECT_EQ(headlines, std::vector<std::string>{"1048576"});
}

TEST(GpuParse, TheProgramsOwnWordsAreTheReason) {
  Outputs outputs = EndedWell("gpu/compute.json");
  outputs.stages[0].out = "";
  outputs.stages[0].err = "warning\ntwofold-gpu: wrong result of copy: value 7 is 1, not 2\n";
  outputs.stages[0].exit_code = 1;
  EXPECT_TRUE(FailsWith(gpu::Parse(outputs), "twofold-gpu: wrong result of copy: value 7"));
  outputs.stages[0].err = "";
  EXPECT_TRUE(FailsWith(gpu::Parse(outputs), "exit code 1"));
}

TEST(GpuParse, ABadExitIsAFailureThoughThereAreNumbers) {
  Outputs outputs = EndedWell("gpu/compute.json");
  outputs.stages[0].exit_code = {};
  outputs.stages[0].signal = 9;
  EXPECT_TRUE(FailsWith(gpu::Parse(outputs), "killed by signal 9"));
}

TEST(GpuParse, CutOffAnywhereIsNoNumber) {
  const std::string text = Sample("gpu/compute.json");
  for (std::size_t size = 0; size + 2 < text.size(); size += 7) {
    EXPECT_FALSE(gpu::Parse(SavedText(text.substr(0, size))).ok()) << size;
  }
}

TEST(GpuParse, NumbersThatCannotBeAreRefused) {
  const auto part = [](const char* field, const Json& value) {
    return Changed("gpu/compute.json", [&](Json& json) { json["parts"][0][field] = value; });
  };
  EXPECT_TRUE(FailsWith(gpu::Parse(part("iterations", "6")), "5 times of 6 iterations"));
  EXPECT_TRUE(FailsWith(gpu::Parse(part("spanS", 0)), "took no time"));
  EXPECT_TRUE(FailsWith(gpu::Parse(part("flop", 0)), "a part without work"));
  EXPECT_TRUE(FailsWith(
      gpu::Parse(Changed("gpu/compute.json", [](Json& json) { json["parts"] = Json::array(); })),
      "no parts"));
}

TEST(GpuParse, APartThatTheSpecAsksForIsMissed) {
  Outputs outputs = EndedWell("gpu/transfer.json");
  outputs.spec = R"({"work": "transfer", "minSize": "64k", "size": "1M", "iterations": 5})";
  EXPECT_TRUE(gpu::Parse(outputs).ok()) << gpu::Parse(outputs).status();
  outputs.spec = R"({"work": "transfer", "minSize": "16k", "size": "1M", "iterations": 5})";
  EXPECT_TRUE(FailsWith(gpu::Parse(outputs), "it has 3 parts, not 4"));
}

TEST(GpuParse, ResultsThatWereNotComparedAreNotBelieved) {
  Outputs outputs =
      Changed("gpu/compute.json", [](Json& json) { json["parts"][0].erase("compared"); });
  outputs.spec = R"({"precision": "fp64"})";
  EXPECT_TRUE(FailsWith(gpu::Parse(outputs), "results not compared"));
  outputs.spec = R"({"precision": "fp64", "validate": false})";
  EXPECT_TRUE(gpu::Parse(outputs).ok());
}

TEST(GpuParse, AThrottledRunIsMarked) {
  const auto result = gpu::Parse(Changed("gpu/compute.json", [](Json& json) {
    json["health"] = {{"samples", 20},
                      {"throttledSamples", 5},
                      {"throttleReasons", {"power cap"}},
                      {"clockMhz", {{"least", 1200}, {"mean", 1500}, {"most", 1980}}}};
  }));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "throttled"), 25);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "clock_min"), 1200);
  const Measurement& last = result->measurements.back();
  EXPECT_TRUE(last.headline);
  EXPECT_EQ(last.at, (Dimensions{{"power cap", "seen"}}));
}

TEST(GpuOffer, TheFirstDeviceThatIsNoCpuGivesTheLabels) {
  const auto labels = gpu::Offer(ListOf(R"({"devices": [
      {"api": "opencl", "type": "cpu", "name": "a cpu"},
      {"index": 1, "api": "cuda", "type": "gpu", "name": "NVIDIA H200", "uuid": "GPU-1", "driver": "12.4",
       "vendor": "NVIDIA"}]})"));
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(labels->at("gpu.name"), "NVIDIA H200");
  EXPECT_EQ(labels->at("gpu.uuid"), "GPU-1");
  EXPECT_EQ(labels->at("gpu.devices"), "2");
}

TEST(GpuOffer, WithoutADeviceTheReasonIsNamed) {
  const auto none =
      gpu::Offer(ListOf(R"({"notes": ["libcuda.so.1: not found", "libOpenCL.so.1: not found"]})"));
  EXPECT_EQ(none.status().message(),
            "no device: libcuda.so.1: not found; libOpenCL.so.1: not found");
  StageOutput crashed{.stage = "probe", .out = "", .signal = 11};
  EXPECT_EQ(gpu::Offer(crashed).status().message(), "twofold-gpu --list: killed by signal 11");
  EXPECT_FALSE(gpu::Offer(ListOf("nonsense")).ok());
}

TEST(GpuParse, AnotherRunThanWasAskedForIsRefused) {
  Outputs outputs = EndedWell("gpu/transfer.json");
  const auto with = [&](const char* spec) {
    outputs.spec = spec;
    return FindSuite("gpu")->parse(outputs);
  };
  EXPECT_TRUE(
      FailsWith(with(R"({"work": "transfer", "minSize": "64k", "size": "1M", "iterations": 6})"),
                "transfer: 5 iterations, not 6"));
  EXPECT_TRUE(FailsWith(with(R"({"work": "transfer", "direction": "d2h", "minSize": "64k",
                                 "size": "1M", "iterations": 5})"),
                        "transfer: it did h2d, not d2h"));
  EXPECT_TRUE(
      FailsWith(with(R"({"work": "transfer", "minSize": "128k", "size": "2M", "iterations": 5})"),
                "size 65536 was not asked for"));
  EXPECT_TRUE(
      FailsWith(with(R"({"work": "memory", "minSize": "64k", "size": "1M", "iterations": 5})"),
                "it did transfer, not memory"));
}

TEST(GpuParse, TwoReportsAreTwoRuns) {
  const std::string report = Sample("gpu/compute.json");
  EXPECT_TRUE(
      FailsWith(FindSuite("gpu")->parse(SavedText(report + report)), "2 runs in one document"));
  const auto runs = EachRun("gpu", report + report);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_TRUE(runs[0].ok() && runs[1].ok()) << runs[0].status();
}

TEST(GpuParse, ARateBelowZeroIsSaidAndLeftOut) {
  const auto result = FindSuite("gpu")->parse(Changed("gpu/compute.json", [](Json& json) {
    json["health"] = {{"samples", 20}, {"powerW", {{"least", -5}, {"mean", 90}, {"most", 200}}}};
  }));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(Says(*result, "power_min"));
  ASSERT_EQ(result->failures.size(), 1U);
  EXPECT_NE(result->failures[0].reason.find("-5 W is below 0"), std::string::npos);
}

TEST(GpuParse, ReportsInTheLogOfAPodAreRead) {
  const std::string report = Sample("gpu/compute.json");
  const auto plain = FindSuite("gpu")->parse(SavedText(report));
  const auto result =
      FindSuite("gpu")->parse(SavedText(Prefixed("2026-11-20T23:41:55.123456789Z ", report)));
  ASSERT_TRUE(plain.ok() && result.ok()) << result.status();
  EXPECT_EQ(result->measurements, plain->measurements);
}

}  // namespace
}  // namespace twofold::suite
