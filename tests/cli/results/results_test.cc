// What people see of runs: tables, CSV and JSON of a file, and comparisons.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <variant>

#include "cli/command/command.h"
#include "cli/jobs/job_commands.h"
#include "lib/common/options.h"
#include "lib/results/sqlite_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::cli {
namespace {

using nlohmann::json;
using results::Record;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Shell {
  int code = 0;
  std::string out;
  std::string err;
};

std::string Compressed(const std::string& text) {
  std::string zstd(ZSTD_compressBound(text.size()), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), text.data(), text.size(), 1));
  return zstd;
}

/// A store with a run "sweep" of two permutations and "after", which is faster in the first.
class ResultsCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto store = results::SqliteStore::Open(path_).value();
    std::vector<Record> records = {results::SweepCreated()};
    Add(records, results::Placed(1, 1, 1), 9.9);
    Add(records, results::Placed(2, 1, 2), 10.1);
    Add(records, results::Placed(3, 2, 1), 42);
    records.emplace_back(results::Placed(4, 2, 2));
    records.emplace_back(results::Ended(4, 1, queue::Outcome::kFailed));
    for (results::JobId id = 11; id <= 12; ++id) {
      results::JobAccepted job = results::Placed(id, 7, 1);
      job.run = "after";
      Add(records, job, id == 11 ? 19.9 : 20.1);
    }
    results::RunCreated after = results::SweepCreated(1);
    after.run.set_id("after");
    after.permutations[0].set_number(7);
    records.emplace_back(after);
    ASSERT_EQ(store->Commit(records), absl::OkStatus());
  }

  static void Add(std::vector<Record>& records, const results::JobAccepted& job, double value) {
    v1::BenchmarkResult benchmark = results::FullResult(value);
    benchmark.mutable_ranks(0)->mutable_stages(0)->mutable_out()->set_zstd(
        Compressed("{\"end\": 1}\n"));
    records.emplace_back(job);
    records.emplace_back(results::EndedWith(job.id, benchmark));
  }

  /// A run of one permutation with a repetition for each value and the size where it was found;
  /// without a size it has no number.
  void AddPeaks(const std::string& id, const std::vector<std::pair<double, std::string>>& peaks) {
    results::RunCreated run = results::SweepCreated(1);
    run.run.set_id(id);
    run.permutations[0].set_varied("{}");
    std::vector<Record> records = {run};
    const auto store = results::SqliteStore::Open(path_).value();
    results::JobId job = 100 * (1 + store->List({})->size());
    for (const auto& [value, size] : peaks) {
      results::JobAccepted accepted = results::Placed(++job, 1, 1);
      accepted.run = id;
      records.emplace_back(accepted);
      v1::BenchmarkResult measured = results::ResultOf("osu");
      if (!size.empty()) *measured.add_measurements() = results::Peak(value, size);
      records.emplace_back(results::EndedWith(job, measured));
    }
    ASSERT_EQ(store->Commit(records), absl::OkStatus());
  }

  /// A run of one permutation whose jobs have these throughputs, beside others who had this share
  /// of the processors. It begins minutes after the run before.
  void AddRunBesideOthers(const std::string& id, const std::vector<double>& values,
                          double percent) {
    results::RunCreated run = results::SweepCreated(1);
    const auto store = results::SqliteStore::Open(path_).value();
    results::JobId job = 100 * (1 + store->List({})->size());
    run.run.set_id(id);
    run.run.set_jobs(values.size());
    run.run.set_created_unix_ns(run.run.created_unix_ns() +
                                static_cast<std::int64_t>(job) * 1'000'000'000);
    run.permutations[0].set_varied("{}");
    std::vector<Record> records = {run};
    for (const double value : values) {
      results::JobAccepted accepted = results::Placed(++job, 1, 1);
      accepted.run = id;
      records.emplace_back(accepted);
      const std::vector<v1::Measurement> numbers = {
          results::Throughput(value), results::Number("machine_others", percent, "%")};
      records.emplace_back(results::EndedWith(job, results::ResultOf("iperf", numbers)));
    }
    ASSERT_EQ(store->Commit(records), absl::OkStatus());
  }

  /// "twofold WORDS --store FILE"
  Shell Run(std::vector<std::string> words) {
    words.insert(words.begin(), "twofold");
    words.insert(words.end(), {"--store", path_});
    CLI::App app("", "twofold");
    Globals globals;
    Action chosen;
    std::vector<Command> commands = ResultCommands();
    for (const Command& command : JobCommands()) commands.push_back(command);
    AddCommands(app, commands, globals, chosen);
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
    const Status status = code ? Status() : chosen();
    Shell shell{code ? *code : ExitCode(status), ::testing::internal::GetCapturedStdout(),
                ::testing::internal::GetCapturedStderr()};
    shell.err += std::string(status.message());
    return shell;
  }

  const results::TempDir dir_;
  std::string path_ = dir_.Path("results.db");
};

