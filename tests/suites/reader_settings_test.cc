// What a tool says of how it was run: numbers of two ways are not compared.

#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/suite/json.h"
#include "suites/fio/fio.h"
#include "suites/lifecycle/lifecycle.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

// The dimension of the first measurement; "-": it has none of this name.
std::string DimensionOf(const Result<Measurements>& read, std::string_view name) {
  EXPECT_TRUE(read.ok()) << read.status();
  if (!read.ok() || read->measurements.empty()) return "?";
  for (const auto& [key, value] : read->measurements[0].dimensions) {
    if (key == name) return value;
  }
  return "-";
}

using Identity = std::tuple<std::string, std::string, Dimensions>;

// The headlines that `twofold compare` would set beside each other.
std::vector<Identity> InCommon(const Result<Measurements>& one, const Result<Measurements>& other) {
  EXPECT_TRUE(one.ok()) << one.status();
  EXPECT_TRUE(other.ok()) << other.status();
  std::vector<Identity> common;
  if (!one.ok() || !other.ok()) return common;
  for (const Measurement& a : one->measurements) {
    for (const Measurement& b : other->measurements) {
      const bool is_pair = a.headline && b.headline && a.name == b.name && a.unit == b.unit &&
                           a.dimensions == b.dimensions;
      if (is_pair) common.emplace_back(a.name, a.unit, a.dimensions);
    }
  }
  return common;
}

// ---- fio

// A sample of fio with another value of an option.
Result<Measurements> WithOption(const char* sample, const char* option, const std::string& value) {
  Json json = Json::parse(Sample(sample));
  for (Json& job : json["jobs"]) job["job options"][option] = value;
  return ReadText("fio", json.dump(1));
}

TEST(ReaderSettings, OptionsOfFioAreDimensionsAndSoIsWhatItTakesWithoutThem) {
  for (const auto& [name, mixed, reads] : {std::tuple{"pattern", "randrw", "read"},
                                           {"rwmixread", "70", "-"},
                                           {"bs", "4k", "4k"},
                                           {"iodepth", "4", "1"},
                                           {"numJobs", "2", "1"},
                                           {"ioengine", "libaio", "psync"},
                                           {"direct", "0", "0"},
                                           {"fsync", "-", "-"}}) {
    EXPECT_EQ(DimensionOf(ReadText("fio", Sample("fio/worker0.json")), name), mixed) << name;
    EXPECT_EQ(DimensionOf(ReadText("fio", Sample("fio/forms_both.json")), name), reads) << name;
  }
}

TEST(ReaderSettings, FioThatWasRunInAnotherWayIsNotCompared) {
  const char* const sample = "fio/forms_both.json";
  const auto plain = ReadText("fio", Sample(sample));
  EXPECT_FALSE(InCommon(plain, plain).empty());
  for (const auto& [option, value] : {std::pair{"rw", "randread"},
                                      {"iodepth", "32"},
                                      {"numjobs", "4"},
                                      {"ioengine", "io_uring"},
                                      {"direct", "1"},
                                      {"buffered", "0"},
                                      {"fdatasync", "1"},
                                      {"rate_iops", "1000"}}) {
    EXPECT_TRUE(InCommon(plain, WithOption(sample, option, value)).empty()) << option;
  }
  for (const auto& [option, value] : {std::pair{"rw", "read:8"}, {"bs", "4096"}, {"fsync", "0"}}) {
    EXPECT_FALSE(InCommon(plain, WithOption(sample, option, value)).empty()) << option;
  }
}

