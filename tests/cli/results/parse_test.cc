#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/command/command.h"
#include "lib/common/options.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::cli {
namespace {

struct ParseRan {
  int code = 0;
  std::string out;
  std::string err;
};

std::string Sample(const std::string& name) {
  return std::string(TWOFOLD_SOURCE) + "/tests/golden/suites/" + name;
}

/// "twofold ..."
ParseRan RunParse(std::vector<std::string> words) {
  words.insert(words.begin(), "twofold");
  CLI::App app("", "twofold");
  Globals globals;
  Action chosen;
  std::vector<Command> commands = ParseCommands();
  for (const Command& command : ResultCommands()) commands.push_back(command);
  AddCommands(app, commands, globals, chosen);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
  const Status status = code ? Status() : chosen();
  ParseRan ran{code ? *code : ExitCode(status), testing::internal::GetCapturedStdout(),
               testing::internal::GetCapturedStderr()};
  ran.err += std::string(status.message());
  return ran;
}

/// "twofold parse ..."
ParseRan Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "parse");
  return RunParse(std::move(words));
}

bool Has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(ParseCommand, EachRunOfAFileIsReadByItself) {
  const std::string two = Sample("fio/cases/two-runs.txt");
  const ParseRan refused = Parse({"fio", two});
  EXPECT_NE(refused.code, 0);
  EXPECT_TRUE(Has(refused.err, "2 runs in one document")) << refused.err;
  EXPECT_TRUE(Has(refused.err, "--each-run")) << refused.err;
  const ParseRan ran = Parse({"fio", "--each-run", "--json", two});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto runs = nlohmann::json::parse(ran.out);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_NE(runs[0], runs[1]);
}

TEST(ParseCommand, EachRunNeedsASuite) {
  const std::string sample = Sample("fio/worker0.json");
  EXPECT_TRUE(Has(Parse({"--each-run", sample}).err, "--each-run: name the suite"));
  EXPECT_NE(Parse({"fio", "--each-run", "--together", sample}).code, 0);
}

TEST(ParseCommand, ShowsATableOfMeasurementsAndSeries) {
  const ParseRan ran = Parse({"osu", Sample("osu/osu_cas_latency-np2.txt")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(Has(ran.out, "OSU Micro-Benchmarks 7.4")) << ran.out;
  EXPECT_TRUE(Has(ran.out, "min_latency")) << ran.out;
  EXPECT_TRUE(Has(ran.out, "size (B)  latency (us)")) << ran.out;
}

TEST(ParseCommand, JsonHasAnEntryAFileAndCsvALineANumber) {
  const std::string good = Sample("iperf/iperf3_tcp.json");
  const ParseRan ran = Parse({"iperf", good, Sample("iperf/iperf3_refused.json"), "--json"});
  EXPECT_EQ(ran.code, 1);
  const auto entries = nlohmann::json::parse(ran.out);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0]["source"], good);
  EXPECT_EQ(entries[0]["measurements"][0]["unit"], "Gbit/s");
  EXPECT_TRUE(Has(entries[1]["error"], "Connection refused")) << ran.out;
  EXPECT_EQ(ran.out,
            Parse({"iperf", good, Sample("iperf/iperf3_refused.json"), "--output", "json"}).out);
  const ParseRan csv = Parse({"iperf", good, "--csv"});
  EXPECT_EQ(csv.code, 0);
  EXPECT_TRUE(csv.out.starts_with("source,name,value,unit")) << csv.out;
  EXPECT_TRUE(Has(csv.out, good + ",throughput,13.91719270777437,Gbit/s,higher,1,")) << csv.out;
}