TEST_F(ResultsCommandTest, TableHasARowAPermutationAndHeadline) {
  const Shell shell = Run({"results", "sweep"});
  EXPECT_EQ(shell.code, 0) << shell.err;
  const std::string title = "throughput direction=forward a=after it in the list";
  const std::string blanks(title.size() - std::string("HEADLINE").size(), ' ');
  EXPECT_EQ(shell.out, "PERMUTATION  streams  N  HEADLINE" + blanks +
                           "  MEAN    +-  CV %  UNIT    FAILED\n"
                           "          1        1  2  " +
                           title + "    10  1.27   1.4  Gbit/s       0\n" +
                           "          2        2  1  " + title +
                           "    42     -     -  Gbit/s       1\n"
                           "1 failed and are in no mean\n");
}

TEST_F(ResultsCommandTest, CsvHasNumbersInFullAndNothingForWhatIsNotKnown) {
  const Shell shell = Run({"results", "sweep", "--csv"});
  EXPECT_THAT(shell.out, StartsWith("run,permutation,streams,headline,dimensions,unit,better,n,"
                                    "failed,mean,median,least,most,sd,cv,lower,upper,at,"
                                    "withdrawn,overlapped,not_applied\n"
                                    "sweep,1,1,throughput,"));
  EXPECT_THAT(shell.out, HasSubstr(",Gbit/s,higher,1,1,42,42,42,42,,,,,,0,0,\n"));
}

TEST_F(ResultsCommandTest, AllHasALineAJobAndMeasurement) {
  const Shell shell = Run({"results", "sweep", "--all"});
  EXPECT_EQ(std::count(shell.out.begin(), shell.out.end(), '\n'), 1 + 3 * 3 + 1);
  EXPECT_THAT(shell.out, HasSubstr("sweep,1,\"{\"\"streams\"\":1}\",2,sweep-2,2,0,succeeded,"
                                   "throughput,10.1,Gbit/s,higher,1,"));
  EXPECT_THAT(shell.out,
              HasSubstr(",at,node,pod,device,started_unix_seconds,overlaps,not_applied\n"));
  EXPECT_THAT(shell.out, HasSubstr(",4,sweep-4,2,0,failed,,,,,,,,node-1,pod-1,gpu0,-0.249"))
      << "0.25 s before its end";
}

TEST_F(ResultsCommandTest, SeriesHaveALineAPermutationAndRow) {
  EXPECT_THAT(
      Run({"results", "sweep", "--series"}).out,
      StartsWith(
          "PERMUTATION  VARIED     SERIES                         ROW     COLUMN      N  MEAN"
          "    +-  LEAST   MOST    UNIT\n"
          "          1  streams=1  throughput_over_time stream=1  time=1  throughput  2  9.5"
          "      0  9.5     9.5     Gbit/s\n"));
  const Shell csv = Run({"results", "sweep", "--series", "--csv"});
  EXPECT_THAT(csv.out, StartsWith("run,permutation,varied,series,dimensions,by,by_unit,at,name,"
                                  "unit,better,n,mean,half_width,least,most\n"
                                  "sweep,1,"));
  EXPECT_THAT(csv.out, HasSubstr(",time,s,1,throughput,Gbit/s,higher,2,9.5,0,9.5,9.5\n"));
  const json all = json::parse(Run({"results", "sweep", "--json", "--series"}).out);
  EXPECT_EQ(all["permutations"][0]["series"][0]["points"].size(), 3u);
  EXPECT_EQ(Run({"results", "sweep", "--series", "--all"}).code, 2);
}

