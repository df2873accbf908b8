// What a tool says of how it was run: numbers of two ways are not compared.

#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

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
      EXPECT_EQ(one.dimensions.back(), Dimension("protocol", "UDP")) << sample << one.name;
    }
  }
  EXPECT_EQ(DimensionOf(ReadText("iperf", Sample("iperf/iperf3_tcp.json")), "protocol"), "-");
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

}  // namespace
}  // namespace twofold::suite