TEST(ReaderSettings, FormsOfFioSayOnlyTheSettingsThatTheyPrint) {
  const auto normal = ReadText("fio", Sample("fio/forms_group.txt"));
  EXPECT_EQ(DimensionOf(normal, "pattern"), "randrw");
  EXPECT_EQ(DimensionOf(normal, "bs"), "4k");
  EXPECT_EQ(DimensionOf(normal, "iodepth"), "4");
  EXPECT_EQ(DimensionOf(normal, "ioengine"), "libaio");
  EXPECT_EQ(DimensionOf(normal, "numJobs"), "2");
  EXPECT_EQ(DimensionOf(normal, "direct"), "-");
  const auto terse = ReadText("fio", Sample("fio/forms_group.terse"));
  for (const char* name : {"pattern", "bs", "iodepth", "numJobs", "direct"}) {
    EXPECT_EQ(DimensionOf(terse, name), "-") << name;
  }
  EXPECT_TRUE(InCommon(terse, ReadText("fio", Sample("fio/forms_group.json"))).empty());
}

TEST(ReaderSettings, SizesOfRequestsOfFioAreThoseOfTheSide) {
  std::string text = Sample("fio/forms_group.txt");
  text = absl::StrReplaceAll(text, {{"(W) 4096B-4096B", "(W) 16.0KiB-1024KiB"}});
  const auto read = ReadText("fio", text);
  ASSERT_TRUE(read.ok()) << read.status();
  for (const Measurement& one : read->measurements) {
    const std::string* side = fio::ValueOf(one.dimensions, "rw");
    const char* size = side == nullptr ? "4k+16k-1M" : *side == "read" ? "4k" : "16k-1M";
    EXPECT_EQ(*fio::ValueOf(one.dimensions, "bs"), size) << one.name;
  }
}

// With group_reporting fio prints one entry of all jobs, and the options of the last of them.
TEST(ReaderSettings, OptionsOfFioThatAreNotOfWhatWasDoneAreNotTaken) {
  const char* const sample = "fio/forms_both.json";
  for (const auto& [option, value] : {std::pair{"rw", "write"}, {"bs", "16k"}}) {
    const auto read = WithOption(sample, option, value);
    EXPECT_EQ(DimensionOf(read, "iodepth"), "-") << option;
    ASSERT_EQ(read->notes.size(), 1U);
    EXPECT_NE(read->notes[0].find("job both did not do what its options say"), std::string::npos);
  }
  Json json = Json::parse(Sample(sample));
  json["jobs"][0]["job_runtime"] = 3 * json["jobs"][0]["job_runtime"].get<int>();
  EXPECT_EQ(DimensionOf(ReadText("fio", json.dump(1)), "iodepth"), "-");
}

TEST(ReaderSettings, ATotalOfFioHasTheSettingsOfAllItsJobs) {
  Json json = Json::parse(Sample("fio/forms_both.json"));
  json["jobs"].push_back(json["jobs"][0]);
  json["jobs"][1]["jobname"] = "deep";
  json["jobs"][1]["job options"]["iodepth"] = "8";
  const auto read = ReadText("fio", json.dump(1));
  EXPECT_EQ(DimensionOf(read, "worker"), "all");
  EXPECT_EQ(DimensionOf(read, "iodepth"), "1+8");
  EXPECT_EQ(DimensionOf(read, "pattern"), "read");
}

TEST(ReaderSettings, ATotalOfSeveralWorkersOfFioIsNotComparedWithThatOfOne) {
  Outputs outputs = Saved("fio/worker0.json");
  const auto one = FindSuite("fio")->parse(outputs);
  outputs.stages.push_back(Saved("fio/worker1.json").stages[0]);
  outputs.stages[1].rank = 1;
  const auto two = FindSuite("fio")->parse(outputs);
  EXPECT_EQ(DimensionOf(two, "numWorkers"), "2");
  for (const auto& [name, unit, dimensions] : InCommon(one, two)) {
    EXPECT_EQ(*fio::ValueOf(dimensions, "worker"), "0") << name;
  }
}

// ---- Object storage, OpenFOAM, PyTorch

