#include "lib/report/sources/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/report/sources/comparison.h"
#include "tests/lib/report/checked.h"
#include "tests/lib/report/sources/samples.h"
#include "tests/support/sanitized.h"

namespace twofold::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string GoldenPath(const std::string& name) { return std::string(GOLDEN_FOLDER) + "/" + name; }

v1::ValidationRecord SomeValidation() {
  const auto record = ReadRecord(TextOf(GoldenPath("validation.json")));
  EXPECT_TRUE(record.ok()) << record.status();
  return record.ok() ? std::get<v1::ValidationRecord>(*record) : v1::ValidationRecord();
}

/// The page, all of its figures, and all other forms are what document.h and figure.h promise.
void ExpectSoundReport(const std::string& name, const Document& document) {
  const std::string html = ToHtml(document);
  ExpectSoundPages({{name, html}});
  std::map<std::string, std::string> svgs;
  for (const Picture* picture : PicturesOf(document)) {
    EXPECT_TRUE(svgs.emplace(picture->name, ToSvg(picture->figure)).second) << picture->name;
    EXPECT_FALSE(picture->caption.empty()) << picture->name;
  }
  if (!svgs.empty()) ExpectSound(svgs);
  EXPECT_FALSE(document.title.empty());
  EXPECT_FALSE(document.verdict.empty());
  EXPECT_THAT(ToOpenMetrics(document), ::testing::EndsWith("# EOF\n"));
  EXPECT_LT(html.size(), 1'000'000U);
}

const Picture* PictureNamed(const Document& document, const std::string& name) {
  for (const Picture* picture : PicturesOf(document)) {
    if (picture->name == name) return picture;
  }
  return nullptr;
}

// ---- validations

TEST(ValidationReport, IsAsItWas) {
  const Document document = DocumentOf(SomeValidation());
  ExpectSoundReport("validation", document);
  ExpectGoldenFile(GoldenPath("validation.html"), ToHtml(document));
  ExpectGoldenFile(GoldenPath("validation.md"), ToWords(document, show::Form::kMarkdown));
}

TEST(ValidationReport, TheFigureOfTheDocumentationIsUpToDate) {
  const Document document = DocumentOf(SomeValidation());
  ASSERT_NE(PictureNamed(document, "throughput"), nullptr);
  ExpectGoldenFile(std::string(TWOFOLD_SOURCE) + "/docs/figures/report-scaling.svg",
                   ToSvg(PictureNamed(document, "throughput")->figure));
}

/// The steps of 1 and 2 workers only, which grew enough.
v1::ValidationRecord OneThatGrew() {
  v1::ValidationRecord record = SomeValidation();
  record.mutable_steps()->DeleteSubrange(2, record.steps_size() - 2);
  record.set_verdict("pass");
  record.set_why("with 2 workers a job took at most 0.9 % longer than with 1");
  return record;
}

TEST(ValidationReport, SaysTheVerdictAndItsCause) {
  EXPECT_EQ(DocumentOf(OneThatGrew()).verdict,
            "Pass: at least 1.8 times the work for twice the workers, up to 2 workers. Why: with 2 "
            "workers a job took at most 0.9 % longer than with 1.");
  EXPECT_THAT(
      DocumentOf(SomeValidation()).verdict,
      ::testing::StartsWith("Fail: too little growth, and jobs failed: 16 workers did 1.41 "));
}

TEST(ValidationReport, JobsThatFailedAreTheCauseWhereTheThroughputGrewEnough) {
  v1::ValidationRecord record = OneThatGrew();
  record.set_verdict("fail");
  record.mutable_steps(1)->set_failed_jobs(3);
  record.mutable_steps(1)->set_error("exit code 1");
  record.mutable_windows(1)->set_jobs(119);
  const Document document = DocumentOf(record);
  EXPECT_THAT(
      document.verdict,
      ::testing::StartsWith("Fail: jobs failed, though the throughput grew enough: 3 of 119 "
                            "jobs of 2 workers failed: exit code 1."));
  ASSERT_EQ(document.checks.size(), 1U);
  EXPECT_EQ(document.checks[0].tone, Tone::kBad);  // though the step grew enough
  EXPECT_THAT(ToWords(document, show::Form::kText), HasSubstr("pass+failures"));
}

