#include "suites/pytorch/pytorch.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/suite/json.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

constexpr char kTwoWorkers[] = R"({"model": "llama", "benchmarkType": "train", "numWorkers": 2})";

std::string Why(const std::string& spec) {
  return std::string(FindSuite("pytorch")->check(spec).status().message());
}

// The field `name` of the spec that the program gets.
std::string Given(const std::string& spec, const char* name) {
  const auto plan = FindSuite("pytorch")->plan(spec, GangOf(1));
  if (!plan.ok()) return plan.status().ToString();
  return Json::parse(plan->ranks[0].stages[0].argv[1]).at(name).dump();
}

// A run of the program that printed `json`, as rank `rank`.
StageOutput Printed(const Json& json, std::uint32_t rank = 0) {
  return {.rank = rank, .stage = "pytorch", .out = json.dump() + "\n", .exit_code = 0};
}

Json ReportJson() { return Json::parse(Sample("pytorch/resnet18.json")); }

StageOutput Failed(const char* error, std::uint32_t rank, bool peer_is_gone = false) {
  StageOutput output = Printed({{"error", error}, {"peerIsGone", peer_is_gone}}, rank);
  output.exit_code = 1;
  return output;
}

// Output and stderr of pytorch/benchmark.
Outputs Torchbench(const std::string& name, int exit_code) {
  const std::string sample = "pytorch/torchbench_" + name;
  Outputs outputs = Saved(sample + ".err");
  StageOutput& stage = outputs.stages[0];
  stage.err = std::move(stage.out);
  stage.out = exit_code == 0 ? Sample(sample + ".out") : "";
  stage.exit_code = exit_code;
  return outputs;
}

