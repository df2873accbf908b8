// What statuses of kube-perftest say of a run that is over, by what real tools have printed.

#include "kubernetes/operator/perftest_results.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "kubernetes/operator/measured_job.h"
#include "kubernetes/operator/perftest_crds.h"
#include "lib/suite/suite.h"
#include "suites/table/table.h"
#include "tests/kubernetes/operator/manifest.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// Job 17, of two workers, whose rank 0 has printed a golden output.
struct Scene {
  std::string kind;
  std::string suite;
  std::string stage;
  std::string sample;
  Json spec = Json::object();
};

v1::Artifact ArtifactOf(const std::string& text) {
  v1::Artifact artifact;
  std::string zstd(ZSTD_compressBound(text.size()), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), text.data(), text.size(), 1));
  artifact.set_name("stdout");
  artifact.set_zstd(zstd);
  artifact.set_bytes(text.size());
  return artifact;
}

MeasuredJob JobOf(const Scene& scene) {
  const std::string text = TextOfFile(("tests/golden/suites/" + scene.sample).c_str());
  suite::Outputs outputs;
  outputs.stages.emplace_back().out = text;
  const auto read = suite::FindSuite(scene.suite)->parse(outputs);
  EXPECT_TRUE(read.ok()) << scene.sample << ": " << read.status();
  MeasuredJob job{.id = 17};
  if (read.ok()) suite::AddTo(*read, job.result);
  for (const char* name : {"a", "b"}) {
    v1::RankRecord& rank = *job.result.add_ranks();
    rank.set_node(absl::StrCat("node-", name));
    rank.set_pod(absl::StrCat("pod-", name));
    rank.set_address(name == std::string("a") ? "10.0.0.1" : "fd00::2");
  }
  v1::StageRecord& stage = *job.result.mutable_ranks(0)->add_stages();
  stage.set_name(scene.stage);
  stage.add_argv("tool");
  stage.add_argv("--fast");
  stage.set_wall_ns(1500000000);
  *stage.mutable_out() = ArtifactOf(text);
  return job;
}

Json ObjectOf(const std::string& kind, const Json& spec) {
  return {{"apiVersion", "perftest.stackhpc.com/v1alpha1"}, {"kind", kind}, {"spec", spec}};
}

Json StatusOf(const Scene& scene, const MeasuredJob& job) {
  Results results;
  results.job = std::make_shared<const MeasuredJob>(job);
  return PerftestResults(ObjectOf(scene.kind, scene.spec), results);
}
Json StatusOf(const Scene& scene) { return StatusOf(scene, JobOf(scene)); }

const Scene kIperf = {"IPerf", "iperf", "client", "iperf/iperf2_two_intervals.txt"};
const Scene kPingPong = {"MPIPingPong", "mpi-pingpong", "pingpong", "mpi_pingpong/imb.txt"};
const Scene kFio = {"Fio", "fio", "fio", "fio/worker0.json"};

TEST(PerftestResults, StreamsAndTheirSumAreIperfsOwnKBytesAndKbits) {
  EXPECT_EQ(StatusOf(kIperf)["result"],
            Json::parse(R"({"streams": {"1": {"transfer": 1620736, "bandwidth": 6520738},
                                        "2": {"transfer": 2057984, "bandwidth": 8281541}},
                            "sum": {"transfer": 3678720, "bandwidth": 14918280}})"));
}

TEST(PerftestResults, OfIperf3TheSumIsKnownAlone) {
  EXPECT_EQ(StatusOf({"IPerf", "iperf", "client", "iperf/iperf3_tcp.json"})["result"],
            Json::parse(R"({"sum": {"bandwidth": 13917193}})"));
}

TEST(PerftestResults, TablesAreRowsInTheirOrderAndUnits) {
  const Json pingpong = StatusOf(kPingPong);
  EXPECT_EQ(pingpong["timeUnits"], "us");
  EXPECT_EQ(pingpong["bandwidthUnits"], "MB/s");
  EXPECT_EQ(pingpong["results"].at(0),
            Json::parse(R"({"bytes": 0, "time": 13.28, "bandwidth": 0})"));
  EXPECT_EQ(pingpong["results"].back(),
            Json::parse(R"({"bytes": 65536, "time": 106.3, "bandwidth": 616.5})"));
  const Json bandwidth =
      StatusOf({"RDMABandwidth", "rdma-bandwidth", "client", "rdma/read_bw.txt"});
  EXPECT_EQ(bandwidth["results"].at(1),
            Json::parse(R"({"bytes": 4, "iterations": 1000, "peakBandwidth": 0.17,
                            "averageBandwidth": 0.16, "messageRate": 5.1})"));
  const Json latency = StatusOf({"RDMALatency", "rdma-latency", "client", "rdma/write_lat.txt"});
  EXPECT_EQ(latency["results"].at(0),
            Json::parse(R"({"bytes": 2, "iterations": 1000, "minimum": 1.03, "maximum": 4,
                            "typical": 1.05, "average": 1.06, "stdev": 0.06,
                            "percentile99": 1.16, "percentile999": 2.08})"));
}