TEST_F(ResultsCommandTest, JsonHasTheRunItsPermutationsAndTheirJobs) {
  const json all = json::parse(Run({"results", "sweep", "--json", "--all"}).out);
  EXPECT_EQ(all["run"]["id"], "sweep");
  EXPECT_EQ(all["permutations"].size(), 2u);
  EXPECT_EQ(all["permutations"][0]["headlines"][0]["median"], 10.0);
  EXPECT_EQ(all["permutations"][1]["jobs"].size(), 2u);
}

TEST_F(ResultsCommandTest, PlaceOfAPeakIsShownBesideItAndSplitsNothing) {
  AddPeaks("peaks", {{100, "4194304"}, {102, "2097152"}, {102, "2097152"}});
  AddPeaks("others", {{200, "1048576"}, {202, "4194304"}});
  EXPECT_EQ(Run({"results", "peaks"}).out,
            "PERMUTATION  N  HEADLINE                       MEAN    +-  CV %  UNIT  AT"
            "                          FAILED\n"
            "          1  3  peak_bandwidth test=osu_bw  101.333  2.87   1.1  MB/s  size=2097152"
            " and elsewhere       0\n");
  EXPECT_THAT(Run({"results", "peaks", "--csv"}).out,
              HasSubstr("peaks,1,peak_bandwidth,test=osu_bw,MB/s,higher,3,0,"));
  EXPECT_THAT(Run({"results", "peaks", "--csv"}).out,
              HasSubstr(",\"size=2097152, size=4194304\",0,0,\n"));
  EXPECT_THAT(Run({"results", "peaks", "--all"}).out,
              HasSubstr(",peak_bandwidth,100,MB/s,higher,1,test=osu_bw,size=4194304,node-1,"));
  const json all = json::parse(Run({"results", "peaks", "--json", "--all"}).out)["permutations"][0];
  EXPECT_EQ(all["headlines"][0]["at"], json::parse(R"([{"place": {"size": "2097152"}, "n": 2},
                            {"place": {"size": "4194304"}, "n": 1}])"));
  EXPECT_EQ(all["jobs"][0]["measurements"][0]["at"]["size"], "4194304");
  const json compared = json::parse(Run({"compare", "peaks", "others", "--json"}).out);
  ASSERT_EQ(compared["headlines"].size(), 1u);
  EXPECT_EQ(compared["headlines"][0]["now"]["n"], 2);
  EXPECT_EQ(compared["unpaired"], 0);
}

TEST_F(ResultsCommandTest, NIsHowManyValuesTheMeanHas) {
  AddPeaks("some", {{100, "1"}, {102, "1"}, {0, ""}});
  EXPECT_THAT(Run({"results", "some"}).out, HasSubstr("\n          1  2  peak_bandwidth"));
  EXPECT_THAT(Run({"results", "some", "--csv"}).out, HasSubstr(",MB/s,higher,2,0,101,"));
}

TEST_F(ResultsCommandTest, RunsAreListedNewestFirst) {
  const json runs = json::parse(Run({"runs", "--output", "json"}).out);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["counts"]["ended"]["succeeded"].get<int>() +
                runs[1]["counts"]["ended"]["succeeded"].get<int>(),
            5);
  EXPECT_THAT(Run({"runs"}).out, HasSubstr("IPerf"));
}