TEST(ParseCommand, EveryFileThatFailedIsNamedWithStageAndReason) {
  const std::string bad = Sample("iperf/iperf2_refused.txt");
  const ParseRan ran = Parse({"iperf", bad, Sample("iperf/iperf2_one.txt"), "/nonexistent"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(Has(ran.err, bad + ": client: tcp connect failed: Connection refused\n")) << ran.err;
  EXPECT_TRUE(Has(ran.err, "/nonexistent: read: ")) << ran.err;
  EXPECT_TRUE(Has(ran.err, "2 of 3 failed")) << ran.err;
  EXPECT_TRUE(Has(ran.out, "throughput")) << ran.out;
}

TEST(ParseCommand, WorkersOfOneJobAreReadTogether) {
  const ParseRan ran =
      Parse({"fio", Sample("fio/worker0.json"), Sample("fio/worker1.json"), "--together", "--csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(Has(ran.out, "rw=read worker=1 pattern=randrw ")) << ran.out;
  EXPECT_TRUE(Has(ran.out, "rw=read worker=all pattern=randrw ")) << ran.out;
}

TEST(ParseCommand, OldResultsAreKeptAsARun) {
  const results::TempDir folder;
  const std::string store = folder.Path("old.db");
  const ParseRan kept =
      Parse({"iperf", Sample("iperf/iperf3_tcp.json"), Sample("iperf/iperf3_tcp.json"),
             Sample("iperf/iperf3_refused.json"), "--store", store, "--run", "old"});
  EXPECT_EQ(kept.code, 1) << "one of the files is of a failure";
  EXPECT_TRUE(Has(kept.err, "run old: kept in " + store)) << kept.err;
  const ParseRan results = RunParse({"results", "old", "--store", store, "--csv"});
  EXPECT_EQ(results.code, 0) << results.err;
  EXPECT_TRUE(Has(results.out, "throughput")) << results.out;
  EXPECT_TRUE(Has(results.out, "13.91719270777437")) << results.out;
  const auto kept_run =
      nlohmann::json::parse(RunParse({"results", "old", "--store", store, "--json"}).out);
  EXPECT_EQ(kept_run["permutations"][0]["succeeded"], 2);
  EXPECT_EQ(kept_run["permutations"][0]["failed"], 1);
  const ParseRan again =
      Parse({"iperf", Sample("iperf/iperf3_tcp.json"), "--store", store, "--run", "old"});
  EXPECT_TRUE(Has(again.err, "run 'old' is in " + store + " already")) << again.err;
}

TEST(ParseCommand, NothingIsKeptIfAFileCannotBeRead) {
  const results::TempDir folder;
  const std::string store = folder.Path("old.db");
  const ParseRan ran = Parse(
      {"iperf", Sample("iperf/iperf3_tcp.json"), "/nonexistent", "--store", store, "--run", "old"});
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(store));
  EXPECT_EQ(Parse({"iperf", Sample("iperf/iperf3_tcp.json"), "--store", store}).code, 2);
}

TEST(ParseCommand, RecognisesTheToolOfEachFile) {
  const ParseRan ran =
      Parse({Sample("osu/osu_cas_latency-np2.txt"), Sample("osu/osu_latency-np2.txt"),
             Sample("iperf/iperf3_tcp.json"), Sample("fio/worker0.json"), "--csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(Has(ran.out, "iperf3_tcp.json,throughput,13.91719270777437,")) << ran.out;
  EXPECT_TRUE(Has(ran.out, "min_latency")) << ran.out;
}

TEST(ParseCommand, WhatNoSuiteRecognisesIsSaid) {
  const results::TempDir folder;
  std::ofstream(folder.Path("letter")) << "Dear reader,\n";
  const ParseRan ran = Parse({folder.Path("letter")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(Has(ran.err, "letter: recognise: no numbers of any of fio, gpu, iperf")) << ran.err;
}

TEST(ParseCommand, ARunOfARecognisedToolHasItsKind) {
  const results::TempDir folder;
  const std::string store = folder.Path("old.db");
  EXPECT_EQ(Parse({Sample("iperf/iperf3_tcp.json"), "--store", store, "--run", "old"}).code, 0);
  const auto run = nlohmann::json::parse(RunParse({"results", "--store", store, "--json"}).out);
  EXPECT_EQ(run["run"]["kind"], "iperf");
  EXPECT_EQ(run["run"]["id"], "old");
}

TEST(ParseCommand, WrongWordsAreRefused) {
  const ParseRan ran = Parse({"linpack", Sample("osu/osu_barrier-np4.txt")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(Has(ran.err, "SUITE: 'linpack' is none of fio, gpu, iperf, lifecycle, media, "));
  EXPECT_EQ(Parse({"osu"}).code, 2);
  EXPECT_TRUE(Has(Parse({"osu", "-", "-"}).err, "- can be read once"));
  EXPECT_NE(Parse({"osu", "x", "--json", "--csv"}).code, 0);
}

}  // namespace
}  // namespace twofold::cli
