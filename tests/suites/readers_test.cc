// The rules of docs/readers.md, which every suite of the table keeps, and what broke them.

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "lib/suite/json.h"
#include "lib/suite/plausible.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

const std::map<std::string_view, const char*>& Samples() {
  static const std::map<std::string_view, const char*> samples = {
      {"fio", "fio/worker0.json"},
      {"gpu", "gpu/compute.json"},
      {"iperf", "iperf/iperf3_tcp.json"},
      {"lifecycle", "lifecycle/jobs.json"},
      {"media", "media/ffmpeg_one.out"},
      {"mpi-pingpong", "mpi_pingpong/imb.txt"},
      {"openfoam", "openfoam/solve_two.txt"},
      {"object-storage", "object_storage/one.json"},
      {"osu", "osu/osu_latency-np2.txt"},
      {"pytorch", "pytorch/resnet18.json"},
      {"rdma-bandwidth", "rdma/read_bw.txt"},
      {"rdma-latency", "rdma/write_lat.txt"},
  };
  return samples;
}

Result<Measurements> ParseText(const Suite& suite, const std::string& text) {
  return suite.parse(SavedText(text));
}

std::string EachLine(const std::string& text, const std::string& prefix) {
  const bool ended = text.ends_with('\n');
  const std::string body = ended ? text.substr(0, text.size() - 1) : text;
  return prefix + absl::StrReplaceAll(body, {{"\n", "\n" + prefix}}) + (ended ? "\n" : "");
}

void ExpectSameNumbers(const std::function<std::string(const std::string&)>& change) {
  for (const Suite& suite : Suites()) {
    const std::string text = Sample(Samples().at(suite.name));
    const auto plain = ParseText(suite, text);
    const auto changed = ParseText(suite, change(text));
    ASSERT_TRUE(plain.ok()) << suite.name << ": " << plain.status();
    ASSERT_TRUE(changed.ok()) << suite.name << ": " << changed.status();
    EXPECT_EQ(changed->measurements, plain->measurements) << suite.name;
    EXPECT_EQ(changed->series, plain->series) << suite.name;
  }
}

TEST(Readers, OnePrefixOnEachLineIsSkippedAndSaid) {
  for (const char* prefix :
       {"2026-11-20T23:41:55.123456789Z ", "[pod/bench-0/client] ",
        "[pod/bench-0/client] 2026-11-20T23:41:55.1+01:00 ", "[1,0]<stdout>:"}) {
    ExpectSameNumbers([&](const std::string& text) { return EachLine(text, prefix); });
  }
  const auto read =
      ParseText(*FindSuite("rdma-bandwidth"), Sample("rdma/cases/kubectl-timestamps.log"));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->notes.size(), 1U);
  EXPECT_NE(read->notes[0].find("kubectl logs --timestamps"), std::string::npos);
}

TEST(Readers, LinesOfSeveralPodsAreNotOneDocument) {
  const std::string text = Sample("rdma/read_bw.txt");
  EXPECT_TRUE(FailsWith(ParseText(*FindSuite("rdma-bandwidth"),
                                  EachLine(text, "[pod/a/c] ") + EachLine(text, "[pod/b/c] ")),
                        "lines of 2 containers"));
}

TEST(Readers, IndentationAndEndsOfLinesDoNotMatter) {
  ExpectSameNumbers([](const std::string& text) { return EachLine(text, "    "); });
  ExpectSameNumbers([](const std::string& text) {
    return absl::StrReplaceAll(text, {{"\n", "\r\n"}});
  });
  ExpectSameNumbers([](const std::string& text) { return "\xef\xbb\xbf" + text; });
}

TEST(Readers, Utf16IsNamed) {
  std::string text = "\xff\xfe";
  for (const char c : Sample("fio/worker0.json")) text += std::string{c, '\0'};
  EXPECT_TRUE(FailsWith(ParseText(*FindSuite("fio"), text), "UTF-16"));
}