TEST_F(ResultsCommandTest, WithdrawnJobsOfAPausedRunAreAColumnOfTheirOwn) {
  path_ = dir_.Path("paused.db");
  std::vector<Record> records = {results::SweepCreated()};
  Add(records, results::Placed(1, 1, 1), 10);
  for (results::JobId id = 2; id <= 4; ++id) {
    records.emplace_back(results::Placed(id, 1, static_cast<std::uint32_t>(id)));
    const bool failed = id == 2;
    records.emplace_back(
        results::Ended(id, 1, failed ? queue::Outcome::kFailed : queue::Outcome::kCancelled));
  }
  ASSERT_EQ(results::SqliteStore::Open(path_).value()->Commit(records), absl::OkStatus());
  EXPECT_THAT(Run({"runs"}).out,
              ::testing::ContainsRegex("STATE +JOBS +PLANNED +WAITING +RUNNING +SUCCEEDED +FAILED "
                                       "+WITHDRAWN[^\n]*\n"
                                       "sweep +IPerf +paused +6 +2 +0 +0 +1 +1 +2 "));
  EXPECT_THAT(Run({"results", "sweep"}).out,
              HasSubstr("1 failed and are in no mean; 2 were withdrawn\n"));
  EXPECT_THAT(Run({"results", "sweep", "--csv"}).out, HasSubstr(",2,0,\n"));
}

TEST_F(ResultsCommandTest, ConditionsThatWereNotAppliedAreSaid) {
  path_ = dir_.Path("local.db");
  std::vector<Record> records;
  results::RunCreated run = results::SweepCreated();
  (*run.run.mutable_labels())["local"] = "box";
  (*run.run.mutable_labels())["not_applied"] = "hostNetwork=true";
  records.emplace_back(run);
  Add(records, results::Placed(1, 1, 1), 10);
  ASSERT_EQ(results::SqliteStore::Open(path_).value()->Commit(records), absl::OkStatus());
  EXPECT_THAT(Run({"results", "sweep"}).out,
              HasSubstr("measured on one machine, box; not applied there: hostNetwork=true\n"));
  EXPECT_THAT(Run({"results", "sweep", "--csv"}).out, HasSubstr(",hostNetwork=true\n"));
  EXPECT_THAT(Run({"results", "sweep", "--all"}).out, HasSubstr(",hostNetwork=true\n"));
  const json all = json::parse(Run({"results", "sweep", "--json"}).out);
  EXPECT_EQ(all["run"]["labels"]["not_applied"], "hostNetwork=true");
}

TEST_F(ResultsCommandTest, JobsThatOverlappedWithOthersOfTheirRunSaySo) {
  path_ = dir_.Path("beside.db");
  std::vector<Record> records = {results::SweepCreated()};
  for (results::JobId id = 1; id <= 4; ++id) Add(records, results::Placed(id, 1 + id / 4, 1), 10);
  // They end one second after the other: the second begins before the first ends.
  std::get<results::JobEnded>(records.at(4)).run_time = std::chrono::milliseconds(1100);
  ASSERT_EQ(results::SqliteStore::Open(path_).value()->Commit(records), absl::OkStatus());
  EXPECT_THAT(Run({"results", "sweep"}).out,
              HasSubstr("2 overlapped with up to 1 other job of the run: they may have measured "
                        "each other\n"));
  EXPECT_THAT(Run({"results", "sweep", "--csv"}).out, HasSubstr(",0,2,\n"));
  const json all = json::parse(Run({"results", "sweep", "--all", "--json"}).out);
  EXPECT_EQ(all["permutations"][0]["overlapped"], 2);
  EXPECT_EQ(all["permutations"][0]["most_overlaps"], 1);
  EXPECT_EQ(all["permutations"][0]["jobs"][1]["overlaps"], 1);
  EXPECT_EQ(all["permutations"][0]["jobs"][2]["overlaps"], 0);
  EXPECT_EQ(all["permutations"][1]["overlapped"], 0);
  EXPECT_THAT(Run({"results", "sweep", "--all"}).out, HasSubstr(",1,\n"));
}

