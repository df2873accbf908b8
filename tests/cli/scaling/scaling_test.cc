// Numbers against sizes, and headlines from run to run: what the commands print and how they exit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command/command.h"
#include "lib/common/csv.h"
#include "lib/common/options.h"
#include "lib/results/sqlite_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct ScalingRan {
  int code = 0;
  std::string out;
  std::string err;
};

/// "twofold WORDS"
ScalingRan RunScaling(std::vector<std::string> words) {
  words.insert(words.begin(), "twofold");
  CLI::App app("", "twofold");
  Globals globals;
  Action chosen;
  std::vector<Command> commands = ScalingCommands();
  for (Command& command : HistoryCommands()) commands.push_back(std::move(command));
  AddCommands(app, commands, globals, chosen);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
  const Status status = code ? Status() : chosen();
  ScalingRan ran{code ? *code : ExitCode(status), testing::internal::GetCapturedStdout(),
                 testing::internal::GetCapturedStderr()};
  ran.err += std::string(status.message());
  return ran;
}

std::string Golden(const std::string& name) {
  return std::string(TWOFOLD_SOURCE) + "/tests/golden/scaling/" + name;
}

/// Compares with a golden file, or writes it if UPDATE_GOLDEN is set.
void ExpectGolden(const std::string& name, const std::string& text) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(Golden(name)) << text;
  std::ostringstream golden;
  golden << std::ifstream(Golden(name)).rdbuf();
  EXPECT_EQ(text, golden.str());
}

// ---- files

class ScalingCommandTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_.Path(name)) << text;
    return dir_.Path(name);
  }

  /// Throughputs of 1..32 workers, three each, by the universal law with a peak at 19.
  std::string Peaked() const {
    std::string text = "workers,jobs_per_second\n";
    for (const double n : {1, 2, 4, 8, 16, 24, 32}) {
      const double exact = 100.0 * n / (1.0 + 0.1 * (n - 1.0) + 0.0025 * n * (n - 1.0));
      for (const double noise : {0.99, 1.0, 1.01}) {
        text += std::to_string(n) + "," + std::to_string(exact * noise) + "\n";
      }
    }
    return Write("peaked.csv", text);
  }

  const results::TempDir dir_;
};