// Whether it has all numbers of one run, and no others: refused, failed, or one of the two.
TEST(Readers, TwoRunsAreNeverMerged) {
  for (const Suite& suite : Suites()) {
    const std::string text = Sample(Samples().at(suite.name));
    const auto one = ParseText(suite, text);
    const auto two = ParseText(suite, text + text);
    if (!two.ok()) continue;
    EXPECT_EQ(two->measurements, one->measurements) << suite.name;
  }
}

// A file that ends after any of its lines: refused, failed, noted, or it says only what the whole
// file says.
TEST(Readers, WhatIsCutOffAfterAnyLineSaysNothingThatTheWholeDoesNot) {
  for (const Suite& suite : Suites()) {
    const std::string text = Sample(Samples().at(suite.name));
    const auto whole = ParseText(suite, text);
    const std::size_t step = text.starts_with('{') ? 5 : 1;  // a cut of JSON is one like another
    std::size_t line = 0;
    for (std::size_t end = text.find('\n'); end + 1 < text.size(); end = text.find('\n', end + 1)) {
      if (++line % step != 0) continue;
      const auto part = ParseText(suite, text.substr(0, end + 1));
      if (!part.ok() || !part->failures.empty()) continue;
      if (part->notes.size() > whole->notes.size()) continue;
      EXPECT_THAT(whole->measurements, ::testing::IsSupersetOf(part->measurements))
          << suite.name << " " << end;
      EXPECT_THAT(whole->series, ::testing::IsSupersetOf(part->series)) << suite.name << " " << end;
    }
  }
}

TEST(Readers, JsonSaysWhereItIsWrong) {
  const Suite& fio = *FindSuite("fio");
  std::string text = Sample("fio/worker0.json");
  EXPECT_TRUE(FailsWith(ParseText(fio, text.substr(0, text.size() / 2)), "cut off at line "));
  text.insert(text.find("\"jobs\""), "oops ");
  EXPECT_TRUE(FailsWith(ParseText(fio, text), "its JSON is wrong at line "));
}

TEST(Readers, AKeyWithTwoValuesIsRefused) {
  for (const char* name : {"fio", "iperf", "lifecycle", "gpu", "object-storage"}) {
    std::string text = Sample(Samples().at(name));
    text.insert(text.find('{') + 1, "\"k\": 1, \"k\": 2,");
    EXPECT_TRUE(FailsWith(ParseText(*FindSuite(name), text), "twice in one object")) << name;
  }
}

TEST(Readers, FioGroupsThatRanOneAfterTheOtherAreNotAddedUp) {
  const auto read = ParseText(*FindSuite("fio"), Sample("fio/cases/stonewall.json"));
  ASSERT_TRUE(read.ok()) << read.status();
  double total[2] = {};
  for (const Measurement& one : read->measurements) {
    if (one.name != "iops" || !one.headline) continue;
    for (int group = 0; group < 2; ++group) {
      const Dimensions of = {{"rw", "read"}, {"worker", "all"}, {"group", absl::StrCat(group)}};
      if (std::equal(of.begin(), of.end(), one.dimensions.begin())) total[group] = one.value;
    }
  }
  EXPECT_NEAR(total[0], 4921.5, 0.1);
  EXPECT_NEAR(total[1], 4628.2, 0.1);
  EXPECT_EQ(ValueOf(*read, "cpu_user", "test1"), 0.25);
}