TEST_F(ResultsCommandTest, RunsAreComparedWhereTheyVaryTheSame) {
  const Shell shell = Run({"compare", "sweep", "after", "--json"});
  EXPECT_EQ(shell.code, 0) << shell.err;
  const json all = json::parse(shell.out);
  ASSERT_EQ(all["headlines"].size(), 1u);
  EXPECT_EQ(all["headlines"][0]["base"]["permutation"], 1);
  EXPECT_EQ(all["headlines"][0]["now"]["permutation"], 7);
  EXPECT_NEAR(all["headlines"][0]["ratio"].get<double>(), 2.0, 1e-12);
  EXPECT_EQ(all["headlines"][0]["change"], "better");
  EXPECT_EQ(all["unpaired"], 1);
  EXPECT_THAT(Run({"compare", "sweep", "after"}).out, HasSubstr("better"));
}

// Of a file that somebody else has made: to sort and to indent its values would take the stack.
TEST_F(ResultsCommandTest, ValuesThatAreNestedWithoutEndAreComparedAsText) {
  results::RunCreated deep = results::SweepCreated(1);
  deep.run.set_id("deep");
  deep.permutations[0].set_varied(R"({"streams":)" + std::string(1'000'000, '[') +
                                  std::string(1'000'000, ']') + "}");
  std::vector<Record> records = {deep};
  results::JobAccepted job = results::Placed(21, 1, 1);
  job.run = "deep";
  Add(records, job, 10);
  ASSERT_EQ(results::SqliteStore::Open(path_).value()->Commit(records), absl::OkStatus());
  const Shell shell = Run({"compare", "deep", "deep", "--json"});
  EXPECT_EQ(shell.code, 0) << shell.err;
  EXPECT_EQ(json::parse(shell.out)["headlines"].size(), 1u);
}

TEST_F(ResultsCommandTest, RunIsNoDifferentFromItself) {
  const json all = json::parse(Run({"compare", "sweep", "sweep", "--json"}).out);
  ASSERT_EQ(all["headlines"].size(), 2u);
  EXPECT_EQ(all["headlines"][0]["change"], "-");
  EXPECT_TRUE(all["headlines"][1]["upper"].is_null()) << "there is one repetition only";
  EXPECT_TRUE(all["headlines"][0]["repetitions_needed"].is_null()) << "there is no difference";
  const std::string text = Run({"compare", "sweep", "sweep"}).out;
  EXPECT_THAT(text, HasSubstr("CHANGE -: chance alone may have made the ratio: its interval, "
                              "corrected for so many, holds 1\n"));
  EXPECT_THAT(text, HasSubstr("CHANGE -: with one repetition there is no interval"));
}

TEST_F(ResultsCommandTest, TheSameNumberReadMoreOftenIsNoChange) {
  const std::pair<double, std::string> third = {100.0 / 3.0, "1"};
  AddPeaks("five", {5, third});
  AddPeaks("ten", {10, third});
  for (const auto& [base, now] : {std::pair("five", "ten"), {"ten", "five"}}) {
    const Shell shell = Run({"compare", base, now, "--fail-if", "worse", "--json"});
    EXPECT_EQ(shell.code, 0) << shell.err;
    EXPECT_EQ(json::parse(shell.out)["headlines"][0]["change"], "-");
  }
}

TEST_F(ResultsCommandTest, WhatMayBeChanceSaysHowManyRepetitionsWouldTell) {
  AddPeaks("before", {{97, "1"}, {100, "1"}, {103, "1"}});
  AddPeaks("after-it", {{100, "1"}, {103, "1"}, {106, "1"}});
  const Shell shell = Run({"compare", "before", "after-it", "--json"});
  const json needed = json::parse(shell.out)["headlines"][0]["repetitions_needed"];
  ASSERT_TRUE(needed.is_number()) << shell.out;
  EXPECT_GT(needed, 20);
  EXPECT_LT(needed, 60);
  const std::string text = Run({"compare", "before", "after-it"}).out;
  EXPECT_THAT(text, HasSubstr("NEEDED: about " + needed.dump() + " repetitions of each, " +
                              json(needed.get<int>() - 3).dump() +
                              " more, would tell 3 % apart, in 8 of 10 such comparisons\n"));
}