TEST(PyTorchPlan, TheProgramGetsEveryFieldSoThatItKnowsNoDefault) {
  const auto plan = FindSuite("pytorch")->plan(R"({"model": "resnet50"})", GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("pytorch/plan_defaults.txt", Text(*plan));
  const Json spec = Json::parse(plan->ranks[0].stages[0].argv[1]);
  const auto& message = *v1::suites::PyTorchSpec::descriptor();
  EXPECT_EQ(spec.size(), static_cast<std::size_t>(message.field_count()));
}

TEST(PyTorchPlan, MembersMeetAtTheFirstOnAPortOfTheirGang) {
  const auto plan = FindSuite("pytorch")->plan(kTwoWorkers, GangOf(2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->ending, Ending::kEveryRank);
  ExpectGolden("pytorch/plan_two_workers.txt", Text(*plan));
  Gang next = GangOf(2);
  next.name += "-again";
  const auto again = FindSuite("pytorch")->plan(kTwoWorkers, next);
  EXPECT_NE(again->ranks[0].stages[0].argv[2], plan->ranks[0].stages[0].argv[2]);
}

TEST(PyTorchPlan, SecondsAreNotCutShortByTheDefaultOfBatches) {
  EXPECT_EQ(Given(R"({"model": "alexnet", "seconds": 5})", "batches"), "100000");
  EXPECT_EQ(Given(R"({"model": "alexnet", "seconds": 5, "batches": 7})", "batches"), "7");
}

TEST(PyTorchSpec, TheOtherRunnerIsTakenOnlyIfItWouldDoWhatIsAskedFor) {
  EXPECT_EQ(Given(R"({"model": "llama", "inputBatchSize": 8})", "runner"), "\"auto\"");
  EXPECT_EQ(Given(R"({"model": "llama", "benchmarkType": "train"})", "runner"), "\"twofold\"");
  EXPECT_EQ(Given(R"({"model": "alexnet", "threads": 2})", "runner"), "\"twofold\"");
  EXPECT_EQ(Why(R"({"model": "alexnet", "runner": "torchbench", "threads": 2})"),
            "threads: pytorch/benchmark has no such option: runner: twofold");
  EXPECT_EQ(Why(R"({"model": "llama", "runner": "torchbench", "benchmarkType": "train"})"),
            "model: pytorch/benchmark does not train llama: runner: twofold");
}

TEST(PyTorchSpec, WhatIsWrongIsNamed) {
  for (const auto& [spec, why] : {
           std::pair{R"({})", "model: is missing"},
           {R"({"model": "../x"})", "model: a name has letters, digits and _, 100 at most"},
           {R"({"model": "--help"})", "model: a name has letters"},
           {R"({"model": "a", "device": "tpu"})", "device: 'tpu' is none of cpu, cuda, xpu"},
           {R"({"model": "a", "inputBatchSize": 7})", "inputBatchSize: 7 is not 2 or"},
           {R"({"model": "llama", "width": 100})", "width: 100 is no multiple of 2 x heads, 16"},
           {R"({"model": "a", "dtype": "float16"})", "dtype: float16 is for devices"},
           {R"({"model": "a", "dtype": "float16", "device": "cuda", "benchmarkType": "train"})",
            "dtype: float16 is for eval"},
           {R"({"model": "a", "batches": 0})", "batches: 0 is not from 1 to 100000"},
       }) {
    EXPECT_EQ(Why(spec).substr(0, std::string_view(why).size()), why);
  }
}

Result<Labels> Offered(std::string text, int exit_code = 0) {
  return FindSuite("pytorch")->offer(
      {.stage = "probe", .out = std::move(text), .exit_code = exit_code});
}

TEST(PyTorchOffer, VersionsAndDevicesAreLabels) {
  EXPECT_EQ(*Offered(Sample("pytorch/offer.json")), (Labels{{"pytorch.cpu", "AMD EPYC"},
                                                            {"pytorch.torchvision", "0.14.1a0"},
                                                            {"pytorch.version", "1.13.0a0"}}));
  EXPECT_EQ(Offered(R"({"torch": "2.6", "devices": [{"kind": "cuda", "name": "NVIDIA H200"}]})")
                ->at("pytorch.cuda"),
            "NVIDIA H200");
  EXPECT_EQ(Offered(R"({"torch": "2.6", "torchbench": true})")->at("pytorch.torchbench"), "true");
}

TEST(PyTorchOffer, AWorkerWithoutPyTorchSaysSo) {
  const auto why = [](const auto& offered) { return std::string(offered.status().message()); };
  EXPECT_EQ(why(Offered(R"({"error": "PyTorch is not installed"})", 1)),
            "PyTorch is not installed");
  // As the program says it: an error of a run and one of a probe have the same fields.
  EXPECT_EQ(why(Offered(R"({"error": "PyTorch cannot be loaded: why", "peerIsGone": false})", 1)),
            "PyTorch cannot be loaded: why");
  EXPECT_EQ(why(Offered("Segmentation fault\n", 3)), "twofold-pytorch: exit code 3");
  EXPECT_EQ(why(Offered("{\"torch\": \"2.")), "twofold-pytorch: it does not say what is here");
}

TEST(PyTorchParse, RealReportsGiveTheirNumbers) {
  ExpectGoldenNumbers("pytorch", "pytorch/resnet18.json");
}

TEST(PyTorchParse, RatesOfWorkersAddUpInTheTimeOfTheSlowest) {
  Json one = ReportJson();
  one["wallNs"] = 4'000'000'000;
  Json two = one;
  two["rank"] = 1;
  two["wallNs"] = 8'000'000'000;
  Outputs outputs{.stages = {Printed(one), Printed(two, 1)}};
  const auto result = pytorch::Parse(outputs);
  ASSERT_TRUE(result.ok()) << result.status();
  const double batches = static_cast<double>(one["batchNs"].size());
  EXPECT_EQ(result->measurements[0].name, "throughput");
  EXPECT_DOUBLE_EQ(result->measurements[0].value, 2 * 2 * batches / 8);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "throughput", "0"), 2 * batches / 4);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "throughput", "1"), 2 * batches / 8);
}

TEST(PyTorchParse, TheShareOfTheExchangeIsWhatBatchesTakeLongerForIt) {
  Json report = ReportJson();
  report["batchNs"] = {100, 300};
  report["aloneNs"] = {150};
  const auto result = pytorch::Parse({.stages = {Printed(report)}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "communication_share"), 25);
}

TEST(PyTorchParse, FailuresAreToldApart) {
  for (const auto& [sample, words] :
       {std::pair{"no_model", "there is no model resnet1"},
        std::pair{"no_device", "no cuda device: PyTorch 1.13.0a0 is built without it"},
        std::pair{"no_torchbench", "pytorch/benchmark is not here"},
        std::pair{"out_of_memory", "out of memory: RuntimeError"}}) {
    const std::string name = absl::StrCat("pytorch/", sample, ".json");
    EXPECT_TRUE(FailsWith(pytorch::Parse(Saved(name)), words)) << sample;
  }
}

TEST(PyTorchParse, AReportIsBelievedOnlyWithAGoodEnd) {
  Outputs outputs = EndedWell("pytorch/resnet18.json");
  EXPECT_TRUE(pytorch::Parse(outputs).ok());
  outputs.stages[0].exit_code = 1;
  EXPECT_TRUE(FailsWith(pytorch::Parse(outputs), "pytorch: exit code 1"));
}