TEST(ReaderSettings, AnObjectStoreUnderAnotherLoadIsNotCompared) {
  const std::string text = Sample("object_storage/one.json");
  const auto plain = ReadText("object-storage", text);
  for (const auto& [name, value] : {std::pair{"numworkers", "2"},
                                    {"minsize", "4KiB"},
                                    {"maxsize", "64KiB"},
                                    {"rate", "40"},
                                    {"pctput", "40"},
                                    {"pctdelete", "-"},
                                    {"nodecount", "-"}}) {
    EXPECT_EQ(DimensionOf(plain, name), value) << name;
  }
  EXPECT_FALSE(InCommon(plain, plain).empty());
  for (const auto& [field, other] : {std::pair{R"("numworkers":2)", R"("numworkers":64)"},
                                     {R"("maxsize":"64KiB")", R"("maxsize":"1MiB")"},
                                     {R"("pctput":40)", R"("pctput":41)"}}) {
    const auto read = ReadText("object-storage", absl::StrReplaceAll(text, {{field, other}}));
    EXPECT_TRUE(InCommon(plain, read).empty()) << other;
  }
}

TEST(ReaderSettings, ACaseOfOpenFoamOfAnotherSizeIsNotCompared) {
  const std::string log = Sample("openfoam/simple.log");
  const auto plain = ReadText("openfoam", log);
  EXPECT_EQ(DimensionOf(plain, "numProcs"), "1");
  EXPECT_EQ(DimensionOf(plain, "steps"), "2");
  EXPECT_EQ(DimensionOf(plain, "cells"), "-");
  EXPECT_FALSE(InCommon(plain, plain).empty());
  const auto four = ReadText("openfoam", absl::StrReplaceAll(log, {{"nProcs : 1", "nProcs : 4"}}));
  EXPECT_TRUE(InCommon(plain, four).empty());
}

TEST(ReaderSettings, BatchesOfAnotherSizeAreNotCompared) {
  const std::string text = Sample("pytorch/resnet18.json");
  Json json = Json::parse(text.substr(text.find('{')));
  const auto plain = ReadText("pytorch", json.dump(1));
  EXPECT_EQ(DimensionOf(plain, "inputBatchSize"), "2");
  EXPECT_FALSE(InCommon(plain, plain).empty());
  json["itemsPerBatch"] = "64";
  EXPECT_TRUE(InCommon(plain, ReadText("pytorch", json.dump(1))).empty());
}

TEST(ReaderSettings, WhatAModelOfTextWasGivenIsADimensionWhereItIsNotTheUsual) {
  const std::string text = Sample("pytorch/resnet18.json");
  Json json = Json::parse(text.substr(text.find('{')));
  json["unit"] = "tokens";
  json["settings"] = {{"inputBatchSize", "64"}, {"sequenceLength", "32"}, {"dtype", "float32"}};
  const auto usual = ReadText("pytorch", json.dump(1));
  EXPECT_EQ(DimensionOf(usual, "inputBatchSize"), "64");
  EXPECT_EQ(DimensionOf(usual, "sequenceLength"), "-");
  EXPECT_FALSE(InCommon(usual, usual).empty());
  for (const auto& [field, value] :
       {std::pair{"inputBatchSize", "8"}, {"sequenceLength", "2048"}, {"dtype", "bfloat16"}}) {
    Json other = json;
    other["settings"][field] = value;
    const auto read = ReadText("pytorch", other.dump(1));
    EXPECT_EQ(DimensionOf(read, field), value);
    EXPECT_TRUE(InCommon(usual, read).empty()) << field;
  }
}

TEST(ReaderSettings, RunsOfPytorchBenchmarkInAnotherWayAreNotCompared) {
  const std::string text = Sample("pytorch/torchbench_alexnet.out");
  const auto plain = ReadText("pytorch", text);
  EXPECT_EQ(DimensionOf(plain, "inputBatchSize"), "2");
  EXPECT_EQ(DimensionOf(plain, "dtype"), "fp32");
  EXPECT_EQ(DimensionOf(plain, "mode"), "-") << "it is the usual one";
  EXPECT_FALSE(InCommon(plain, plain).empty());
  for (const auto& [from, to] : {std::pair{"batch size 2 ", "batch size 32 "},
                                 {"precision fp32", "precision fp16"},
                                 {"in eager mode", "in dynamo inductor mode"}}) {
    EXPECT_TRUE(
        InCommon(plain, ReadText("pytorch", absl::StrReplaceAll(text, {{from, to}}))).empty())
        << to;
  }
}