TEST_F(ResultsCommandTest, MediansThatMayBeChanceSayHowManyRepetitionsWouldTell) {
  AddPeaks("before", {{97, "1"}, {98, "1"}, {99, "1"}, {101, "1"}, {103, "1"}});
  AddPeaks("after-it", {{98, "1"}, {100, "1"}, {102, "1"}, {104, "1"}, {106, "1"}});
  const Shell shell = Run({"compare", "before", "after-it", "--statistic", "median"});
  EXPECT_THAT(shell.out, HasSubstr(" repetitions of each, "));
  EXPECT_THAT(shell.out, HasSubstr(" more, would tell 3 % apart"));
}

TEST_F(ResultsCommandTest, WhatWasNothingBeforeHasADifferenceAndNoRatio) {
  AddPeaks("nothing", {3, {0.0, "1"}});
  AddPeaks("something", {{500, "1"}, {510, "1"}, {490, "1"}});
  const json pair =
      json::parse(Run({"compare", "nothing", "something", "--json"}).out)["headlines"][0];
  EXPECT_EQ(pair["change"], "better");
  EXPECT_TRUE(pair["ratio"].is_null());
  EXPECT_EQ(pair["difference"], 500.0);
  EXPECT_GT(pair["difference_lower"].get<double>(), 400.0);
  const Shell back = Run({"compare", "something", "nothing", "--fail-if", "worse:50%"});
  EXPECT_EQ(back.code, 1);
  EXPECT_THAT(back.err, HasSubstr("worse by 100 %"));
}

TEST_F(ResultsCommandTest, ALimitOnTheAmountAloneHoldsForTwoValuesThatScatter) {
  AddPeaks("some", {{3.11, "1"}, {21.29, "1"}});
  AddPeaks("fewer", {{3.02, "1"}, {21.01, "1"}});
  const Shell kept = Run({"compare", "some", "fewer", "--fail-if", "worse>20%"});
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  EXPECT_EQ(Run({"compare", "some", "fewer", "--fail-if", "worse>1%"}).code, 1);
}

TEST_F(ResultsCommandTest, WithoutARunTheNewestIsShown) {
  const Shell shell = Run({"results"});
  EXPECT_EQ(shell.code, 0) << shell.err;
  const std::string newest = json::parse(Run({"results", "@last", "--json"}).out)["run"]["id"];
  EXPECT_THAT(shell.out, StartsWith("run " + newest + "\n"));
  EXPECT_THAT(Run({"results", "--csv"}).out, StartsWith("run,permutation,"));
}

TEST_F(ResultsCommandTest, WorseBySoMuchNeedsBothTheChanceAndTheAmount) {
  const auto code = [&](const std::string& limit) {
    return Run({"compare", "after", "sweep", "--fail-if", limit}).code;
  };
  EXPECT_EQ(code("worse"), 1);
  EXPECT_EQ(code("worse:40%"), 1);
  EXPECT_EQ(code("worse:60%"), 0);
  EXPECT_EQ(code("worse>40%"), 1);
  EXPECT_EQ(code("worse>60%"), 0);
  EXPECT_EQ(code("worse:5"), 2);
}

TEST_F(ResultsCommandTest, ALimitBeyondChanceCannotBeJudgedByOneValue) {
  const Shell shell = Run({"compare", "sweep", "sweep", "--fail-if", "worse:0%"});
  EXPECT_EQ(shell.code, 9);
  EXPECT_THAT(shell.err, HasSubstr("too few values to tell a change from chance"));
  EXPECT_EQ(Run({"compare", "sweep", "sweep", "--fail-if", "worse>0%"}).code, 0);
}

