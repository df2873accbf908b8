// What others put before each line of a tool: skipped, and said.

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "lib/suite/json.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

struct Skipping {
  const char* prefix;
  const char* source;  // as the note says it
};
constexpr Skipping kSkipped[] = {
    {"bench-client-1  | ", "docker compose"},
    {"bench-client-1  | 2026-11-20T23:41:55.123456789Z ", "docker compose"},
    {"2026-11-20T23:41:55.123456789Z stdout F ", "a container runtime's file"},
    {"Nov 28 12:43:19 node-7 bench[4711]: ", "journalctl or syslog"},
    {"Nov  8 12:43:19 node-7 bench[4711]: ", "journalctl or syslog"},
    {"2026-11-28T12:43:19+0000 node-7 bench[4711]: ", "journalctl or syslog"},
    {"Nov 28 12:43:19 ", "iperf3 --timestamps"},
    {"Sat Nov 28 12:43:19 2026 ", "iperf3 --timestamps"},
    {"2026-11-28 12:43:19 ", "iperf3 --timestamps"},
    {"2026-11-28 12:43:19,123 ", "iperf3 --timestamps"},
    {"12:43:19.123456 ", "iperf3 --timestamps"},
    {"0: ", "srun --label"},
    {" 0: ", "srun --label"},
    {"[0] ", "mpiexec -prepend-rank"},
    {"2026-11-20T23:41:55.123456Z 00O ", "GitLab"},
    {"[2026-11-20T23:41:55.123Z] ", "Jenkins or ts"},
    {"[2026-11-20 23:41:55] ", "Jenkins or ts"},
    {"Fri Nov 20 23:41:55 2026<stdout>:", "mpirun --tag-output"},
    {"Fri Nov 20 23:41:55 2026[1,0]<stdout>:", "mpirun --tag-output"}};

// One sample of each suite of the table.
constexpr std::pair<const char*, const char*> kOfSuites[] = {
    {"fio", "fio/worker0.json"},
    {"fio", "fio/forms_two.txt"},
    {"gpu", "gpu/compute.json"},
    {"iperf", "iperf/iperf3_tcp.json"},
    {"iperf", "iperf/iperf3_text_two.txt"},
    {"iperf", "iperf/iperf2_two_intervals.txt"},
    {"lifecycle", "lifecycle/jobs.json"},
    {"media", "media/ffmpeg_one.out"},
    {"mpi-pingpong", "mpi_pingpong/imb.txt"},
    {"mpi-pingpong", "mpi_pingpong/netpipe.txt"},
    {"openfoam", "openfoam/solve_two.txt"},
    {"object-storage", "object_storage/one.json"},
    {"osu", "osu/osu_latency-np2.txt"},
    {"pytorch", "pytorch/resnet18.json"},
    {"rdma-bandwidth", "rdma/read_bw.txt"},
    {"rdma-latency", "rdma/write_lat.txt"}};