// ---- lifecycle

TEST(ReaderSettings, LoadsOfAClusterAreNotComparedWithOthers) {
  Json json = Json::parse(Sample("lifecycle/jobs.json"));
  const auto said = [&](const char* spec) {
    json["load"] = Json::object();
    for (const auto& [field, value] : lifecycle::LoadOf(*lifecycle::ReadSpec(spec))) {
      json["load"][field] = value;
    }
    return ReadText("lifecycle", json.dump(1));
  };
  const auto one = said(R"({"kind": "job", "count": 40, "rate": 10})");
  EXPECT_EQ(DimensionOf(one, "count"), "40");
  EXPECT_EQ(DimensionOf(one, "rate"), "-") << "it is the usual one";
  EXPECT_FALSE(InCommon(one, one).empty());
  for (const char* other :
       {R"({"kind": "job", "count": 400})", R"({"kind": "job", "count": 40, "rate": 100})",
        R"({"kind": "job", "count": 40, "parallel": 4})",
        R"({"kind": "job", "count": 40, "fill": 9})",
        R"({"kind": "job", "count": 40, "workers": 8})",
        R"({"kind": "job", "count": 40, "pvc": "1Gi"})",
        R"({"kind": "job", "count": 40, "wave": 10, "delay": 2})"}) {
    EXPECT_TRUE(InCommon(one, said(other)).empty()) << other;
  }
}

// ---- OSU

TEST(ReaderSettings, BuffersOfOsuAreADimension) {
  const auto buffers = [](const std::string& line, const std::string& title) {
    return DimensionOf(ReadText("osu", "# OSU MPI" + title + " v7.4\n" + line +
                                           "\n# Size          Latency (us)\n1  0.61\n2  0.48\n"),
                       "buffers");
  };
  EXPECT_EQ(
      buffers("# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)", "-CUDA Latency Test"),
      "D to H");
  EXPECT_EQ(buffers("# Send Buffer on MANAGED (MD) and Receive Buffer on MANAGED (MH)",
                    "-SYCL Latency Test"),
            "MD to MH");
  EXPECT_EQ(buffers("# Rank 0 Memory on HOST (H) and Rank 1 Memory on DEVICE (D)",
                    "_Put-CUDA Latency Test"),
            "H to D");
  EXPECT_EQ(buffers("# Datatype: MPI_CHAR.", " Latency Test"), "-");
}

TEST(ReaderSettings, WhatElseTheHeaderOfOsuSaysIsADimension) {
  for (const auto& [sample, name, value] :
       {std::tuple{"osu_put_latency-lock-create-np2.txt", "window_creation", "MPI_Win_create"},
        {"osu_put_latency-lock-create-np2.txt", "synchronization", "MPI_Win_lock/unlock"},
        {"osu_latency_mt-np2.txt", "receiver_threads", "2"},
        {"osu_latency_mp-np2.txt", "sender_processes", "2"},
        {"osu_neighbor_alltoallw-np4.txt", "graph_dimensions", "4"},
        {"osu_mbw_mr-np2.txt", "window", "64"},
        {"osu_mbw_mr-R0-np4.txt", "pairs", "2"}}) {
    EXPECT_EQ(DimensionOf(ReadText("osu", Sample(std::string("osu/") + sample)), name), value)
        << sample;
  }
}