TEST(ValidationReport, WithoutAVerdictSaysWhyAndHowFarItCame) {
  v1::ValidationRecord record = OneThatGrew();
  record.clear_why();
  record.set_verdict("interrupted");
  EXPECT_EQ(DocumentOf(record).verdict,
            "No verdict: the validation was interrupted. Measured until then: 1, 2 workers.");
  record.set_verdict("none");
  record.set_reason("the workers changed");
  EXPECT_EQ(DocumentOf(record).verdict,
            "No verdict: the workers changed. Measured until then: 1, 2 workers.");
}

TEST(ValidationReport, EachJudgedStepIsACheck) {
  const Document document = DocumentOf(SomeValidation());
  ASSERT_EQ(document.checks.size(), 4U);
  EXPECT_EQ(document.checks[0].tone, Tone::kGood);
  EXPECT_EQ(document.checks[2].tone, Tone::kOpen);
  EXPECT_EQ(document.checks[3].tone, Tone::kBad);
  EXPECT_EQ(
      document.checks[3].message,
      "16 workers did 1.41 (95 %: 1.33 to 1.495) times the work of 8, limit 1.8; 2 jobs of 16 "
      "workers failed: exit code 1");
}

TEST(ValidationReport, OneThatWasInterruptedAtOnceHasNoVerdictAndFailsInCi) {
  v1::ValidationRecord record;
  record.set_deployment("d");
  record.set_verdict("interrupted");
  const Document document = DocumentOf(record);
  ExpectSoundReport("interrupted", document);
  ASSERT_EQ(document.checks.size(), 1U);
  EXPECT_EQ(document.checks[0].tone, Tone::kOpen);
}

TEST(ValidationReport, OneWorkerAndMissingNumbersAreDrawnAsFarAsTheyGo) {
  v1::ValidationRecord record;
  record.set_verdict("none");
  record.add_steps()->set_workers(1);
  record.mutable_steps(0)->set_throughput(std::nan(""));
  record.add_steps()->set_workers(0);
  record.mutable_steps(1)->set_throughput(-1);
  record.mutable_steps(1)->set_ratio(std::numeric_limits<double>::infinity());
  record.add_windows()->set_workers(1);
  record.mutable_windows(0)->set_throughput(5);
  record.mutable_windows(0)->set_log_error(1e300);
  ExpectSoundReport("little", DocumentOf(record));
}

TEST(ValidationReport, SeveralAreOverlaidAndEachIsThereByItself) {
  const std::vector<Source> sources = {{"before", SomeValidation()}, {"after", SomeValidation()}};
  const auto document = DocumentOf(sources);
  ASSERT_TRUE(document.ok());
  ExpectSoundReport("two", *document);
  EXPECT_EQ(document->checks.size(), 8U);
  EXPECT_EQ(document->checks[4].name, "after: 2 workers");
  EXPECT_THAT(ToSvg(PicturesOf(*document)[0]->figure), HasSubstr("after: all measurements"));
}

// ---- loads

TEST(LoadReport, IsAsItWas) {
  const Document document = DocumentOf(SomeLoad(8, 6, 1));
  ExpectSoundReport("load", document);
  ExpectGoldenFile(GoldenPath("load.html"), ToHtml(document));
}

TEST(LoadReport, ComesOutOfTheFileThatAProgramHasWritten) {
  const auto record = ReadRecord(
      R"({"queue":"q","result":{"seconds":1,"succeeded":"3","throughput":3,"from_plan":)"
      R"({"count":"3","p99":0.2,"histogram":{"bucket":["200000000"],"count":["3"],"max":"200000000"}}},)"
      R"("of_a_newer_program":[1]})");
  ASSERT_TRUE(record.ok()) << record.status();
  const Document document = DocumentOf(std::get<v1::LoadRecord>(*record));
  EXPECT_EQ(document.verdict,
            "3 /s succeeded jobs, p99 200 ms from the planned moment on, 0 of 3 jobs failed or "
            "were rejected.");
  ExpectSoundReport("small", document);
}