bool Notes(const Measurements& read, std::string_view words) {
  return std::any_of(read.notes.begin(), read.notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

TEST(ReaderPrefixes, OfAnyKindOneIsSkippedAndSaidInEverySuite) {
  for (const auto& [suite, sample] : kOfSuites) {
    const std::string text = Sample(sample);
    const auto plain = ReadText(suite, text);
    ASSERT_TRUE(plain.ok()) << sample << ": " << plain.status();
    for (const Skipping& skipping : kSkipped) {
      // A single line is no label's.
      const std::string_view source = skipping.source;
      const bool is_label = source == "srun --label" || source == "mpiexec -prepend-rank";
      if (is_label && std::count(text.begin(), text.end(), '\n') < 3) continue;
      const auto read = ReadText(suite, Prefixed(skipping.prefix, text));
      ASSERT_TRUE(read.ok()) << sample << skipping.prefix << read.status();
      EXPECT_EQ(read->measurements, plain->measurements) << sample << skipping.prefix;
      EXPECT_EQ(read->series, plain->series) << sample << skipping.prefix;
      EXPECT_TRUE(Notes(*read, skipping.source)) << sample << skipping.prefix;
    }
  }
}

// They may be words of the tool: only where what follows is mostly no sentence.
TEST(ReaderPrefixes, NamesOfHostsAndPodsAreSkippedBeforeTablesAndJson) {
  for (const auto& [prefix, source] :
       {std::pair{"node07: ", "pdsh"}, {"iperf-0 client ", "stern"}}) {
    for (const auto& [suite, sample] : {std::pair{"osu", "osu/osu_latency-np2.txt"},
                                        {"fio", "fio/worker0.json"},
                                        {"iperf", "iperf/iperf3_text_two.txt"}}) {
      const std::string text = Sample(sample);
      const auto read = ReadText(suite, Prefixed(prefix, text));
      ASSERT_TRUE(read.ok()) << sample << prefix << read.status();
      EXPECT_EQ(read->measurements, ReadText(suite, text)->measurements) << sample << prefix;
      EXPECT_TRUE(Notes(*read, source)) << sample << prefix;
    }
  }
  Outputs outputs = Saved("fio/forms_two.txt");
  for (int i = 0; i < 3; ++i) outputs.stages[0].err += "fio: terminating on signal 2\n";
  EXPECT_TRUE(FailsWith(FindSuite("fio")->parse(outputs), "fio: terminating on signal 2"));
}

TEST(ReaderPrefixes, LinesOfSeveralTasksAreNotOneDocument) {
  const std::string text = Sample("iperf/iperf3_text_two.txt");
  for (const auto& [one, other, words] :
       {std::tuple{"0: ", "1: ", "lines of 2 tasks, such as 0: and 1:"},
        {"[0] ", "[1] ", "lines of 2 ranks, such as [0] and [1]"},
        {"node07: ", "node08: ", "lines of 2 hosts, such as node07: and node08:"}}) {
    const std::string mine = Prefixed(one, text);
    const std::string half = Prefixed(other, text.substr(text.size() / 2));
    EXPECT_TRUE(FailsWith(ReadText("iperf", mine + Prefixed(other, text)), words));
    EXPECT_TRUE(FailsWith(ReadText("iperf", mine + half), words));
    EXPECT_TRUE(FailsWith(ReadText("iperf", half + mine), words));
    // A warning of another is noise.
    EXPECT_TRUE(ReadText("iperf", mine + absl::StrCat(other, "warning: no NUMA\n")).ok());
  }
}

TEST(ReaderPrefixes, WhatComposeAndSystemdSayThemselvesIsNoise) {
  const std::string text = Sample("iperf/iperf3_text_two.txt");
  const auto plain = ReadText("iperf", text);
  for (const std::string& around :
       {absl::StrCat("Attaching to client-1\n", Prefixed("client-1  | ", text),
                     "client-1 exited with code 0\n"),
        absl::StrCat("Nov 28 12:43:19 node-7 systemd[1]: Started bench.service.\n",
                     Prefixed("Nov 28 12:43:19 node-7 iperf3[4711]: ", text),
                     "Nov 28 12:43:29 node-7 systemd[1]: bench.service: Succeeded.\n")}) {
    const auto read = ReadText("iperf", around);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->measurements, plain->measurements);
  }
}

TEST(ReaderPrefixes, LinesOfSeveralSourcesAreNotOneDocument) {
  const std::string text = Sample("iperf/iperf3_text_two.txt");
  EXPECT_TRUE(
      FailsWith(ReadText("iperf", Prefixed("client-1  | ", text) + Prefixed("client-2  | ", text)),
                "lines of 2 containers, such as client-1  | and client-2  |"));
  EXPECT_TRUE(
      FailsWith(ReadText("iperf", Prefixed("Nov 28 12:43:19 node-7 iperf3[4711]: ", text) +
                                      Prefixed("Nov 28 12:44:19 node-7 iperf3[4712]: ", text)),
                "lines of 2 processes, such as node-7 iperf3[4711]: and node-7 iperf3[4712]:"));
}

// As it lies in /var/lib/docker/containers.
TEST(ReaderPrefixes, WhatDockerWrapsEachLineInIsSkippedAndSaid) {
  for (const auto& [suite, sample] : kOfSuites) {
    const std::string text = Sample(sample);
    std::string log;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min({text.find('\n', at), text.size() - 1, at + 16383}) + 1;
      Json line = {{"log", text.substr(at, end - at)},
                   {"stream", "stdout"},
                   {"time", "2026-11-20T23:41:55.1Z"}};
      absl::StrAppend(&log, line.dump(), "\n");
      at = end;
    }
    const auto read = ReadText(suite, log);
    ASSERT_TRUE(read.ok()) << sample << ": " << read.status();
    EXPECT_EQ(read->measurements, ReadText(suite, text)->measurements) << sample;
    EXPECT_TRUE(Notes(*read, "docker's json-file")) << sample;
  }
}

// Container runtimes cut what has no end after 16 KiB.
TEST(ReaderPrefixes, PiecesOfALongLineArePutTogether) {
  std::string text = Sample("gpu/compute.json");
  const auto plain = ReadText("gpu", text);
  text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
  std::string log;
  constexpr std::size_t kPiece = 97;
  for (std::size_t at = 0; at < text.size(); at += kPiece) {
    const bool last = at + kPiece >= text.size();
    absl::StrAppend(&log, "2026-11-20T23:41:55.1Z stdout ", last ? "F " : "P ",
                    text.substr(at, kPiece), "\n");
  }
  const auto read = ReadText("gpu", log);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->measurements, plain->measurements);
}

TEST(ReaderPrefixes, TimesAndTitleOfIperf3AreSkippedTogether) {
  const auto read = ReadText("iperf", Sample("iperf/cases/iperf3_timestamps_title.txt"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_NEAR(ValueOf(*read, "throughput"), 0.00105, 1e-6);
  EXPECT_TRUE(Notes(*read, "iperf3 --timestamps"));
  EXPECT_TRUE(Notes(*read, "iperf3 --title"));
}

// Its rows are numbered, and look labelled.
TEST(ReaderPrefixes, RowsOfNetpipeAreNoLabels) {
  const auto read = ReadText("mpi-pingpong", Sample("mpi_pingpong/netpipe.txt"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(Notes(*read, "srun"));
}

}  // namespace
}  // namespace twofold::suite