// By `ranks` people scale, so nothing else may vary with it.
TEST(ReaderSettings, PairsOfAllRanksOfOsuAreSaidByTheRanks) {
  const auto pairs = [](const char* ranks) {
    Outputs outputs = Saved("osu/osu_mbw_mr-R0-np4.txt");
    outputs.stages[0].argv = {"mpirun", "-np", ranks, "osu_mbw_mr"};
    return DimensionOf(FindSuite("osu")->parse(outputs), "pairs");
  };
  EXPECT_EQ(pairs("4"), "-");
  EXPECT_EQ(pairs("8"), "2");
}

TEST(ReaderSettings, DerivedDatatypesOfOsuAreReadWithTheirLayout) {
  const auto read = ReadText("osu",
                             "# Set Derived DataTypes block_length to 64, stride to 128\n"
                             "# OSU MPI Latency Test v7.2\n"
                             "# Size          Latency (us)     Transmit Size\n"
                             "1  0.61  1\n128  0.98  64\n");
  EXPECT_EQ(DimensionOf(read, "layout"), "block_length to 64, stride to 128");
  EXPECT_TRUE(Says(*read, "transmitted"));
}

// ---- Iperf

TEST(ReaderSettings, UdpOfIperfIsNotComparedWithTcp) {
  for (const char* sample : {"iperf/iperf3_udp.json", "iperf/iperf3_text_udp.txt",
                             "iperf/iperf2_udp.txt", "iperf/iperf2_enhanced_udp.txt"}) {
    const auto read = ReadText("iperf", Sample(sample));
    ASSERT_TRUE(read.ok()) << sample << read.status();
    for (const Measurement& one : read->measurements) {
      EXPECT_EQ(
          std::count(one.dimensions.begin(), one.dimensions.end(), Dimension("protocol", "UDP")), 1)
          << sample << one.name;
    }
  }
  EXPECT_EQ(DimensionOf(ReadText("iperf", Sample("iperf/iperf3_tcp.json")), "protocol"), "-");
}

TEST(ReaderSettings, StreamsOfIperfAreADimensionOfAllNumbersInAllForms) {
  for (const auto& [sample, streams] : {std::pair{"iperf/iperf3_tcp.json", "1"},
                                        {"iperf/iperf3_reverse.json", "2"},
                                        {"iperf/iperf3_text_two.txt", "2"},
                                        {"iperf/iperf3_text_verbose.txt", "1"},
                                        {"iperf/iperf2_one.txt", "1"},
                                        {"iperf/iperf2_enhanced_two.txt", "2"},
                                        {"iperf/iperf2_csv_two.txt", "2"},
                                        {"iperf/iperf2_udp.txt", "2"}}) {
    const auto read = ReadText("iperf", Sample(sample));
    ASSERT_TRUE(read.ok()) << sample << read.status();
    for (const Measurement& one : read->measurements) {
      EXPECT_EQ(
          std::count(one.dimensions.begin(), one.dimensions.end(), Dimension("streams", streams)),
          1)
          << sample << one.name;
    }
  }
  EXPECT_TRUE(InCommon(ReadText("iperf", Sample("iperf/iperf2_one.txt")),
                       ReadText("iperf", Sample("iperf/iperf2_enhanced_two.txt")))
                  .empty());
}