TEST(LoadReport, SaysWhatSpoiledTheNumbers) {
  v1::LoadRecord record = SomeLoad(2, 3, 1);
  record.set_verdict("invalid");
  const Document document = DocumentOf(record);
  EXPECT_THAT(document.verdict, HasSubstr("Invalid: something spoiled the numbers"));
  EXPECT_EQ(document.checks.back().tone, Tone::kOpen);
}

void AddLimit(v1::LoadRecord& record, const char* text, std::optional<double> seconds, bool met) {
  v1::LoadLimit& limit = *record.add_limits();
  limit.set_text(text);
  limit.set_unit("s");
  if (seconds) limit.set_value(*seconds);
  limit.set_met(met);
}

TEST(LoadReport, SaysOfLimitsWhatTheyAreAndWhatItWas) {
  v1::LoadRecord record = SomeLoad(2, 3, 1);
  record.clear_limits();
  const auto verdict = [&] { return DocumentOf(record).verdict; };
  AddLimit(record, "p99>1s", 0.4, true);
  EXPECT_THAT(verdict(), ::testing::StartsWith(
                             "Pass: the limit is kept, p99>1s must not be: it was 400 ms. "));
  AddLimit(record, "p50>2s", 0.2, true);
  EXPECT_THAT(verdict(), ::testing::StartsWith("Pass: all 2 limits are kept. "));
  AddLimit(record, "max>1s", 1.25, false);
  EXPECT_THAT(verdict(), ::testing::StartsWith(
                             "Fail: 1 of 3 limits is broken, max>1s must not be: it was 1.25 s. "));
  AddLimit(record, "wait_p99>1s", std::nullopt, false);
  EXPECT_THAT(verdict(),
              ::testing::StartsWith("Fail: 2 of 4 limits are broken, max>1s must not be"));
  record.mutable_limits()->DeleteSubrange(0, 3);
  EXPECT_THAT(verdict(),
              ::testing::StartsWith("Fail: the limit is broken, wait_p99>1s must not be: it is "
                                    "not known, as no job has it. "));
  record.set_verdict("invalid");
  EXPECT_THAT(verdict(), ::testing::StartsWith("Invalid: something spoiled the numbers"));
}

TEST(LoadReport, SaysWhichPercentilesHaveTooFewJobs) {
  v1::LoadRecord record = SomeLoad(2, 3, 1);
  record.clear_limits();
  record.set_verdict("undecided");
  AddLimit(record, "p99.9>1s", 0.4, false);
  record.mutable_limits(0)->set_undecided(true);
  record.mutable_limits(0)->set_doubt("p99.9 of 500 jobs: too few, 3688 are needed");
  const Document document = DocumentOf(record);
  EXPECT_THAT(document.verdict,
              ::testing::StartsWith("Undecided: p99.9>1s must not be: it was 400 ms; p99.9 of 500 "
                                    "jobs: too few, 3688 are needed. "));
  EXPECT_EQ(document.tone, Tone::kOpen);
  EXPECT_EQ(document.checks.front().tone, Tone::kOpen);
}

TEST(LoadReport, JobsOfAWorkerThatRunAtOnceHaveLanesOfTheirOwn) {
  v1::LoadRecord record;
  record.add_places()->set_pod("pod");
  for (const double started : {0.0, 0.5, 1.0}) {
    auto& job = *record.add_jobs();
    job.set_started(started);
    job.set_run(0.9);
  }
  const Document document = DocumentOf(record);
  const Picture* timeline = PictureNamed(document, "timeline");
  ASSERT_NE(timeline, nullptr);
  EXPECT_EQ(timeline->figure.rows[0][0].y.names.size(), 2U);
}