TEST_F(ResultsCommandTest, ALimitThatIsBrokenSaysByHowMuchAndWhatIsMissing) {
  const std::string headline = "throughput direction=forward a=after it in the list";
  EXPECT_THAT(Run({"compare", "after", "sweep", "--fail-if", "worse:40%"}).err,
              HasSubstr("--fail-if worse:40%: " + headline + ": 10 for 20 Gbit/s, worse by 50 %"));
  EXPECT_THAT(Run({"compare", "sweep", "after", "--fail-if", "worse"}).err,
              HasSubstr("--fail-if worse: after has no more what sweep has: " + headline));
}

TEST_F(ResultsCommandTest, ChangeBesideAnotherMachineIsMarked) {
  AddRunBesideOthers("quiet", {10.0, 10.1, 9.9}, 3);
  AddRunBesideOthers("busy", {6.0, 6.1, 5.9}, 45);
  const Shell shell = Run({"compare", "quiet", "busy"});
  EXPECT_THAT(shell.out, HasSubstr("worse   others"));
  EXPECT_THAT(shell.out,
              HasSubstr("MACHINE: other programs had the processors for 3 % of the time in quiet, "
                        "45 % in busy: this may have made the change\n"));
  const json pair = json::parse(Run({"compare", "quiet", "busy", "--json"}).out)["headlines"][0];
  EXPECT_EQ(pair["change"], "worse");
  EXPECT_EQ(pair["unlike"], json({"others"}));
  EXPECT_EQ(pair["machine"], (json{{"others", {{"base", 3.0}, {"now", 45.0}}}}));
  EXPECT_THAT(shell.out, HasSubstr(" s apart, so what else changed meanwhile is in the ratios: "
                                   "`twofold run --interleave` makes two runs in turn\n"));
  EXPECT_THAT(Run({"results", "busy", "--all"}).out, HasSubstr("machine_others,45,%"));
}

TEST_F(ResultsCommandTest, WhereMachinesWereAlikeOrAreNotKnownNothingIsMarked) {
  AddRunBesideOthers("before", {10.0, 10.1, 9.9}, 43);
  AddRunBesideOthers("after-it", {6.0, 6.1, 5.9}, 45);
  for (const char* base : {"before", "sweep"}) {
    const Shell shell = Run({"compare", base, base == std::string("sweep") ? "after" : "after-it"});
    EXPECT_THAT(shell.out, Not(HasSubstr("MACHINE"))) << base;
  }
  EXPECT_THAT(Run({"compare", "before", "before"}).out, Not(HasSubstr("apart")));
}

TEST_F(ResultsCommandTest, ComparedHeadlinesShareTheRisk) {
  const Shell shell = Run({"compare", "sweep", "sweep"});
  EXPECT_THAT(shell.out, HasSubstr("2 headlines compared: of those that changed, at most 5 %"));
  EXPECT_THAT(Run({"compare", "sweep", "sweep", "--correction", "holm"}).out, HasSubstr("(Holm)"));
  const json all = json::parse(Run({"compare", "sweep", "after", "--json"}).out);
  EXPECT_EQ(all["correction"], "bh");
  EXPECT_EQ(all["headlines"][0]["p"], all["headlines"][0]["corrected_p"]) << "one pair only";
}