TEST(ReaderSettings, IperfThatWasRunInAnotherWayIsNotCompared) {
  const auto with = [](const char* sample, const char* field, const char* value) {
    return ReadText("iperf", absl::StrReplaceAll(Sample(sample), {{field, value}}));
  };
  const char* const tcp = "iperf/iperf3_tcp.json";
  const auto plain = ReadText("iperf", Sample(tcp));
  EXPECT_EQ(DimensionOf(plain, "bitrate"), "-");
  EXPECT_EQ(DimensionOf(plain, "length"), "-");
  EXPECT_EQ(DimensionOf(plain, "bidirectional"), "-");
  EXPECT_TRUE(InCommon(plain, ReadText("iperf", Sample("iperf/iperf3_bidir.json"))).empty());
  const std::string slow = absl::StrReplaceAll(
      Sample(tcp), {{R"("target_bitrate":	0)", R"("target_bitrate":	20000000)"},
                    {R"("target_bitrate": 0)", R"("target_bitrate": 20000000)"}});
  EXPECT_EQ(DimensionOf(ReadText("iperf", slow), "bitrate"), "20");
  EXPECT_TRUE(InCommon(plain, ReadText("iperf", slow)).empty());
  const auto udp = ReadText("iperf", Sample("iperf/iperf3_udp.json"));
  EXPECT_EQ(DimensionOf(udp, "bitrate"), "20");
  EXPECT_EQ(DimensionOf(udp, "length"), "32768");
  EXPECT_TRUE(InCommon(udp, with("iperf/iperf3_udp.json", "32768", "1448")).empty());
  Outputs outputs = Saved("iperf/iperf3_udp.json");
  outputs.spec = R"({"protocol": "UDP", "streams": 2, "duration": 1, "bitrate": 30})";
  EXPECT_TRUE(FailsWith(FindSuite("iperf")->parse(outputs), "held to 20 Mbit/s, not 30"));
  outputs.spec = R"({"protocol": "UDP", "streams": 2, "duration": 1, "length": 64})";
  EXPECT_TRUE(FailsWith(FindSuite("iperf")->parse(outputs), "a length of 32768 B, not 64"));
}

// ---- Perftest

TEST(ReaderSettings, ATableOfPerftestWithoutItsTitleIsSaidToBeOfNoKnownOperation) {
  const std::string text = Sample("rdma/read_bw.txt");
  const auto read = ReadText("rdma-bandwidth", text.substr(text.find("TX depth")));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->notes.size(), 1U);
  EXPECT_EQ(read->notes[0],
            "perftest's title is missing: nothing tells whether these are reads, writes or sends");
  EXPECT_TRUE(ReadText("rdma-bandwidth", text)->notes.empty());
}

TEST(ReaderSettings, SettingsInTheHeaderOfPerftestAreDimensions) {
  const std::string text = Sample("rdma/read_bw.txt");
  const auto with = [&](const char* line, const char* name) {
    return DimensionOf(
        ReadText("rdma-bandwidth", absl::StrReplaceAll(text, {{" CQ Moderation   : 1\n", line}})),
        name);
  };
  EXPECT_EQ(with(" Post List       : 64\n", "post_list"), "64");
  EXPECT_EQ(with(" Post List       : 64\n", "cq_moderation"), "-");
  EXPECT_EQ(with(" CQ Moderation   : 100\n", "cq_moderation"), "100");
  EXPECT_EQ(with(" CQE Poll Batch  : 16\n", "cqe_poll_batch"), "16");
  EXPECT_EQ(with(" Max inline data : 220[B]\n", "inline"), "220");
  EXPECT_EQ(with(" Max inline data : 220B\n", "inline"), "220");
  EXPECT_EQ(with(" RX depth        : 512\n", "rx_depth"), "512");
  EXPECT_EQ(with(" Test with events.\n", "events"), "ON");
  EXPECT_EQ(with(" allocated GPU buffer address at 7f00 pointer=0x7f00\n", "memory"), "GPU");
  const auto plain = ReadText("rdma-bandwidth", text);
  for (const auto& [name, value] : {std::pair{"connection", "RC"},
                                    {"qps", "1"},
                                    {"tx_depth", "128"},
                                    {"mtu", "4096"},
                                    {"outstanding_reads", "16"},
                                    {"srq", "-"},
                                    {"dual_port", "-"},
                                    {"memory", "-"}}) {
    EXPECT_EQ(DimensionOf(plain, name), value) << name;
  }
}

// ---- Ffmpeg