TEST(PyTorchParse, AReportWithoutTimesIsNone) {
  for (const char* field : {"batchNs", "wallNs", "itemsPerBatch", "torch", "peakBytes"}) {
    Json report = ReportJson();
    report.erase(field);
    EXPECT_TRUE(FailsWith(pytorch::Parse({.stages = {Printed(report)}}), "has no times")) << field;
  }
}

TEST(PyTorchParse, CutOffAnywhereIsNoNumber) {
  const std::string text = Sample("pytorch/resnet18.json");
  for (std::size_t size = 0; size + 2 < text.size(); size += 3) {
    EXPECT_FALSE(pytorch::Parse(SavedText(text.substr(0, size))).ok()) << size;
  }
}

TEST(PyTorchParse, WithoutAReportTheLastLineOfTheTracebackIsTheReason) {
  StageOutput output{.stage = "pytorch", .out = "", .exit_code = 1};
  output.err =
      "Traceback (most recent call last):\n  File \"x\", line 1\nSyntaxError: invalid syntax\n";
  EXPECT_TRUE(
      FailsWith(pytorch::Parse({.stages = {output}}), "pytorch: SyntaxError: invalid syntax"));
}

// The one that noticed first is rarely the one that failed.
TEST(PyTorchParse, TheWorkerThatFailedIsBlamedNotThoseThatMissedIt) {
  const StageOutput missed = Failed("lost another member: Connection reset", 0, true);
  StageOutput stopped{.rank = 1, .stage = "pytorch", .out = "", .signal = 15};
  StageOutput killed{.rank = 2, .stage = "pytorch", .out = "", .signal = 9};
  EXPECT_TRUE(FailsWith(pytorch::Parse({.stages = {missed, stopped, killed}}),
                        "pytorch of worker 2: killed by signal 9"));
  EXPECT_TRUE(FailsWith(pytorch::Parse({.stages = {missed, stopped, Failed("out of memory", 2)}}),
                        "pytorch of worker 2: out of memory"));
}

TEST(PyTorchParse, AWorkerThatIsMissingIsNoted) {
  Outputs outputs{.spec = kTwoWorkers, .stages = {Printed(ReportJson())}};
  EXPECT_TRUE(FailsWith(pytorch::Parse(outputs), "outputs of 1 worker, not of 2"));
}

TEST(PyTorchParse, RealOutputOfPytorchBenchmarkGivesItsNumbers) {
  const auto result = pytorch::Parse(Torchbench("alexnet", 0));
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectGolden("pytorch/torchbench_alexnet.csv", CsvRows("torchbench_alexnet", *result));
}

// Logs of pods have both mixed; those of kube-perftest, too.
TEST(PyTorchParse, ALogOfAPodSaysTheSame) {
  const std::string log =
      Sample("pytorch/torchbench_alexnet.out") + Sample("pytorch/torchbench_alexnet.err");
  const auto result = pytorch::Parse(SavedText(log));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->measurements, pytorch::Parse(Torchbench("alexnet", 0))->measurements);
  for (std::size_t size = log.find("Command being") + 22; size + 3 < log.size(); size += 7) {
    EXPECT_FALSE(pytorch::Parse(SavedText(log.substr(0, size))).ok()) << size;
  }
}

TEST(PyTorchParse, NumbersOfAGpuAreRead) {
  std::string log = absl::StrReplaceAll(
      Sample("pytorch/torchbench_alexnet.out"),
      {{"CPU Wall Time per", "GPU Time per batch:   1.500 milliseconds\nCPU Wall Time per"},
       {"CPU Peak",
        "GPU 0 Peak Memory:          2.4268 GB\nGPU 1 Peak Memory:          1.5 GB\nCPU Peak"}});
  const auto result = pytorch::Parse(SavedText(log));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "device_time_p50"), 1500);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "device_peak_memory", "0"), 2.4268);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "device_peak_memory", "1"), 1.5);
  log = absl::StrReplaceAll(log, {{"GPU 1", "GPU 0"}});
  EXPECT_TRUE(FailsWith(pytorch::Parse(SavedText(log)), "Peak Memory is there twice"));
}