TEST_F(ScalingCommandTest, MeasuredTimesGetTheClassesOfTheirAuthor) {
  const ScalingRan ran = RunScaling({"scaling", Golden("osu-times.csv"), "--by", "bench", "--y",
                                     "seconds", "--output", "markdown"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  // The first cell is the path.
  std::string text;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    text += (line.starts_with("| ") ? line.substr(line.find('|', 1)) : line) + "\n";
  }
  ExpectGolden("osu-classes.md", text);
  EXPECT_THAT(text, HasSubstr("not enough sizes: 2 where 3 are needed"));
}

TEST_F(ScalingCommandTest, AThroughputByWorkersHasLawsAndAPeak) {
  const ScalingRan ran = RunScaling({"scaling", Peaked(), "--y", "jobs_per_second", "--higher",
                                     "--at", "48", "--output", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json series = json::parse(ran.out)["series"][0];
  ASSERT_EQ(series["laws"].size(), 4U);
  const json& usl = series["laws"][3];
  EXPECT_EQ(usl["law"], "usl");
  EXPECT_EQ(usl["best"], true);
  EXPECT_NEAR(usl["contention"]["value"], 0.1, 0.01);
  EXPECT_NEAR(usl["peak"]["value"], std::sqrt(0.9 / 0.0025), 1.0);
  EXPECT_LT(usl["peak"]["lower"], 18.98);
  EXPECT_GT(usl["peak"]["upper"], 18.98);
  const double there = 4800.0 / (1.0 + 4.7 + 0.0025 * 48 * 47);
  EXPECT_NEAR(usl["at"]["value"], there, 10.0);
  EXPECT_LT(series["at"]["lower"], there);
  EXPECT_GT(series["at"]["upper"], there);
  EXPECT_EQ(series["class"], "scalability issue");
  EXPECT_EQ(series["laws_class"], "scalability issue");
}

TEST_F(ScalingCommandTest, WhatHasTooFewSizesCannotBeJudged) {
  const std::string file = Write("few.csv", "nodes,seconds\n1,1.0\n2,1.1\n");
  const ScalingRan ran =
      RunScaling({"scaling", file, "--x", "nodes", "--y", "seconds", "--fail-if", "issue"});
  EXPECT_EQ(ran.code, 9);
  EXPECT_THAT(ran.err, HasSubstr("it cannot be judged: seconds, not enough sizes"));
}

TEST_F(ScalingCommandTest, BeyondTwiceTheMostWorkersNothingIsPredicted) {
  const ScalingRan ran = RunScaling(
      {"scaling", Peaked(), "--y", "jobs_per_second", "--higher", "--at", "100", "--laws"});
  EXPECT_THAT(ran.out, HasSubstr("workers: 100 is more than twice the 32 that were measured"));
}

TEST_F(ScalingCommandTest, APredictionOfWhatIsNoThroughputIsRefused) {
  const std::string times = Write("t.csv", "workers,t\n1,1\n2,2\n4,4\n");
  const ScalingRan ran = RunScaling({"scaling", times, "--y", "t", "--at", "8"});
  EXPECT_NE(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("--higher"));
  EXPECT_EQ(ran.out, "");
}

TEST_F(ScalingCommandTest, APlateauIsSaidAsSuchAndThePeakOfAnotherLawIsNot) {
  std::string text = "workers,jobs_per_second\n";
  for (const double n : {1, 2, 4, 8, 16, 32, 64}) {
    for (const double noise : {0.99, 1.0, 1.01}) {
      text += std::to_string(n) + "," + std::to_string(100.0 * std::min(n, 8.0) * noise) + "\n";
    }
  }
  const ScalingRan ran = RunScaling({"scaling", Write("level.csv", text), "--y", "jobs_per_second",
                                     "--higher", "--at", "64", "--output", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json series = json::parse(ran.out)["series"][0];
  const json& plateau = series["laws"][1];
  EXPECT_EQ(plateau["best"], true);
  EXPECT_THAT(plateau["peak_text"].get<std::string>(), StartsWith("levels off at 8 ("));
  EXPECT_NEAR(series["at"]["value"], 800.0, 5.0);
  EXPECT_EQ(series["laws"][3]["peak_text"], "does not fit");
  EXPECT_TRUE(series["laws"][3]["peak"].is_null());
}

TEST_F(ScalingCommandTest, AnIssueIsAnExitCodeIfAskedFor) {
  const std::string file = Peaked();
  const std::vector<std::string> words = {"scaling", file, "--y", "jobs_per_second", "--higher"};
  EXPECT_EQ(RunScaling(words).code, 0);
  std::vector<std::string> strict = words;
  strict.insert(strict.end(), {"--fail-if", "issue"});
  const ScalingRan ran = RunScaling(strict);
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err,
              HasSubstr("--fail-if issue: scalability issue: jobs_per_second, its exponent "
                        "beside the ideal is 0."));
  EXPECT_THAT(ran.err, HasSubstr(", margin 0.1"));
}

TEST_F(ScalingCommandTest, AValidationIsReadWithItsErrors) {
  json windows = json::array();
  for (const double n : {1, 2, 4, 8, 16}) {
    windows.push_back({{"repeat", 1},
                       {"workers", n},
                       {"throughput", 5.0 * n},
                       {"log_error", 0.002},
                       {"steady", true}});
  }
  windows.push_back({{"repeat", 1}, {"workers", 32}, {"throughput", nullptr}, {"error", "gone"}});
  const std::string file = Write(
      "validation.json", json{{"deployment", "d"}, {"later", 1}, {"windows", windows}}.dump());
  const ScalingRan ran = RunScaling({"scaling", file, "--output", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json series = json::parse(ran.out)["series"][0];
  EXPECT_EQ(series["class"], "close");
  EXPECT_EQ(series["laws_class"], "close");
  EXPECT_EQ(series["laws"][3]["peak_text"], "no peak seen");
  EXPECT_EQ(series["n"], 5);
}

TEST_F(ScalingCommandTest, SeveralFilesAreSeveralSeries) {
  const std::string file = Peaked();
  const ScalingRan ran =
      RunScaling({"scaling", file, file, "--y", "jobs_per_second", "--output", "json"});
  EXPECT_EQ(json::parse(ran.out)["series"].size(), 2U);
}

TEST_F(ScalingCommandTest, WrongFilesAreNamedWithLineAndColumn) {
  const auto error = [&](const std::string& text, std::vector<std::string> words) {
    words.insert(words.begin(), {"scaling", Write("wrong.csv", text)});
    const ScalingRan ran = RunScaling(words);
    EXPECT_EQ(ran.code, 2) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(error("nodes,s\n1,2\n2,x\n", {"--y", "s"}),
              HasSubstr("wrong.csv: line 3: column 's': 'x' is not a number"));
  EXPECT_THAT(error("nodes,s\n1\n", {"--y", "s"}),
              HasSubstr("line 2: 1 fields where the first line has 2"));
  EXPECT_THAT(error("nodes,s\n1,1\n", {"--y", "t"}),
              HasSubstr("--y: no column 't'; there is nodes, s"));
  EXPECT_THAT(error("nodes,s\n1,1\n", {}), HasSubstr("--y: which column"));
  EXPECT_THAT(error("a,s\n1,1\n", {"--y", "s"}), HasSubstr("--x: which column has the size?"));
  EXPECT_THAT(error("", {"--y", "s"}), HasSubstr("no line that names columns"));
  EXPECT_THAT(error("{\"deployment\": \"d\"}", {}), HasSubstr("without `windows`"));
  EXPECT_EQ(RunScaling({"scaling", "/nonexistent.csv"}).code, 3);
}

TEST(CsvFile, ReadsQuotesCommentsAndLineEnds) {
  const Csv csv =
      Csv::Parse("# made by hand\r\na,\"b,c\"\r\n\r\n1,\"x \"\"y\"\"\nz\"\n2,\n").value();
  EXPECT_THAT(csv.columns, ElementsAre("a", "b,c"));
  ASSERT_EQ(csv.rows.size(), 2U);
  EXPECT_THAT(csv.rows[0], ElementsAre("1", "x \"y\"\nz"));
  EXPECT_THAT(csv.rows[1], ElementsAre("2", ""));
  EXPECT_THAT(csv.lines, ElementsAre(4U, 6U));
  EXPECT_EQ(Csv::Parse("a\n\"b").status().message(), "line 2: a quote does not end");
  EXPECT_EQ(Csv::Parse("a\n\"b\"c\n").status().message(), "line 2: text after a quote");
}

// ---- runs

class RunsInTimeTest : public ScalingCommandTest {
 protected:
  void SetUp() override { ASSERT_TRUE(results::SqliteStore::Open(path_).ok()); }

  /// A run with jobs of one permutation a size, each with its values.
  void AddRun(const std::string& id, const std::map<int, std::vector<double>>& sizes) {
    const auto store = results::SqliteStore::Open(path_).value();
    results::RunCreated run = results::SweepCreated(sizes.size());
    run.run.set_id(id);
    run.run.set_name("nightly");
    run.run.set_created_unix_ns(++runs_ * 86'400'000'000'000);
    std::vector<results::Record> records;
    std::uint64_t permutation = 0;
    for (const auto& [size, values] : sizes) {
      run.permutations[permutation].set_varied(json{{"streams", size}}.dump());
      ++permutation;
      std::uint32_t repetition = 0;
      for (const double value : values) {
        results::JobAccepted job = results::Placed(++job_, permutation, ++repetition);
        job.run = id;
        records.emplace_back(job);
        records.emplace_back(
            results::EndedWith(job_, results::ResultOf("iperf", {results::Throughput(value)})));
      }
    }
    records.insert(records.begin(), run);
    ASSERT_EQ(store->Commit(records), absl::OkStatus());
  }

  /// A run of one permutation, whose jobs have these results.
  void AddResults(const std::string& id, const std::vector<v1::BenchmarkResult>& results) {
    results::RunCreated run = results::SweepCreated(1);
    run.run.set_id(id);
    std::vector<results::Record> records = {run};
    std::uint32_t repetition = 0;
    for (const v1::BenchmarkResult& result : results) {
      results::JobAccepted job = results::Placed(++job_, 1, ++repetition);
      job.run = id;
      records.emplace_back(job);
      records.emplace_back(results::EndedWith(job_, result));
    }
    ASSERT_EQ(results::SqliteStore::Open(path_).value()->Commit(records), absl::OkStatus());
  }

  ScalingRan OfStore(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", path_});
    return RunScaling(words);
  }

  const std::string path_ = dir_.Path("runs.db");
  std::int64_t runs_ = 0;
  results::JobId job_ = 0;
};

TEST_F(RunsInTimeTest, AVariedFieldIsTheSize) {
  AddRun("sweep", {{1, {10, 10.1}}, {2, {10, 9.9}}, {4, {10, 10.1}}, {8, {9.9, 10}}});
  const ScalingRan ran = OfStore({"scaling", "sweep", "--output", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json series = json::parse(ran.out)["series"][0];
  EXPECT_EQ(series["x"], "streams");
  EXPECT_EQ(series["n"], 8);
  EXPECT_EQ(series["class"], "close");
  EXPECT_EQ(json::parse(OfStore({"scaling", "@last", "--ideal", "n", "--output", "json"})
                            .out)["series"][0]["class"],
            "scalability issue");
  EXPECT_THAT(OfStore({"scaling", "sweep", "--x", "mtu"}).err,
              HasSubstr("--x: 'mtu' is not varied"));
  EXPECT_THAT(OfStore({"scaling", "sweep", "--y", "none"}).err, HasSubstr("a headline 'none'"));
}

/// What a job of osu_latency has measured: no headline, and rows from no bytes on, of which the
/// latency is `factor` times the size.
v1::BenchmarkResult LatencyBySize(double factor) {
  v1::BenchmarkResult result = results::ResultOf("osu");
  v1::Series& series = *result.add_series();
  series.set_name("osu_latency");
  results::Add(*series.mutable_dimensions(), "datatype", "char");
  results::AddColumn(series, "size", "B");
  results::AddColumn(series, "latency", "us", v1::BETTER_LOWER);
  results::AddColumn(series, "rate", "1/s", v1::BETTER_HIGHER);
  for (const double size : {0.0, 1.0, 2.0, 4.0, 8.0, 16.0}) {
    for (const double value : {size, factor * size, 1000.0}) series.add_values(value);
  }
  return result;
}

TEST_F(RunsInTimeTest, RowsOfASeriesGoByTheirFirstColumn) {
  AddResults("osu", {LatencyBySize(1.0), LatencyBySize(3.0)});
  const ScalingRan ran = OfStore({"scaling", "osu", "--x", "size", "--output", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json all = json::parse(ran.out)["series"];
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["name"], "osu_latency latency datatype=char streams=1");
  EXPECT_EQ(all[0]["x"], "size");
  EXPECT_EQ(all[0]["unit"], "us");
  EXPECT_EQ(all[0]["better"], "lower");
  EXPECT_EQ(all[0]["n"], 5) << "a mean a row; no bytes are no size";
  EXPECT_NEAR(all[0]["exponent"]["value"], 1.0, 1e-9);
  EXPECT_EQ(all[1]["better"], "higher");
  EXPECT_EQ(all[1]["class"], "close");
  EXPECT_EQ(OfStore({"scaling", "osu", "--output", "json"}).out, ran.out)
      << "the only one there is";
  for (const char* y : {"latency", "osu_latency"}) {
    const ScalingRan chosen = OfStore({"scaling", "osu", "--y", y, "--output", "json"});
    EXPECT_EQ(json::parse(chosen.out)["series"].size(), y == std::string("latency") ? 1U : 2U);
  }
}

TEST_F(RunsInTimeTest, AnXThatIsNowhereIsToldWhatThereIs) {
  v1::BenchmarkResult both = LatencyBySize(1.0);
  *both.add_measurements() = results::Throughput(9.0);
  AddResults("osu", {both});
  EXPECT_THAT(OfStore({"scaling", "osu", "--x", "nodes"}).err,
              HasSubstr("--x: 'nodes' is not varied in this run, and no series has rows by it; "
                        "there is size"));
  results::AddSeries(both);  // by time
  AddResults("two", {both});
  EXPECT_THAT(OfStore({"scaling", "two"}).err, HasSubstr("--x: which one of size, time?"));
  EXPECT_THAT(OfStore({"scaling", "two", "--y", "none"}).err,
              HasSubstr("no value of a headline 'none', nor a series of that name"));
  AddResults("bare", {results::ResultOf("osu", {results::Throughput(1.0)})});
  EXPECT_THAT(OfStore({"scaling", "bare"}).err, HasSubstr("its jobs have measured no series"));
}

TEST_F(RunsInTimeTest, HistoryShowsWhenAHeadlineChanged) {
  for (int i = 0; i < 16; ++i) {
    AddRun("night-" + std::to_string(i), {{1, {(i < 8 ? 10.0 : 8.0) + 0.05 * (i % 3)}}});
  }
  const ScalingRan ran =
      OfStore({"history", "throughput", "--name", "nightly", "--fail-if", "change"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("worse by 19.9 % since run night-8\n"));
  EXPECT_EQ(OfStore({"history", "throughput", "--least", "30", "--fail-if", "change"}).code, 0);
  const json rows = json::parse(OfStore({"history", "throughput", "--output", "json"}).out)["rows"];
  EXPECT_EQ(rows.size(), 16U);
  EXPECT_EQ(rows[8]["change"], "worse");
  EXPECT_FALSE(rows[7].contains("change"));
  const ScalingRan last = OfStore({"history", "throughput", "--last", "8"});
  EXPECT_THAT(last.out, HasSubstr("no change in 8 runs\n"));
  const ScalingRan few = OfStore({"history", "throughput", "--last", "3", "--fail-if", "change"});
  EXPECT_EQ(few.code, 9);
  EXPECT_THAT(few.out, HasSubstr("no change in 3 runs, but so few could not show one\n"));
  EXPECT_THAT(last.out, Not(HasSubstr("night-7 ")));
}

TEST_F(RunsInTimeTest, HistoryCallsAChangeOfScatterThat) {
  for (int i = 0; i < 40; ++i) {
    AddRun("night-" + std::to_string(i), {{1, {10.0 + (i % 3 - 1) * (i < 20 ? 0.1 : 2.0)}}});
  }
  const ScalingRan ran = OfStore({"history", "throughput", "--fail-if", "change"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(": scatter by "));
  const json all = json::parse(OfStore({"history", "throughput", "--output", "json"}).out);
  EXPECT_TRUE(all["changes"].empty());
  EXPECT_EQ(all["scatter_changes"].size(), 1U);
}

TEST_F(RunsInTimeTest, HistoryRefusesARiskThatNoRunsCanReach) {
  for (int i = 0; i < 24; ++i) {
    const double value = (i < 12 ? 10.0 : 8.0) + 0.05 * (i % 3);
    AddRun("night-" + std::to_string(i), {{1, {value}}, {2, {10.0}}, {4, {10.0}}});
  }
  const ScalingRan ran = OfStore({"history", "throughput", "--risk", "0.0001"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--risk: 0.0001 over 3 headlines"));
  EXPECT_THAT(OfStore({"history", "throughput", "--risk", "0.001"}).out,
              HasSubstr(" since run night-12\n"));
}

TEST_F(RunsInTimeTest, HistoryOfWhatIsNotThereIsNotFound) {
  EXPECT_EQ(OfStore({"history", "throughput"}).code, 3);
  AddRun("night", {{1, {10}}});
  EXPECT_THAT(OfStore({"history", "latency"}).err, HasSubstr("none of 1 runs has a headline"));
  EXPECT_THAT(OfStore({"history", "throughput", "--name", "x"}).err,
              HasSubstr("no run has the name 'x'"));
  EXPECT_THAT(OfStore({"history", "throughput"}).out,
              HasSubstr("no change in 1 run, but so few could not show one"));
}

}  // namespace
}  // namespace twofold::cli