TEST(PerftestResults, ATableIsBounded) {
  MeasuredJob job = JobOf(kPingPong);
  v1::Series& table = *job.result.mutable_series(0);
  const std::vector<double> row(table.values().begin(),
                                table.values().begin() + table.columns_size());
  for (int i = 0; i < 1000; ++i) table.mutable_values()->Add(row.begin(), row.end());
  EXPECT_EQ(StatusOf(kPingPong, job)["results"].size(), std::size_t{kMostRows});
}

TEST(PerftestResults, TimesOfASolverAreThoseOfGnuTime) {
  const Json status = StatusOf({"OpenFOAM", "openfoam", "solve", "openfoam/kube_perftest.txt"});
  EXPECT_EQ(status["result"], Json::parse(R"({"userTime": 0.6, "sysTime": 0.33})"));
  EXPECT_FALSE(status.contains("clientLog") || status.contains("masterLog"));
}

TEST(PerftestResults, RatesOfFioAreInKibAndItsLatenciesInNanoseconds) {
  EXPECT_EQ(StatusOf(kFio)["result"],
            Json::parse(R"({"readBw": 47628.3710938, "readIops": 11907.092907,
                            "readLatNsMean": 503988.886652, "readLatNsStddev": 520734.764062,
                            "writeBw": 20931.0683594, "writeIops": 5232.767233,
                            "writeLatNsMean": 355197.205804, "writeLatNsStddev": 501684.301685})"));
}

TEST(PerftestResults, OfSeveralWorkersNobodyKnowsTheDeviationOfAll) {
  MeasuredJob job = JobOf(kFio);
  const v1::BenchmarkResult one_worker = job.result;
  for (const v1::Measurement& one : one_worker.measurements()) {
    if (one.name() == "total_latency_stddev") *job.result.add_measurements() = one;
  }
  const Json result = StatusOf(kFio, job)["result"];
  EXPECT_FALSE(result.contains("readLatNsStddev"));
  EXPECT_TRUE(result.contains("readLatNsMean"));
}

TEST(PerftestResults, PyTorchsAreOfABatchAndOfTheWholeProgram) {
  const Json limits = {{"limits", {{"nvidia.com/gpu", "2"}}}};
  const Json status =
      StatusOf({"PyTorch", "pytorch", "pytorch", "pytorch/resnet18.json", {{"resources", limits}}});
  EXPECT_EQ(status["result"],
            Json::parse(R"({"pytorchTime": 0.234881023, "peakCpuMemory": 0.325038080000,
                            "gnuTime": {"command": "tool --fast", "wallTimeSecs": 1.5}})"));
  EXPECT_EQ(status["wallTimeResult"], 0.234881023);
  EXPECT_EQ(status["gpuCount"], 2);
  EXPECT_EQ(status["workerPod"]["nodeName"], "node-a");
}

TEST(PerftestResults, PodsAreTheRanks) {
  const Json a = {{"nodeName", "node-a"}, {"podIp", "10.0.0.1"}};
  const Json b = {{"nodeName", "node-b"}, {"podIp", "fd00::2"}};
  const Json iperf = StatusOf(kIperf);
  EXPECT_EQ(iperf["clientPod"], a);
  EXPECT_EQ(iperf["serverPod"], b);
  const Json fio = StatusOf(kFio);
  EXPECT_EQ(fio["masterPod"], a);
  EXPECT_EQ(fio["workerPods"], (Json{{"pod-a", a}, {"pod-b", b}}));
}

TEST(PerftestResults, OnTheNetworkOfANodeAnAddressIsThatOfTheNode) {
  Scene scene = kIperf;
  scene.spec = {{"hostNetwork", true}};
  MeasuredJob job = JobOf(scene);
  job.result.mutable_ranks(1)->set_address("a-name");
  const Json status = StatusOf(scene, job);
  EXPECT_EQ(status["clientPod"]["nodeIp"], "10.0.0.1");
  EXPECT_EQ(status["serverPod"], Json::parse(R"({"nodeName": "node-b"})"))
      << "a name is no address";
}

TEST(PerftestResults, ALogIsTheEndOfTheOutputAndSaysWhereAllOfItIs) {
  const std::string small = StatusOf(kIperf)["clientLog"];
  EXPECT_THAT(small, EndsWith("[SUM] 0.0000-2.0201 sec  3678720 KBytes  14918280 Kbits/sec\n"));
  const std::string log = StatusOf(kFio)["clientLog"];
  EXPECT_LE(log.size(), 4096U);
  EXPECT_THAT(log,
              HasSubstr("bytes before this are left out: `twofold job output 17 --stage fio`"));
  EXPECT_TRUE(StatusOf(kPingPong).contains("masterLog"));
}