TEST(PyTorchParse, OtherUnitsOfPytorchBenchmarkAreRefused) {
  const std::string good = Sample("pytorch/torchbench_alexnet.out");
  for (const auto& [from, to, words] :
       {std::tuple{"milliseconds", "seconds", "CPU Wall Time per batch is in seconds, not"},
        {" GB", " MB", "CPU Peak Memory is in MB, not in GB"},
        {"163.774", "much", "CPU Wall Time per batch has no number"}}) {
    EXPECT_TRUE(
        FailsWith(pytorch::Parse(SavedText(absl::StrReplaceAll(good, {{from, to}}))), words));
  }
  EXPECT_TRUE(FailsWith(pytorch::Parse(SavedText(good + good)), "is there twice"));
  EXPECT_TRUE(
      FailsWith(FindSuite("pytorch")->parse(SavedText(good + good)), "2 runs in one document"));
}

TEST(PyTorchParse, FailuresOfPytorchBenchmarkAreToldApart) {
  EXPECT_TRUE(FailsWith(pytorch::Parse(Torchbench("no_device", 1)), "no cuda device: Assertion"));
  EXPECT_TRUE(FailsWith(pytorch::Parse(Torchbench("oom", 1)), "out of memory: RuntimeError"));
  EXPECT_TRUE(FailsWith(pytorch::Parse(SavedText(Sample("pytorch/torchbench_no_model.out") +
                                                 Sample("pytorch/torchbench_no_model.err"))),
                        "no such model: Error: The model nosuch"));
  Outputs killed = Torchbench("alexnet", 0);
  killed.stages[0].err = "Command terminated by signal 9\n" + killed.stages[0].err;
  EXPECT_TRUE(FailsWith(pytorch::Parse(killed), "Command terminated by signal 9"));
}

Result<Measurements> ReadTorch(const std::string& text) {
  return FindSuite("pytorch")->parse(SavedText(text));
}

// The first counted alone: 80 images/s.
TEST(PyTorchParse, ReportsOfAllRanksInOneLogAreOneGang) {
  const auto result = ReadTorch(Sample("pytorch/two_ranks.log"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->measurements[0].name, "throughput");
  EXPECT_DOUBLE_EQ(result->measurements[0].value, 2 * 80 / 4.0);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "throughput", "0"), 80);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "throughput", "1"), 20);
}

TEST(PyTorchParse, WorkersThatDidNotRunTheSameAreOfTwoRuns) {
  const std::string log = Sample("pytorch/two_ranks.log");
  const std::size_t second = log.find('\n') + 1;
  for (const auto& [key, value] :
       {std::pair{"unit", "tokens"}, {"model", "resnet18"}, {"benchmarkType", "train"}}) {
    Json other = Json::parse(log.substr(second));
    other[key] = value;
    EXPECT_TRUE(FailsWith(ReadTorch(log.substr(0, second) + other.dump() + "\n"),
                          "workers 0 and 1 did not run the same: two runs"))
        << key;
  }
}

TEST(PyTorchParse, TwoReportsOfOneRankAreTwoRuns) {
  const std::string report = ReportJson().dump() + "\n";
  EXPECT_TRUE(FailsWith(ReadTorch(report + report), "2 runs in one document"));
  EXPECT_EQ(EachRun("pytorch", report + report).size(), 2U);
  const auto together =
      FindSuite("pytorch")->parse({.stages = {Printed(ReportJson()), Printed(ReportJson(), 1)}});
  EXPECT_TRUE(FailsWith(together, "two reports of worker 0"));
}

TEST(PyTorchParse, APartOfAGangIsNotTheWhole) {
  const std::string log = Sample("pytorch/two_ranks.log");
  EXPECT_TRUE(FailsWith(ReadTorch(log.substr(log.find('\n') + 1)), "reports of 1 of 2 workers"));
  Json first = ReportJson();
  first["numWorkers"] = 3;
  EXPECT_TRUE(FailsWith(ReadTorch(first.dump()), "reports of 1 of 3 workers"));
}

TEST(PyTorchParse, WhatAReportDoesNotSayIsMissing) {
  Json report = ReportJson();
  for (const char* field : {"cpuNs", "threads", "parameters", "importNs", "buildNs"}) {
    report.erase(field);
  }
  const auto result = ReadTorch(report.dump());
  ASSERT_TRUE(result.ok()) << result.status();
  for (const char* name :
       {"cpus_used", "threads", "parameters", "import_time", "build_time", "last_loss"}) {
    EXPECT_FALSE(Says(*result, name)) << name;
  }
}

TEST(PyTorchParse, BatchesAreNoLongerThanTheirRun) {
  Json report = ReportJson();
  report["wallNs"] = 1'000'000'000;
  EXPECT_TRUE(FailsWith(ReadTorch(report.dump()), "in a run of 1 s"));
  report = ReportJson();
  report["batchNs"][3] = 0;
  EXPECT_TRUE(FailsWith(ReadTorch(report.dump()), "a batch that took no time"));
}