TEST(Readers, FioReportsOfAnIntervalAreOneRunAndTheLastCounts) {
  const auto read = ParseText(*FindSuite("fio"), Sample("fio/cases/status-interval.json"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_NEAR(ValueOf(*read, "iops", "all"), 5681.27, 0.01);
}

TEST(Readers, TwoFiosAtTheSameTimeAreTwoRuns) {
  EXPECT_TRUE(FailsWith(ParseText(*FindSuite("fio"), Sample("fio/cases/fio_two_parallel.json")),
                        "2 runs in one document"));
}

TEST(Readers, SeveralRunsOfFioAreRefusedWithTheirLines) {
  const Suite& fio = *FindSuite("fio");
  const std::string text = Sample("fio/cases/two-runs.txt");
  EXPECT_TRUE(
      FailsWith(ParseText(fio, text), "2 runs in one document, which begin at lines 1, 50;"));
  const std::size_t second = fio.runs(text).at(1);
  EXPECT_TRUE(ParseText(fio, text.substr(second)).ok());
}

TEST(Readers, AFioProcessThatWasKilledIsAFailedRun) {
  const Suite& fio = *FindSuite("fio");
  const std::string text = Sample("fio/worker0.json");
  Outputs outputs = SavedText(text);
  outputs.stages[0].exit_code = 0;
  outputs.stages[0].err = "fio: pid=4711, got signal=9\n";
  EXPECT_TRUE(FailsWith(fio.parse(outputs), "fio: pid=4711, got signal=9"));
  for (const char* sample : {"fio/worker0.json", "fio/forms_two.txt", "fio/forms_group.terse"}) {
    const std::string said = "fio: pid=4711, got signal=9\n" + Sample(sample);
    EXPECT_TRUE(FailsWith(ParseText(fio, said), "got signal=9")) << sample;
  }
}

TEST(Readers, AFioJobThatCountedNothingOrDisagreesWithItselfWasKilled) {
  const Suite& fio = *FindSuite("fio");
  const auto document = FindDocument("", Sample("fio/cases/stonewall.json"));
  ASSERT_TRUE(document.ok());
  Json silent = document->json;
  Json& job = silent["jobs"][1];
  job["job_runtime"] = 0;
  for (const char* side : {"read", "write"}) {
    for (const char* key : {"io_bytes", "bw_bytes", "iops", "total_ios"}) job[side][key] = 0;
  }
  EXPECT_TRUE(FailsWith(ParseText(fio, silent.dump()), "job test2 has no run time and no I/O"));
  Json torn = document->json;
  torn["jobs"][0]["read"]["iops"] = 243537;  // beside 19 MiB/s of 4 KiB
  EXPECT_TRUE(FailsWith(ParseText(fio, torn.dump()), "as if a process was killed"));
}

TEST(Readers, ARankThatDiedUnderAnyLauncherFailsTheRun) {
  for (const char* said : {"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
                           "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.",
                           "srun: error: node-1: task 1: Killed"}) {
    for (const auto& [suite, sample] : {std::pair{"mpi-pingpong", "mpi_pingpong/imb.txt"},
                                        {"osu", "osu/osu_latency-np2.txt"},
                                        {"openfoam", "openfoam/solve_two.txt"}}) {
      const std::string text = absl::StrCat(Sample(sample), said, "\n");
      EXPECT_TRUE(FailsWith(ParseText(*FindSuite(suite), text), said)) << suite;
    }
  }
}

// Those that read JSON.
std::vector<const Suite*> SuitesOfJson() {
  std::vector<const Suite*> suites;
  for (const Suite& suite : Suites()) {
    if (!suite.keys.empty()) suites.push_back(&suite);
  }
  return suites;
}

TEST(Readers, BracesThatNothingClosesAreLookedAtAFewTimesOnly) {
  std::string braces;
  for (int i = 0; i < 50'000; ++i) braces += "{\n";
  for (const char* suite : {"fio", "lifecycle"}) {
    EXPECT_FALSE(ReadText(suite, braces).ok()) << suite;
    EXPECT_FALSE(ReadText(suite, "{\"msg\": 1}\n" + braces).ok()) << suite;
  }
}

TEST(Readers, AnErrorBesideTheReportOfAnotherWorkerIsNoObjectOfALog) {
  EXPECT_TRUE(FailsWith(ReadText("pytorch", "{\"error\": \"out of memory\", \"rank\": 1}\n" +
                                                Sample("pytorch/resnet18.json")),
                        "out of memory"));
}

TEST(Readers, ObjectsOfALogBesideTheResultAreSkippedAndSaid) {
  constexpr char kLog[] = R"({"level":"info","msg":"done"})";
  for (const Suite* suite : SuitesOfJson()) {
    const std::string text = Sample(Samples().at(suite->name));
    const auto plain = ParseText(*suite, text);
    for (const auto& more : {absl::StrCat(kLog, "\n", text, "\n", kLog, "\n"),
                             "{ time ./job.sh; }\n" + text, "{ time ./job.sh\n" + text}) {
      const auto read = ParseText(*suite, more);
      ASSERT_TRUE(plain.ok() && read.ok()) << suite->name << ": " << read.status();
      EXPECT_EQ(read->measurements, plain->measurements) << suite->name;
      EXPECT_NE(read->notes.at(0).find("beside its result skipped"), std::string::npos)
          << read->notes[0];
    }
  }
}

TEST(Readers, AnArrayIsTheResultsInIt) {
  for (const Suite* suite : SuitesOfJson()) {
    const std::string text = Sample(Samples().at(suite->name));
    const auto plain = ParseText(*suite, text);
    for (const auto& array : {absl::StrCat("[", text, "]"), absl::StrCat("[\n ", text, "]\n")}) {
      const auto read = ParseText(*suite, array);
      ASSERT_TRUE(read.ok()) << suite->name << ": " << read.status();
      EXPECT_EQ(read->measurements, plain->measurements) << suite->name;
    }
    if (suite->name == "fio") continue;  // the same report twice is of one run
    const std::string two = absl::StrCat("[", text, ",", text, "]");
    EXPECT_TRUE(FailsWith(ParseText(*suite, two), "2 runs in one document")) << suite->name;
    const auto runs = EachRun(suite->name, two);
    ASSERT_EQ(runs.size(), 2U) << suite->name;
    for (const auto& run : runs) {
      ASSERT_TRUE(run.ok()) << suite->name << ": " << run.status();
      EXPECT_EQ(run->measurements, plain->measurements) << suite->name;
    }
  }
}

TEST(Readers, BothDirectionsOfOldIperf3AreRead) {
  const auto read = ParseText(*FindSuite("iperf"), Sample("iperf/cases/bidir-keys-of-3.7.json"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_NEAR(ValueOf(*read, "throughput", "forward"), 10.503, 0.001);
  EXPECT_NEAR(ValueOf(*read, "throughput", "reverse"), 8.181, 0.001);
}

TEST(Readers, EventsOfAStreamAreTheObjectOfTheRun) {
  const Suite& iperf = *FindSuite("iperf");
  const std::string text = Sample("iperf/cases/json-stream.json");
  const auto read = ParseText(iperf, text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_NEAR(ValueOf(*read, "throughput"), 13.917, 0.001);
  ASSERT_EQ(read->series.size(), 1U);
  ASSERT_EQ(read->series[0].rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(read->series[0].rows[i][0], static_cast<double>(i + 1));  // not 1.000031
  const std::string cut = text.substr(0, text.find("{\"event\":\"end\""));
  EXPECT_TRUE(FailsWith(ParseText(iperf, cut), "its event end is missing"));
  EXPECT_TRUE(FailsWith(ParseText(iperf, text + text), "2 runs in one document"));
}

TEST(Readers, TheServersJsonIsNotTheClients) {
  EXPECT_TRUE(FailsWith(ParseText(*FindSuite("iperf"), Sample("iperf/cases/server-side.json")),
                        "it is of the server"));
}

TEST(Readers, NanIsNoNumberAndNoReasonToLoseAFile) {
  const auto read = ParseText(*FindSuite("iperf"), Sample("iperf/cases/interval-nan.json"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_NEAR(ValueOf(*read, "throughput"), 0.04036, 0.0001);
}

TEST(Readers, WhatCameIsHeldAgainstTheSpec) {
  const Suite& iperf = *FindSuite("iperf");
  Outputs outputs = Saved("iperf/iperf3_tcp.json");
  for (const auto& [spec, why] :
       {std::pair{R"({"duration": 3, "streams": 2})", "it has 1 streams, not 2"},
        {R"({"duration": 30})", "it ends after 3 s, not 30"},
        {R"({"duration": 3, "bidirectional": true})", "its directions"},
        {R"({"duration": 3, "reverse": true})", "its directions"}}) {
    outputs.spec = spec;
    EXPECT_TRUE(FailsWith(iperf.parse(outputs), why));
  }
  outputs.spec = R"({"duration": 3})";
  EXPECT_TRUE(iperf.parse(outputs).ok());
}

TEST(Readers, TextOfIperf3IsHeldAgainstTheSpec) {
  const Suite& iperf = *FindSuite("iperf");
  Outputs outputs = Saved("iperf/iperf3_text_two.txt");
  const auto read = [&](const char* spec) {
    outputs.spec = spec;
    return iperf.parse(outputs);
  };
  EXPECT_TRUE(read(R"({"duration": 2, "streams": 2})").ok());
  EXPECT_TRUE(FailsWith(read(R"({"duration": 2, "streams": 3})"), "it has 2 streams, not 3"));
  EXPECT_TRUE(FailsWith(read(R"({"duration": 20, "streams": 2})"), "it ends after 2.01 s, not 20"));
  EXPECT_TRUE(FailsWith(read(R"({"duration": 2, "streams": 2, "bidirectional": true})"),
                        "its directions are not those"));
  EXPECT_TRUE(FailsWith(read(R"({"duration": 2, "streams": 2, "protocol": "UDP"})"),
                        "it is of TCP, not of UDP"));
}

TEST(Readers, PerftestIsHeldAgainstTheSpec) {
  const Suite& bandwidth = *FindSuite("rdma-bandwidth");
  Outputs outputs = Saved("rdma/read_bw.txt");
  const auto read = [&](const char* spec) {
    outputs.spec = spec;
    return bandwidth.parse(outputs);
  };
  EXPECT_TRUE(read("{}").ok());
  EXPECT_TRUE(FailsWith(read(R"({"mode": "write"})"), "its operation is read, not write"));
  EXPECT_TRUE(FailsWith(read(R"({"extraArgs": ["-b"]})"),
                        "its direction is unidirectional, not bidirectional"));
  EXPECT_TRUE(FailsWith(read(R"({"messageSize": 65536})"), "it is not of 65536 B alone"));
  outputs = Saved("rdma/send_bw_duration.txt");
  EXPECT_TRUE(FailsWith(read(R"({"mode": "send"})"), "1 of 23 sizes"));
}

// Whose sum was doubled on the way.
TEST(Readers, ARateOfAllThatIsOverTheSumOfItsStreamsIsLeftOut) {
  const auto left_out = [](const std::string& text, const char* name) {
    const auto read = ParseText(*FindSuite("iperf"), text);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->failures.size(), 1U);
    EXPECT_EQ(read->failures[0].stage, name);
    EXPECT_NE(read->failures[0].reason.find("is over the sum of its parts"), std::string::npos);
    for (const Measurement& one : read->measurements) EXPECT_NE(one.name, name);
  };
  auto document = FindDocument("", Sample("iperf/iperf3_tcp.json"));
  ASSERT_TRUE(document.ok());
  Json& rate = document->json["end"]["sum_received"]["bits_per_second"];
  rate = 2 * rate.get<double>();
  left_out(document->json.dump(), "throughput");
  left_out(
      "Connecting to host h, port 5201\n[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-2.00   sec  1.04 GBytes  4.46 Gbits/sec    5  sender\n"
      "[  5]   0.00-2.00   sec  1.04 GBytes  4.46 Gbits/sec       receiver\n"
      "[  7]   0.00-2.00   sec  1.04 GBytes  4.46 Gbits/sec    5  sender\n"
      "[  7]   0.00-2.00   sec  1.04 GBytes  4.46 Gbits/sec       receiver\n"
      "[SUM]   0.00-2.00   sec  2.08 GBytes  8.92 Gbits/sec   10  sender\n"
      "[SUM]   0.00-2.00   sec  2.08 GBytes  9.92 Gbits/sec       receiver\n\niperf Done.\n",
      "throughput");
  left_out(
      "[  1] 0.0000-2.0001 sec  1.00 GBytes  4.29 Gbits/sec\n"
      "[  2] 0.0000-2.0001 sec  1.00 GBytes  4.29 Gbits/sec\n"
      "[SUM] 0.0000-2.0001 sec  2.00 GBytes  18.59 Gbits/sec\n",
      "throughput");
}

TEST(Readers, ABandwidthThatIsNotItsMessagesTimesTheirSizeIsLeftOut) {
  const std::string text = Sample("rdma/read_bw.txt");
  const auto torn = ParseText(*FindSuite("rdma-bandwidth"),
                              absl::StrReplaceAll(text, {{"2.978516", "9.978516"}}));
  ASSERT_TRUE(torn.ok()) << torn.status();
  ASSERT_EQ(torn->failures.size(), 1U);
  EXPECT_EQ(torn->failures[0].reason,
            "row left out, size 4096: bandwidth 97.6 Gbit/s is not 9978516 1/s of this size, "
            "326.98 Gbit/s");
  EXPECT_EQ(torn->series[0].rows.size(), 22U);
  std::string osu = Sample("osu/osu_mbw_mr-np2.txt");
  const auto whole = ParseText(*FindSuite("osu"), osu);
  ASSERT_TRUE(whole.ok() && whole->failures.empty());
}

// Headings of old versions say MB and mean 2^20 bytes; a fork that means 10^6 is read right, too.
TEST(Readers, WhatPerftestMeansByMegabytesItsRowsProve) {
  const auto unit_of = [](double mega) {
    std::string text =
        " RDMA_Write BW Test\n"
        " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n";
    for (const double size : {65536.0, 1048576.0}) {
      const double rate = 2.5e9 / size;
      absl::StrAppend(&text, " ", size, " 1000 ", 2.6e9 / mega, " ", 2.5e9 / mega, " ", rate / 1e6,
                      "\n");
    }
    const auto read = ParseText(*FindSuite("rdma-bandwidth"), text + std::string(87, '-') + "\n");
    EXPECT_TRUE(read.ok() && read->failures.empty());
    return read.ok() ? read->series[0].columns[3].unit : "";
  };
  EXPECT_EQ(unit_of(1048576), "MiB/s");
  EXPECT_EQ(unit_of(1e6), "MB/s");
}

// Outputs of real tools (iperf 2.1, iperf3 3.12, fio 3.33), and some that are written as theirs.
TEST(Readers, WhatIsNotTheClientOfOneRunThatSendsIsRefusedForWhatItIs) {
  for (const auto& [sample, why] :
       {std::pair{"iperf2_two_runs.csv", "two runs in one file"},
        {"iperf2_reverse.txt", "it is of the reverse direction (-R)"},
        {"iperf2_reverse.csv", "it is of the server, or of the reverse direction"},
        {"iperf2_dual_P2.txt", "it is of both directions"},
        {"iperf2_fullduplex.txt", "it is of both directions"},
        {"iperf2_fullduplex.csv", "it is of both directions"},
        {"iperf2_server_two_runs.log", "it is of the server"},
        {"iperf3_server.txt", "it is of the server (iperf3 -s)"}}) {
    const auto read = ParseText(*FindSuite("iperf"), Sample(absl::StrCat("iperf/cases/", sample)));
    EXPECT_TRUE(FailsWith(read, why)) << sample;
  }
}

TEST(Readers, WhatTheServerSaysWithinTheClientsTextIsNotTheClients) {
  const Suite& iperf = *FindSuite("iperf");
  const auto one = ParseText(iperf, Sample("iperf/cases/iperf3_get_server_output.txt"));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(ValueOf(*one, "throughput"), 16.9);
  ASSERT_EQ(one->series.size(), 1U);
  EXPECT_EQ(one->series[0].rows.size(), 1U);
  const auto both = ParseText(iperf, Sample("iperf/cases/iperf3_bidir_get_server_output.txt"));
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_GT(ValueOf(*both, "throughput", "forward"), 0);
  EXPECT_GT(ValueOf(*both, "throughput", "reverse"), 0);
}

TEST(Readers, IperfOfOtherVersionsAndUnitsIsRead) {
  const Suite& iperf = *FindSuite("iperf");
  for (const char* sample :
       {"i205.txt", "i205u.txt", "iperf2_format_M.txt", "iperf3_format_M.txt"}) {
    const auto read = ParseText(iperf, Sample(absl::StrCat("iperf/cases/", sample)));
    ASSERT_TRUE(read.ok()) << sample << ": " << read.status();
    EXPECT_GT(ValueOf(*read, "throughput"), 0) << sample;
  }
}

TEST(Readers, SeveralClientsAreNotOneRun) {
  for (const auto& [suite, sample] :
       {std::pair{"iperf", "iperf/iperf3_tcp.json"}, {"rdma-bandwidth", "rdma/read_bw.txt"}}) {
    Outputs outputs = Saved(sample);
    outputs.stages.push_back(outputs.stages[0]);
    EXPECT_TRUE(FailsWith(FindSuite(suite)->parse(outputs), "outputs of several clients")) << suite;
  }
}

TEST(Readers, MixedRatesOfFioAreNotTakenForNone) {
  const Suite& fio = *FindSuite("fio");
  EXPECT_TRUE(FailsWith(ParseText(fio, Sample("fio/cases/fio_unified_mixed.txt")),
                        "mixed ones (unified_rw_reporting) are not read"));
  EXPECT_TRUE(
      FailsWith(ParseText(fio, Sample("fio/cases/fio_unified_both.terse")), "is no number"));
  Json json = Json::parse(Sample("fio/worker0.json"));
  json["jobs"][0]["mixed"] = json["jobs"][0]["read"];
  for (const char* side : {"read", "write", "trim"}) json["jobs"][0].erase(side);
  EXPECT_TRUE(FailsWith(ParseText(fio, json.dump(1)),
                        "mixed rates alone (unified_rw_reporting) are not read"));
  const auto both = ParseText(fio, Sample("fio/cases/fio_unified_both.txt"));
  EXPECT_TRUE(both.ok()) << both.status();
}

TEST(Readers, LatenciesOfOnePriorityAreNotThoseOfAll) {
  const auto read = ParseText(*FindSuite("fio"), Sample("fio/cases/fio_cmdprio.txt"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_NEAR(ValueOf(*read, "completion_latency_mean", "all"), 578.98, 0.01);
}

TEST(Readers, ACommaInANumberIsNotItsEnd) {
  EXPECT_TRUE(FailsWith(ParseText(*FindSuite("fio"), Sample("fio/cases/fio_thousands_comma.txt")),
                        "not understood"));
}

TEST(Readers, PerftestsOfOtherTitlesAndSecondTablesAreSeen) {
  const Suite& bandwidth = *FindSuite("rdma-bandwidth");
  EXPECT_TRUE(FailsWith(ParseText(bandwidth, Sample("rdma/cases/rdma_mcast.txt")),
                        "2 runs in one document"));
  EXPECT_TRUE(FailsWith(ParseText(bandwidth, Sample("rdma/cases/rdma_tables.txt")),
                        "2 runs in one document"));
}

TEST(Readers, ASizeThatIsTwiceInATableIsOfTwoRuns) {
  const auto read = ParseText(*FindSuite("osu"), Sample("osu/cases/osu_two_runs_no_title.txt"));
  EXPECT_TRUE(FailsWith(read, "is there twice"));
}

TEST(Readers, DatatypesOfOsu72StandBelowTheHeading) {
  const auto has = [](const Measurements& read, const char* datatype) {
    return std::any_of(read.series.begin(), read.series.end(), [&](const Series& series) {
      return std::find(series.dimensions.begin(), series.dimensions.end(),
                       Dimension("datatype", datatype)) != series.dimensions.end();
    });
  };
  for (const char* sample : {"osu/cases/osu72_float.txt", "osu/cases/osu72_datatypes.txt"}) {
    const auto read = ParseText(*FindSuite("osu"), Sample(sample));
    ASSERT_TRUE(read.ok()) << sample << ": " << read.status();
    EXPECT_TRUE(has(*read, "MPI_FLOAT")) << sample;
  }
}

TEST(Readers, ATestOfImbThatRanOutOfMemorySaysSo) {
  EXPECT_TRUE(
      FailsWith(ParseText(*FindSuite("mpi-pingpong"), Sample("mpi_pingpong/imb_out_of_mem.txt")),
                "out-of-mem: Needed"));
}

TEST(Readers, CountsThatHaveGoneBelowZeroAreLeftOutWithTheirReason) {
  std::string text = Sample("iperf/iperf3_tcp.json");
  const std::size_t at = text.find("\"retransmits\"", text.find("\"sum_sent\""));
  const std::size_t digit = text.find_first_of("0123456789", at);
  text.replace(digit, text.find_first_not_of("0123456789", digit) - digit, "4294967294");
  const auto read = ParseText(*FindSuite("iperf"), text);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->failures.size(), 1U);
  EXPECT_NE(read->failures[0].reason.find("4294967294 is a count that has gone below 0"),
            std::string::npos);
  EXPECT_GT(ValueOf(*read, "throughput"), 0);
}

TEST(Readers, NegativeLatenciesAreNoBestOnes) {
  EXPECT_TRUE(
      FailsWith(ParseText(*FindSuite("rdma-latency"), Sample("rdma/cases/negative-latency.txt")),
                "-1.04 us is below 0"));
}

TEST(Readers, ReadAndWriteOfPerftestAreNotComparable) {
  const Suite& latency = *FindSuite("rdma-latency");
  const auto read = ParseText(latency, Sample("rdma/cases/latency-read.txt"));
  const auto write = ParseText(latency, Sample("rdma/cases/latency-write.txt"));
  ASSERT_TRUE(read.ok() && write.ok());
  EXPECT_NE(read->measurements[0].dimensions, write->measurements[0].dimensions);
  const Suite& bandwidth = *FindSuite("rdma-bandwidth");
  const std::string one = Sample("rdma/read_bw.txt");
  const auto both = ParseText(
      bandwidth, absl::StrReplaceAll(one, {{"RDMA_Read BW", "RDMA_Read Bidirectional BW"}}));
  ASSERT_TRUE(both.ok());
  EXPECT_NE(both->measurements[0].dimensions,
            ParseText(bandwidth, one)->measurements[0].dimensions);
}

TEST(Readers, AnIndentedTableIsReadAndWhatItDidNotMeasureIsMissing) {
  const auto read = ParseText(*FindSuite("rdma-bandwidth"), Sample("rdma/cases/indented.txt"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_NEAR(ValueOf(*read, "peak_bandwidth"), 1476.74, 0.01);
  EXPECT_EQ(read->series[0].columns.size(), 4U);  // no peak, which was 0
}

}  // namespace
}  // namespace twofold::suite