TEST(PerftestResults, AToolThatFailedIsHeardOnStderr) {
  MeasuredJob job{.id = 17};
  v1::StageRecord& stage = *job.result.add_ranks()->add_stages();
  stage.set_name("client");
  *stage.mutable_err() = ArtifactOf("connect failed: Connection refused\n");
  EXPECT_EQ(StatusOf(kIperf, job), (Json{{"clientLog", "connect failed: Connection refused\n"}}));
}

TEST(PerftestResults, WhatIsNotKnownIsNotThere) {
  EXPECT_EQ(PerftestResults(ObjectOf("IPerf", Json::object()), {}), Json::object());
  EXPECT_EQ(StatusOf(kIperf, {.id = 17}), Json::object());
  MeasuredJob broken;
  broken.result.add_ranks()->add_stages()->set_name("client");
  broken.result.mutable_ranks(0)->mutable_stages(0)->mutable_out()->set_zstd("no zstd");
  broken.result.mutable_ranks(0)->mutable_stages(0)->mutable_out()->set_bytes(100);
  EXPECT_EQ(StatusOf(kIperf, broken), Json::object());
}

TEST(PerftestResults, ASetHasNoJobOfItsOwn) {
  EXPECT_TRUE(TellsOfItsJob(ObjectOf("Fio", Json::object())));
  EXPECT_FALSE(TellsOfItsJob(ObjectOf("BenchmarkSet", Json::object())));
  EXPECT_FALSE(TellsOfItsJob({{"apiVersion", "twofold.dev/v1alpha1"}, {"kind", "Fio"}}));
}

// ---- the definitions

using Types = std::map<std::string, std::string>;

/// Each field of a schema that has none itself, by its path.
void AddLeaves(const yaml::Json& schema, const std::string& path, Types& leaves) {
  const auto below = [&](const std::string& name) {
    return path.empty() ? name : absl::StrCat(path, "/", name);
  };
  if (schema.contains("properties")) {
    for (const auto& [name, field] : schema["properties"].items()) {
      AddLeaves(field, below(name), leaves);
    }
  } else if (schema.contains("additionalProperties")) {
    AddLeaves(schema["additionalProperties"], below("*"), leaves);
  } else if (schema.contains("items")) {
    AddLeaves(schema["items"], path + "[]", leaves);
  } else {
    const bool is_either = schema.contains("x-kubernetes-int-or-string");
    leaves[path] = is_either ? "int-or-string" : schema["type"].get<std::string>();
  }
}

/// Those of kinds.yaml, by "KIND PATH".
Types FieldsOfTheirs() {
  const auto document = yaml::ParseDocument(PerftestKindsText());
  const yaml::Json file = yaml::ToJson(**document);
  Types fields;
  for (const yaml::Json& definition : PerftestDefinitions()) {
    const std::string kind = definition["spec"]["names"]["kind"];
    const yaml::Json root = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    const yaml::Json& status = root["properties"]["status"]["properties"];
    if (!file["kinds"][kind].contains("image")) continue;
    Types leaves;
    for (const auto& [name, field] : file["kinds"][kind]["status"].items()) {
      AddLeaves(status[name], name, leaves);
    }
    for (const auto& [path, type] : leaves) fields[absl::StrCat(kind, " ", path)] = type;
  }
  return fields;
}

TEST(PerftestResults, EachFieldIsOneOfTheirsWithItsType) {
  const Types theirs = FieldsOfTheirs();
  EXPECT_EQ(theirs.at("Fio result/readBw"), "number");
  for (const FilledField& field : PerftestFilledFields()) {
    const std::string name = absl::StrCat(field.kind, " ", field.path);
    ASSERT_TRUE(theirs.contains(name)) << name;
    EXPECT_EQ(theirs.at(name), field.type) << name;
  }
}

TEST(PerftestResults, WhatStaysEmptyIsInTheDocumentation) {
  Types theirs = FieldsOfTheirs();
  for (const FilledField& field : PerftestFilledFields()) {
    theirs.erase(absl::StrCat(field.kind, " ", field.path));
  }
  std::string row = "| fields that stay empty |";
  for (const auto& [name, type] : theirs) {
    absl::StrAppend(&row, row.ends_with('|') ? " " : ", ", "`", name, "`");
  }
  EXPECT_THAT(TextOfFile("docs/operator.md"), HasSubstr(row));
}

}  // namespace
}  // namespace twofold::benchmarks