TEST_F(ResultsCommandTest, MediansStandAnOutlier) {
  AddPeaks("before", {{10, "1"}, {11, "1"}, {10, "1"}, {11, "1"}, {10, "1"}, {900, "1"}});
  AddPeaks("later", {{20, "1"}, {22, "1"}, {20, "1"}, {22, "1"}, {20, "1"}, {0.1, "1"}});
  const Shell shell = Run({"compare", "before", "later", "--statistic", "median", "--json"});
  ASSERT_EQ(shell.code, 0) << shell.err;
  const json pair = json::parse(shell.out)["headlines"][0];
  EXPECT_NEAR(pair["ratio"].get<double>(), 20.0 / 10.5, 0.1);
  EXPECT_EQ(pair["base"]["median"], 10.5);
  EXPECT_TRUE(pair["upper"].is_number());
  const json means = json::parse(Run({"compare", "before", "later", "--json"}).out);
  EXPECT_EQ(means["headlines"][0]["change"], "-");
  EXPECT_THAT(Run({"compare", "before", "later"}).out,
              HasSubstr("CHANGE -: chance alone may have made the ratio: its interval holds 1\n"));
  EXPECT_THAT(Run({"compare", "before", "later", "--csv"}).out, StartsWith("base.permutation,"));
}

TEST_F(ResultsCommandTest, OutputOfAJobIsDecompressed) {
  const Shell shell = Run({"job", "output", "1"});
  EXPECT_EQ(shell.out, "{\"end\": 1}\n");
  EXPECT_THAT(shell.err, HasSubstr("stdout: 900000 of 1000000 bytes were not kept"));
  EXPECT_EQ(Run({"job", "output", "1", "--rank", "1", "--stage", "none"}).code, 3);
}

TEST_F(ResultsCommandTest, RunGoesIntoAFileAndFromThereIntoAnother) {
  const std::string file = dir_.Path("sweep.db");
  Shell shell = Run({"results", "export", "sweep", file});
  EXPECT_EQ(shell.code, 0) << shell.err;
  EXPECT_EQ(shell.out, "run sweep: 4 jobs copied to " + file + "\n");
  EXPECT_EQ(Run({"results", "export", "sweep", file}).code, 5) << "it is there";
  shell = Run({"results", "import", file});
  EXPECT_EQ(shell.code, 1);
  EXPECT_EQ(shell.err, "run 'sweep' is in " + path_ + " already");
  const std::string table = Run({"results", "sweep"}).out;
  path_ = dir_.Path("new.db");
  EXPECT_EQ(Run({"results", "import", file}).code, 0);
  EXPECT_EQ(Run({"results", "sweep"}).out, table);
  EXPECT_EQ(Run({"results", "after"}).code, 3);
}

TEST_F(ResultsCommandTest, ExportToAFolderThatIsNotThereNamesIt) {
  const Shell shell = Run({"results", "export", "sweep", "/no/such/folder/x.db"});
  EXPECT_EQ(shell.code, 2);
  EXPECT_EQ(shell.err,
            "FILE: /no/such/folder/x.db cannot be written: No such file or directory: the folder "
            "/no/such/folder is not there");
}

TEST_F(ResultsCommandTest, ExportOfWhatIsNotThereLeavesNoFile) {
  EXPECT_EQ(Run({"results", "export", "nope", dir_.Path("nope.db")}).code, 3);
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("nope.db")));
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("nope.db.part")));
}

TEST_F(ResultsCommandTest, WhatIsNotThereHasExitCodeThree) {
  const Shell shell = Run({"results", "nope"});
  EXPECT_EQ(shell.code, 3);
  EXPECT_EQ(shell.err, "id: there is no run 'nope'");
  EXPECT_EQ(Run({"results", "sweep", "--csv", "--json"}).code, 2);
}

TEST(Decompress, RefusesWhatIsCutOffOrTooLongOrNone) {
  const std::string zstd = Compressed(std::string(1'000'000, 'x'));
  EXPECT_EQ(Decompress(zstd, 1'000'000)->size(), 1'000'000u);
  EXPECT_TRUE(absl::IsResourceExhausted(Decompress(zstd, 999'999).status()));
  EXPECT_TRUE(absl::IsDataLoss(Decompress(zstd.substr(0, zstd.size() - 3), 1 << 30).status()));
  EXPECT_TRUE(absl::IsDataLoss(Decompress("text", 100).status()));
  EXPECT_EQ(*Decompress("", 100), "");
}

}  // namespace
}  // namespace twofold::cli