TEST(ReaderSettings, CopyingIsNoEncoding) {
  EXPECT_TRUE(FailsWith(ReadText("media", Sample("media/cases/copy.log")),
                        "its video is copied (-c copy): nothing was encoded"));
  const auto beside = ReadText("media", Sample("media/cases/copy_beside.log"));
  ASSERT_TRUE(beside.ok()) << beside.status();
  std::string encoder;
  for (const Measurement& one : beside->measurements) {
    if (one.name != "frame_rate") continue;
    for (const auto& [key, value] : one.dimensions) encoder = key == "encoder" ? value : encoder;
  }
  EXPECT_EQ(encoder, "mpeg4+copy");
}

// At ffmpeg's own level of words it says the encoder, and not the frames of each output.
TEST(ReaderSettings, TheEncoderIsSaidWithoutTheFramesOfEachOutput) {
  std::string text = Sample("media/ffmpeg_one.out") + Sample("media/ffmpeg_one.err");
  const std::size_t at = text.find("Output stream #");
  ASSERT_NE(at, std::string::npos);
  text.erase(at, text.find('\n', at) - at);
  const auto read = ReadText("media", text);
  ASSERT_TRUE(read.ok()) << read.status();
  bool said = false;
  for (const Measurement& one : read->measurements) {
    if (one.name != "frame_rate") continue;
    said = std::any_of(one.dimensions.begin(), one.dimensions.end(),
                       [](const Dimension& each) { return each.first == "encoder"; });
  }
  EXPECT_TRUE(said);
}

// ---- OpenFOAM

TEST(ReaderSettings, FoamRunIsNamedByTheModuleThatSolves) {
  EXPECT_EQ(DimensionOf(ReadText("openfoam", Sample("openfoam/cases/foam_run.log")), "solver"),
            "incompressibleFluid");
  const std::string regions = absl::StrReplaceAll(
      Sample("openfoam/cases/foam_run.log"),
      {{"foamRun -solver incompressibleFluid", "foamMultiRun"},
       {"Selecting solver incompressibleFluid", "Selecting solver fluid\nSelecting solver solid"}});
  EXPECT_EQ(DimensionOf(ReadText("openfoam", regions), "solver"), "fluid+solid");
}

TEST(ReaderSettings, TheFlowThatIsSaidBeforeItsStepIsOfThatStep) {
  const auto read = ReadText("openfoam", Sample("openfoam/cases/pimple.log"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ValueOf(*read, "courant_mean"), 0.03);
  ASSERT_EQ(read->series.size(), 1U);
  const Series& steps = read->series[0];
  ASSERT_EQ(steps.columns.back().name, "courant_mean");
  EXPECT_EQ(steps.rows[0].back(), 0.01);
  EXPECT_EQ(steps.rows[2].back(), 0.03);
}

// What a tool says before the line at which its run begins is of that run.
TEST(ReaderSettings, EachRunHasItsOwnSettings) {
  const std::string fio = Sample("fio/forms_group.txt");
  const auto deep = absl::StrReplaceAll(fio, {{"iodepth=4", "iodepth=32"}});
  const std::string verbose = Sample("iperf/iperf3_text_verbose.txt");
  const auto newer = absl::StrReplaceAll(verbose, {{"iperf 3.12", "iperf 3.17"}});
  ASSERT_NE(newer, verbose);
  for (const auto& [suite, first, second] :
       {std::tuple{"fio", fio, deep},
        {"iperf", verbose, newer},
        {"iperf", Sample("iperf/iperf2_one.txt"), Sample("iperf/iperf2_enhanced_two.txt")}}) {
    const auto runs = EachRun(suite, first + second);
    ASSERT_EQ(runs.size(), 2U);
    for (const auto& [run, text] : {std::pair{&runs[0], &first}, {&runs[1], &second}}) {
      const auto alone = ReadText(suite, *text);
      ASSERT_TRUE(run->ok() && alone.ok()) << run->status();
      EXPECT_EQ((*run)->measurements, alone->measurements);
      EXPECT_EQ((*run)->tool, alone->tool);
    }
  }
}

}  // namespace
}  // namespace twofold::suite