TEST(PyTorchParse, ALossMayBeBelowZero) {
  Json report = ReportJson();
  report["firstLoss"] = 0;
  report["lastLoss"] = -1.5;
  const auto result = ReadTorch(report.dump());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "first_loss"), 0);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "last_loss"), -1.5);
}

TEST(PyTorchParse, WhatWasAskedForIsHeldAgainstWhatCame) {
  Outputs outputs{.stages = {Printed(ReportJson())}};
  const auto with = [&](const char* spec) {
    outputs.spec = spec;
    return FindSuite("pytorch")->parse(outputs);
  };
  const auto good = with(R"({"model": "resnet18", "inputBatchSize": 2, "batches": 10})");
  EXPECT_TRUE(good.ok()) << good.status();
  EXPECT_TRUE(FailsWith(with(R"({"model": "resnet18", "inputBatchSize": 4, "batches": 10})"),
                        "2 items a batch, not 4"));
  EXPECT_TRUE(
      FailsWith(with(R"({"model": "resnet18", "inputBatchSize": 2})"), "10 batches, not 20"));
  EXPECT_TRUE(FailsWith(
      with(
          R"({"model": "resnet18", "inputBatchSize": 2, "batches": 10, "benchmarkType": "train"})"),
      "training without a loss"));
  Json other = ReportJson();
  other["model"] = "alexnet";
  outputs.stages = {Printed(other)};
  EXPECT_TRUE(FailsWith(with(R"({"model": "resnet18", "inputBatchSize": 2, "batches": 10})"),
                        "the model alexnet, not resnet18"));
  outputs = Torchbench("alexnet", 0);
  EXPECT_TRUE(with(R"({"model": "alexnet", "inputBatchSize": 2})").ok());
  EXPECT_TRUE(FailsWith(with(R"({"model": "alexnet", "inputBatchSize": 4})"),
                        "it ran inputBatchSize 2, not 4"));
  EXPECT_TRUE(FailsWith(with(R"({"model": "resnet18", "inputBatchSize": 2})"),
                        "it ran model alexnet, not resnet18"));
}

TEST(PyTorchParse, ModelsAndTrainingAreDimensions) {
  Json report = ReportJson();
  report["model"] = "resnet18";
  report["benchmarkType"] = "train";
  const auto result = ReadTorch(report.dump());
  ASSERT_TRUE(result.ok()) << result.status();
  for (const Measurement& one : result->measurements) {
    EXPECT_EQ(one.dimensions,
              (Dimensions{{"model", "resnet18"}, {"benchmark", "train"}, {"inputBatchSize", "2"}}));
  }
}

TEST(PyTorchParse, BrokenJsonIsSaidWithItsPlace) {
  std::string text = ReportJson().dump();
  text.replace(text.find("\"rank\":"), 7, "\"rank\";");
  const auto result = ReadTorch(text);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(std::string(result.status().message()).find("cut off or garbled"), std::string::npos);
  EXPECT_NE(std::string(result.status().message()).find("line 1"), std::string::npos)
      << result.status();
}

TEST(PyTorchParse, APrefixOnEachLineIsSkippedAndSaid) {
  const std::string log = "warming up\n" + ReportJson().dump() + "\n";
  const auto plain = ReadTorch(log);
  const auto result = ReadTorch(Prefixed("[pod/pytorch-0/worker] ", log));
  ASSERT_TRUE(plain.ok() && result.ok()) << result.status();
  EXPECT_EQ(result->measurements, plain->measurements);
  EXPECT_EQ(result->notes.size(), 1U);
}

// However whole their reports are.
TEST(PyTorchParse, AnyWorkerThatWasKilledFailsTheJob) {
  for (std::size_t killed = 0; killed < 2; ++killed) {
    Json second = ReportJson();
    second["rank"] = 1;
    Outputs outputs{.stages = {Printed(ReportJson()), Printed(second, 1)}};
    EXPECT_TRUE(FindSuite("pytorch")->parse(outputs).ok());
    outputs.stages[killed].exit_code.reset();
    outputs.stages[killed].signal = 9;
    EXPECT_TRUE(FailsWith(FindSuite("pytorch")->parse(outputs),
                          absl::StrCat("pytorch of worker ", killed, ": killed by signal 9")));
  }
}

}  // namespace
}  // namespace twofold::suite