TEST(LoadReport, WhatContradictsItselfIsLeftOut) {
  v1::LoadRecord record = SomeLoad(2, 3, 1);
  record.mutable_jobs(0)->set_place(4'000'000'000);
  record.mutable_jobs(1)->set_started(std::nan(""));
  record.mutable_jobs(2)->set_run(-5);
  record.mutable_slices(0)->mutable_from_plan()->clear_count();
  record.mutable_slices(1)->mutable_from_plan()->set_bucket(0, ~std::uint64_t{0});
  record.mutable_result()->mutable_from_plan()->mutable_histogram()->set_count(0, 0);
  record.mutable_result()->set_throughput(std::nan(""));
  ExpectSoundReport("odd", DocumentOf(record));
  record.clear_slices();
  record.clear_places();
  record.clear_result();
  ExpectSoundReport("empty", DocumentOf(record));
}

TEST(LoadReport, TenThousandWorkersAndTwentyThousandJobsFit) {
  v1::LoadRecord record = SomeLoad(10'000, 3, 5);
  ExpectSoundReport("many", DocumentOf(record));
}

// ---- runs

TEST(RunReport, SaysThatJobsOverlapped) {
  RunResults results = SomeRun("sweep", 2, 3);
  EXPECT_THAT(DocumentOf(results).verdict, Not(HasSubstr("overlapped")));
  results.permutations[0].set_overlapped(3);
  results.permutations[0].set_most_overlaps(2);
  results.permutations[1].set_overlapped(1);
  results.permutations[1].set_most_overlaps(1);
  EXPECT_THAT(DocumentOf(results).verdict,
              HasSubstr(" 4 overlapped with up to 2 others of the run: they may have measured each "
                        "other."));
}

TEST(RunReport, IsAsItWas) {
  const Document document = DocumentOf(WithPlaces(WithCurves(SomeRun("sweep", 5, 5), 2), 4));
  ExpectSoundReport("run", document);
  ExpectGoldenFile(GoldenPath("run.html"), ToHtml(document));
  EXPECT_EQ(document.verdict, "Complete: 50 of 50 jobs succeeded.");
}

TEST(RunReport, OfNothingAndOfFailuresSaysSo) {
  RunResults empty;
  empty.run.set_id("empty");
  EXPECT_EQ(DocumentOf(empty).verdict, "Empty: no job of this run has ended or waits.");
  ExpectSoundReport("empty", DocumentOf(empty));
  RunResults failed = SomeRun("failed", 1, 1);
  failed.permutations[0].set_failed(3);
  failed.permutations[0].set_succeeded(0);
  failed.permutations[0].clear_headlines();
  failed.permutations[0].clear_jobs();
  const Document document = DocumentOf(failed);
  EXPECT_EQ(document.verdict,
            "Failed: 3 of 4 jobs failed, all in permutation 1 (blockSize=4096 engine=psync).");
  EXPECT_EQ(document.tone, Tone::kBad);
  ExpectSoundReport("failed", document);
}

TEST(RunReport, SaysInWhichPermutationsJobsFailed) {
  RunResults results = SomeRun("failed", 1, 2);  // two permutations
  results.permutations[1].set_failed(1);
  EXPECT_EQ(DocumentOf(results).verdict,
            "Failed: 1 of 5 jobs failed, all in permutation 2 (blockSize=4096 engine=libaio).");
  results.permutations[0].set_failed(2);
  EXPECT_EQ(DocumentOf(results).verdict,
            "Failed: 3 of 7 jobs failed, in 2 of 2 permutations, first in 1 (blockSize=4096 "
            "engine=psync).");
}

TEST(RunReport, WithoutANumberThatIsVariedHasARowForEachPermutation) {
  RunResults results = SomeRun("words", 1, 3);
  const Document document = DocumentOf(results);
  const Panel& panel = PicturesOf(document)[0]->figure.rows[0][0];
  EXPECT_THAT(panel.y.names, ::testing::ElementsAre("blockSize=4096 engine=psync",
                                                    "blockSize=4096 engine=libaio"));
  ExpectSoundReport("words", document);
}

TEST(RunReport, TwoRunsAreComparedWhereTheyVariedTheSame) {
  const std::vector<Source> sources = {{"before", SomeRun("before", 3, 5)},
                                       {"after", SomeRun("after", 4, 5, 0.8)}};
  const auto document = DocumentOf(sources);
  ASSERT_TRUE(document.ok());
  EXPECT_THAT(document->verdict,
              ::testing::StartsWith(
                  "after beside before: of 6 headlines 0 are better and 6 worse beyond chance; the "
                  "worst: blockSize="));
  ExpectSoundReport("compared", *document);
  EXPECT_NE(PictureNamed(*document, "ratios"), nullptr);
}

void SetOthers(RunResults& results, double percent) {
  for (v1::PermutationResult& each : results.permutations) {
    for (v1::JobResult& job : *each.mutable_jobs()) {
      v1::Measurement& measured = *job.add_measurements();
      measured.set_name("machine_others");
      measured.set_value(percent);
    }
  }
}

TEST(RunReport, ChangeThatTheMachineMayHaveMadeSaysSo) {
  RunResults before = SomeRun("before", 1, 5);
  RunResults after = SomeRun("after", 1, 5, 0.8);
  SetOthers(before, 3);
  SetOthers(after, 45);
  const std::vector<Paired> pairs = PairsOf(before, after);
  EXPECT_EQ(Ratios(pairs).rows[1].back(), "worse (machine: others)");
  EXPECT_THAT(
      Compared(pairs, "before", "after"),
      ::testing::EndsWith(
          ". Machine: other programs had the processors for 3 % of the time in before, 45 % "
          "in after, which may have made the change."));
}

TEST(RunReport, WhatMayBeChanceSaysHowManyRepetitionsWouldTell) {
  const RunResults before = SomeRun("before", 1, 5);
  const RunResults after = SomeRun("after", 2, 5, 0.98);
  const std::vector<Paired> pairs = PairsOf(before, after);
  EXPECT_GT(pairs[0].needed, 5U);
  EXPECT_EQ(Ratios(pairs).rows[1].back(),
            absl::StrCat("- (", pairs[0].needed, " repetitions would tell)"));
}

TEST(RunReport, JobsThatComeInSeveralMessagesArePutTogether) {
  const RunResults whole = SomeRun("run", 1, 4);
  RunResults results;
  for (int part = 0; part < 2; ++part) {
    v1::RunResultsReply reply;
    auto& each = *reply.add_permutations();
    each.set_number(1);
    if (part == 0) each = whole.permutations[0];
    each.clear_jobs();
    for (int i = 2 * part; i < 2 * part + 2; ++i) {
      *each.add_jobs() = whole.permutations[0].jobs(i);
      each.mutable_jobs()->rbegin()->add_measurements()->set_name("not a headline");
    }
    Add(reply, results);
  }
  ASSERT_EQ(results.permutations.size(), 1U);
  EXPECT_EQ(results.permutations[0].jobs_size(), 4);
  EXPECT_EQ(results.permutations[0].jobs(3).measurements_size(), 1);
  EXPECT_EQ(results.permutations[0].headlines_size(), 1);
}

TEST(RunReport, AHundredThousandJobsAreLessThanAMegabyte) {
  const auto jobs = static_cast<int>(Fewer(50'000));  // of each
  const auto full = [](RunResults results) { return WithPlaces(WithCurves(results, 8), 40); };
  ExpectSoundReport("sweep", DocumentOf(full(SomeRun("sweep", 10, jobs / 10))));
  ExpectSoundReport("wide", DocumentOf(full(SomeRun("wide", jobs / 2, 2))));
}

// ---- files

TEST(ReadRecord, RefusesWhatIsNothingOfOursAndSaysWhatIsAccepted) {
  for (const char* text : {"", "{", "[]", "3", "{}", R"({"steps":[]})", "a,b\n1,2\n"}) {
    const auto record = ReadRecord(text);
    ASSERT_FALSE(record.ok()) << text;
    EXPECT_THAT(std::string(record.status().message()), HasSubstr("validate-scaling.sh --json"));
  }
  const auto wrong = ReadRecord(R"({"deployment":"d","steps":"none"})");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("steps"));
  EXPECT_FALSE(ReadRecord(std::string(100'000, '[')).ok());
}

TEST(Sources, OfDifferentKindsAreRefused) {
  const std::vector<Source> sources = {{"a", SomeValidation()}, {"b", SomeRun("b", 1, 1)}};
  const auto document = DocumentOf(sources);
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace twofold::report
