#include "lib/validate/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lib/report/sources/sources.h"
#include "lib/validate/record.h"
#include "tests/lib/validate/fake_cluster.h"

namespace twofold::validate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using Json = nlohmann::json;

/// Compares with a file; with UPDATE_GOLDEN=1 in the environment the file is written instead.
void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(VALIDATE_GOLDEN) + "/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
}

class ValidationTest : public ::testing::Test {
 protected:
  /// Validates 1 to 4 (or words.positional[5]) workers, limit 1.8; the exit code.
  int Validate() {
    out_.str("");
    err_.str("");
    auto options = Understand(words);
    EXPECT_TRUE(options.ok()) << options.status();
    Findings findings;
    findings.options = *options;
    findings.argv = {"validate-scaling.sh", "scalability-tester-backend-sleep"};
    findings.began = "2026-11-28T12:00:00Z";
    Engine engine(std::move(findings), {.target = cluster,
                                        .clock = cluster,
                                        .out = out_,
                                        .err = err_,
                                        .called = "validate-scaling.sh",
                                        .keep = [this](const Findings& now) { return Keep(now); },
                                        .report = [this](const Findings&) { return report; }});
    return engine.Run();
  }

  Status Keep(const Findings& findings) {
    if (!written.ok()) return written;
    file = TextOf(RecordOf(findings));
    kept.push_back(Json::parse(file));
    return absl::OkStatus();
  }

  [[nodiscard]] std::string out() const { return out_.str(); }
  [[nodiscard]] std::string err() const { return err_.str(); }
  [[nodiscard]] const Json& result() const { return kept.back(); }

  /// Calls with this text, without what follows the value.
  [[nodiscard]] std::string Values(const std::string& prefix) const {
    std::string values;
    for (const std::string& call : cluster.CallsWith(prefix)) {
      values += call.substr(prefix.size(), call.find('&') - prefix.size()) + " ";
    }
    return values;
  }

  Words words{.positional = {"scalability-tester-backend-sleep", "monitoring", "2",
                             "scalability-tester-client-sleep", "validation", "4", "1.8"}};
  FakeCluster cluster;
  std::vector<Json> kept;
  Status written;    ///< of the result
  Status report;     ///< of --html
  std::string file;  ///< the result as it was written last

 private:
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(ValidationTest, PassesWhenTheThroughputDoubles) {
  EXPECT_EQ(Validate(), 0);
  EXPECT_THAT(out(),
              AllOf(HasSubstr("Throughput: 1.000000 -> 2.000000 = 2.00 increase on "
                              "reqs-per-sec (pods: 2)"),
                    HasSubstr("(pods: 4)"), HasSubstr("node-1"), EndsWith("*** PASS ***\n")));
  EXPECT_TRUE(cluster.scaled_back());
}

TEST_F(ValidationTest, TextAndResultAreThoseOfTheGoldenFiles) {
  ASSERT_EQ(Validate(), 0);
  ExpectGolden("pass.txt", out() + "--- stderr\n" + err());
  ExpectGolden("pass.json", file);
}

TEST_F(ValidationTest, TheResultIsWhatReportsRead) {
  ASSERT_EQ(Validate(), 0);
  const auto record = report::ReadRecord(result().dump());
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(std::get<v1::ValidationRecord>(*record).steps_size(), 3);
}

TEST_F(ValidationTest, ScalesToTheLimitToNothingThenStepByStepThenBackToOne) {
  Validate();
  EXPECT_EQ(Values("scale "), "4 0 1 2 4 1 ");
  EXPECT_EQ(Values("/parallel?value="), "0 1 2 4 0 ");
}

TEST_F(ValidationTest, WorkersOfAllShardsOfAQueueCount) {
  cluster.shards = true;
  EXPECT_EQ(Validate(), 0);
}

TEST_F(ValidationTest, AnUnknownQueueIsNamed) {
  words.queue = "other";
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(), HasSubstr("validate-scaling.sh: the frontend has no queue 'other'"));
}

TEST_F(ValidationTest, SaysWhereTheTimeOfJobsWentWhatWorkersUsedAndWhy) {
  Validate();
  EXPECT_THAT(out(), HasSubstr("       4          4.000    2.000   1.994 .. 2.006       pass     "
                               "   0.0005      0.2  0.00125     2.0\n"));
  EXPECT_THAT(out(), HasSubstr("Why: workers \"contend\" for CPU.\n"));
  const Json& window = result()["windows"][2];
  EXPECT_EQ(window["cpu"], 2.0);
  EXPECT_EQ(window["throttled"], 0.25);
  EXPECT_EQ(window["degrees"], 15.0);
  EXPECT_EQ(window["run_p99_upper"], 0.24);
  EXPECT_EQ(window["round_trip_p99_upper"], nullptr);
  EXPECT_EQ(window["nodes"][1]["node"], "a \"quoted\" node");
  EXPECT_EQ(window["nodes"][1]["run"], nullptr);
  EXPECT_EQ(result()["frontend"], "0.1.0 (5f3c2ab)");
  EXPECT_THAT(cluster.CallsWith("/why?"),
              ElementsAre("/why?type=plain&evidence=0.5:0.25:1:1.000000,1:0.25:2:2.000000,"
                          "2:0.25:4:4.000000"));
}

TEST_F(ValidationTest, TheSentenceThatNamesTheCauseStandsBeforeTheCount) {
  cluster.failed = 7;
  words.all_steps = true;
  EXPECT_EQ(Validate(), 3);
  EXPECT_THAT(out(), EndsWith("\nPass or fail: \"because\".\n*** 3 FAILs ***\n"));
  EXPECT_THAT(out(), HasSubstr("FAIL: 7 of 1000 jobs of 4 workers failed: 7 no device\n"));
  EXPECT_THAT(out(), HasSubstr("pass+failures"));
  EXPECT_EQ(result()["headline"], "Pass or fail: \"because\".");
}

TEST_F(ValidationTest, TheFirstStepInWhichEveryJobFailedIsTheLastOne) {
  cluster.failed = 1000;
  EXPECT_EQ(Validate(), 1);
  EXPECT_THAT(out(), HasSubstr("FAIL: all 1000 jobs of 1 worker failed: 1000 no device\n"));
  EXPECT_THAT(out(), EndsWith("*** 1 FAIL ***\n"));
  EXPECT_THAT(cluster.CallsWith("/window"), SizeIs(1));  // after the warm-up
  EXPECT_THAT(cluster.CallsWith("/verdict").back(), EndsWith("records=1:1.000000"));
  ASSERT_EQ(result()["steps"].size(), 1);
  EXPECT_EQ(result()["steps"][0]["verdict"], "failures");
  EXPECT_EQ(result()["steps"][0]["error"], "1000 no device");
  EXPECT_TRUE(cluster.scaled_back());
}

TEST_F(ValidationTest, AWindowThatIsNotSteadyDecidesNothing) {
  cluster.steady = false;
  EXPECT_EQ(Validate(), 3);
  EXPECT_THAT(out(), HasSubstr("UNDECIDED: 1 worker: not steady: the rate falls\n"));
  EXPECT_THAT(out(), HasSubstr("UNDECIDED: 2 workers: the throughput of 1 worker was not steady"));
}

TEST_F(ValidationTest, WhyAStepWasNotSteadyIsWhatItsOwnWindowSays) {
  cluster.steady = false;
  cluster.says_why = true;
  Validate();
  EXPECT_THAT(out(), HasSubstr("UNDECIDED: 2 workers: not steady: the rate falls"));
}

TEST_F(ValidationTest, ProgramsOfAnEarlierVersionAreAsGoodForAVerdict) {
  cluster.old = true;
  EXPECT_EQ(Validate(), 0);
  for (const char* unknown : {"Why:", "because", "cores", "wait s"}) {
    EXPECT_THAT(out(), Not(HasSubstr(unknown)));
  }
  EXPECT_EQ(result()["windows"][0]["cpu"], nullptr);
  EXPECT_EQ(result()["windows"][0]["nodes"], Json::array());
  EXPECT_EQ(result()["why"], "");
}

TEST_F(ValidationTest, TheEvidenceOfManyWindowsIsThatOfTheLastRepeat) {
  words.positional[5] = "1";
  words.repeat = "41";
  Validate();
  EXPECT_THAT(cluster.CallsWith("/why?").back(), Not(HasSubstr(",")));
}

TEST_F(ValidationTest, AReportThatCannotBeMadeChangesNoVerdict) {
  words.html = "out.html";
  EXPECT_EQ(Validate(), 0);
  EXPECT_THAT(out(), HasSubstr("Report: out.html\n"));
  report = absl::InternalError("no room");
  EXPECT_EQ(Validate(), 0);
  EXPECT_THAT(err(), HasSubstr("no report was made: no room"));
}

TEST_F(ValidationTest, EachStepUnderTheLimitIsAFail) {
  cluster.efficiency = 0.8;
  words.all_steps = true;
  EXPECT_EQ(Validate(), 2);
  EXPECT_THAT(out(), HasSubstr("FAIL: 2 workers: the ratio is under 1.8 ("));
  EXPECT_THAT(out(), EndsWith("*** 2 FAILs ***\n"));
  EXPECT_EQ(result()["pass"], false);
}

TEST_F(ValidationTest, UndecidedDoesNotPassAndSaysWhy) {
  cluster.log_error = "0.2";
  EXPECT_EQ(Validate(), 2);
  EXPECT_THAT(out(), HasSubstr("UNDECIDED: 2 workers: 1.8 is inside 1.09762..3.64424\n"));
  EXPECT_THAT(out(), EndsWith("*** 2 undecided ***\n"));
  EXPECT_EQ(result()["verdict"], "undecided");
  EXPECT_EQ(result()["undecided"], 2);
}

TEST_F(ValidationTest, OneFailAndOneUndecidedAreNotTwoFails) {
  cluster.throughputs = {1, 1.9, 2.1};
  cluster.log_error = "0.03";
  words.steps = "1 2 3";
  EXPECT_EQ(Validate(), 2);
  EXPECT_THAT(out(), EndsWith("*** 1 FAIL, 1 undecided ***\n"));
  EXPECT_EQ(result()["verdict"], "fail");
}

TEST_F(ValidationTest, LooksKnowTheStepsBeforeByTheirRecords) {
  words.pods = "these";
  words.cap = "77";
  Validate();
  EXPECT_EQ(cluster.CallsWith("/look?").front(),
            "/look?type=plain&workers=1&scale=1.8&cap=77&repeats=1&pods=these"
            "&next=unless-failed&records=");
  EXPECT_EQ(cluster.CallsWith("/look?").back(),
            "/look?type=plain&workers=4&scale=1.8&cap=77&repeats=1&pods=these&next=never&records="
            "1:1.000000,2:2.000000");
  EXPECT_EQ(result()["pods"], "these");
}

TEST_F(ValidationTest, LooksAgainWhenTheClientSaysSo) {
  cluster.done = false;
  cluster.crash_at_look = true;  // which ends it
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(), HasSubstr("  1 worker, 1000 s: measured so far, error 0.001, steady: true"));
}

TEST_F(ValidationTest, LooksNoMoreOftenThanJobsEnd) {
  cluster.done = false;
  cluster.next_seconds = 0.001;
  cluster.crash_at_look = true;
  EXPECT_EQ(Validate(), 201);
  EXPECT_GE(cluster.last_wait(), std::chrono::milliseconds(100));
}

TEST_F(ValidationTest, RepeatsMeasureAllStepsAgainWithNewPodsAndAreJudgedTogether) {
  cluster.spread = 0.0312;
  words.repeat = "2";
  EXPECT_EQ(Validate(), 0);
  EXPECT_EQ(Values("scale "), "4 0 1 2 4 0 1 2 4 1 ");
  EXPECT_THAT(out(), HasSubstr("Workers differ by 3.1 %.\n"));
  EXPECT_EQ(result()["steps"].size(), 3);
  EXPECT_EQ(result()["windows"].size(), 6);
  EXPECT_EQ(result()["windows"][5]["repeat"], 2);
  EXPECT_EQ(result()["spread"], 0.0312);
}

TEST_F(ValidationTest, WhatPeopleReadIsRounded) {
  cluster.log_error = "0.123456789";
  cluster.efficiency = 0.1;
  Validate();
  EXPECT_THAT(out(), HasSubstr("FAIL: 2 workers: the ratio is under 1.8 (0.74"));
  EXPECT_THAT(out(), Not(::testing::ContainsRegex("[0-9]\\.[0-9][0-9][0-9][0-9][0-9][0-9][0-9]")));
}

TEST_F(ValidationTest, AnInfiniteErrorIsUndecidedAndNullInJson) {
  cluster.log_error = "inf";
  EXPECT_EQ(Validate(), 2);
  EXPECT_EQ(result()["windows"][0]["log_error"], nullptr);
}

TEST_F(ValidationTest, ALimitThatIsNoPowerOfTwoNeedsWhatItsFactorNeeds) {
  words.positional[5] = "3";
  EXPECT_EQ(Validate(), 0);
  EXPECT_NEAR(result()["steps"][2]["least"], 1.410, 0.0005);  // 1.8 ^ log2(1.5)
  words.positional[5] = "4";
  words.steps = "1 4";
  EXPECT_EQ(Validate(), 0);
  EXPECT_THAT(out(), Not(HasSubstr("(pods: 2)")));
  EXPECT_NEAR(result()["steps"][1]["least"], 3.24, 0.0005);
}

// ---- what ends a validation early

TEST_F(ValidationTest, TooFewWorkersAreNoVerdict) {
  cluster.most = 3;
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(), HasSubstr("  waiting for 4 workers: 3 of 4 Ready, 1 others, 3 registered"));
  EXPECT_THAT(err(), HasSubstr("pod pod-0: why it is not ready\n"));
  EXPECT_THAT(err(), HasSubstr("is not where it should be after 302 s: 3 of 4 Ready"));
  EXPECT_THAT(err(), EndsWith("ended early: scaled scalability-tester-backend-sleep back to 1 "
                              "worker, stopped the load client\n"));
  EXPECT_EQ(result()["verdict"], "none");
  EXPECT_TRUE(cluster.scaled_back());
}

TEST_F(ValidationTest, ReadyButNotRegisteredIsNotEnough) {
  cluster.registered_most = 1;
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(), HasSubstr("4 of 4 Ready, 0 others, 1 registered"));
}

TEST_F(ValidationTest, APodThatIsStillEndingIsOneTooMany) {
  cluster.terminating = true;
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(), HasSubstr("4 of 4 Ready, 1 others"));
}

TEST_F(ValidationTest, ACallThatFailsMidwayIsNoVerdict) {
  cluster.broken = "/verdict";
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(), HasSubstr("  broken on purpose\nvalidate-scaling.sh: the load client does not "
                               "answer /verdict"));
  EXPECT_TRUE(cluster.scaled_back());
}

TEST_F(ValidationTest, StepsThatWereMeasuredAreInTheResultOfARunThatEndedEarly) {
  cluster.broken = "/look?type=plain&workers=2";
  EXPECT_EQ(Validate(), 201);
  ASSERT_EQ(result()["steps"].size(), 1);
  EXPECT_EQ(result()["steps"][0]["verdict"], "measured");
  EXPECT_THAT(result()["reason"].get<std::string>(),
              HasSubstr("the load client does not answer /look?type=plain&workers=2&"));
}

TEST_F(ValidationTest, SaysWhatItLeftBehindWhenItCannotScaleBack) {
  cluster.broken = "scale 1";
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(), HasSubstr("LEFT BEHIND: scalability-tester-backend-sleep could not be scaled "
                               "back to 1"));
}

// ---- an early end

TEST_F(ValidationTest, AStepThatHasFailedForCertainIsTheLastOne) {
  cluster.efficiency = 0.8;
  EXPECT_EQ(Validate(), 1);
  EXPECT_EQ(Values("scale "), "4 0 1 2 1 ");
  EXPECT_THAT(err(),
              HasSubstr("--- 2 workers failed (--all-steps goes on): that was the last step\n"));
  EXPECT_EQ(result()["verdict"], "fail");
}

TEST_F(ValidationTest, JobsThatFailEndTheMeasurementOfAStepThatWouldGoOn) {
  cluster.failed = 7;
  cluster.done = false;
  EXPECT_EQ(Validate(), 1);
  EXPECT_EQ(Values("scale "), "4 0 1 1 ");
  EXPECT_THAT(cluster.CallsWith("/look"), SizeIs(1));
}

TEST_F(ValidationTest, PlannedRepeatsAreAllMeasuredWhateverTheFirstOneShows) {
  cluster.efficiency = 0.8;
  words.repeat = "2";
  EXPECT_EQ(Validate(), 2);
  EXPECT_EQ(result()["windows"].size(), 6);
}

TEST_F(ValidationTest, CtrlCWhileTheLastStepIsMeasuredIsAnAnswer) {
  words.positional[5] = "1";
  cluster.signal = SIGINT;
  cluster.done = false;
  EXPECT_EQ(Validate(), 0);
  EXPECT_EQ(result()["verdict"], "pass");
  EXPECT_TRUE(cluster.scaled_back());
}

TEST_F(ValidationTest, CtrlCBeforeThatJudgesWhatWasMeasured) {
  cluster.signal = SIGINT;
  cluster.done = false;
  EXPECT_EQ(Validate(), 128 + SIGINT);
  EXPECT_THAT(err(), HasSubstr("--- interrupted: that was the last step\n"));
  EXPECT_EQ(result()["steps"].size(), 1);
  EXPECT_EQ(result()["verdict"], "interrupted");
  EXPECT_EQ(result()["pass"], false);
  EXPECT_THAT(out(), AllOf(HasSubstr("Interrupted. What was measured until then: Pass or fail"),
                           EndsWith("*** interrupted ***\n")));
}

// ---- patience

TEST_F(ValidationTest, HasPatienceForAVerdictThatIsLikely) {
  Validate();
  EXPECT_THAT(cluster.CallsWith("/look?").front(), HasSubstr("&cap=400&repeats=1&pods=any&"
                                                             "next=unless-failed&patience=600&"));
  words.all_steps = true;
  words.patience = "3600";
  Validate();
  EXPECT_THAT(cluster.CallsWith("/look?")[3], HasSubstr("&next=always&patience=3600&"));
  EXPECT_THAT(out(), HasSubstr("at most 400 s, or 3600 s where a verdict is likely."));
}

TEST_F(ValidationTest, SaysWhatItExpects) {
  cluster.done = false;
  cluster.crash_at_look = true;
  cluster.expected = "expected_seconds 150\nexpected_lower 1.94\nexpected_upper 2.05\n";
  Validate();
  EXPECT_THAT(err(), HasSubstr(", steady: true, expected in 3 min: 1.94..2.05\n"));
}

// ---- repeats that are added

TEST_F(ValidationTest, WorkersThatDifferAreRepeatedHalfAsOftenAgainAsWouldDecide) {
  cluster.log_error = "0.2";
  cluster.repeats_needed = 3;
  words.repeat = "auto";
  EXPECT_EQ(Validate(), 2);
  EXPECT_EQ(result()["repeats"], 4);
  EXPECT_EQ(result()["windows"].size(), 12);
  EXPECT_THAT(err(), HasSubstr("--- workers differ: 3 repeats would decide if the ratio stays; "
                               "there will be 4\n"));
  EXPECT_THAT(cluster.CallsWith("/look?").front(), HasSubstr("&repeats=0&"));
  EXPECT_THAT(cluster.CallsWith("/look?").back(), HasSubstr("&repeats=0&"));
}

TEST_F(ValidationTest, NoRepeatIsAddedWhereItIsDecidedOrTooManyAreNeeded) {
  words.repeat = "auto";
  EXPECT_EQ(Validate(), 0);
  EXPECT_EQ(result()["windows"].size(), 3);
  cluster.log_error = "0.2";
  cluster.repeats_needed = 11;
  EXPECT_EQ(Validate(), 2);
  EXPECT_EQ(result()["windows"].size(), 3);
  EXPECT_THAT(err(), HasSubstr("11 repeats would decide, more than the 10 of --repeat auto\n"));
}

// ---- failures that are allowed

TEST_F(ValidationTest, FewerFailuresThanAreAllowedPass) {
  cluster.failed = 7;
  words.allow_failures = "1%";
  EXPECT_EQ(Validate(), 0);
  EXPECT_THAT(out(), AllOf(HasSubstr("  7 of 1000 jobs failed: 7 no device\n"),
                           Not(HasSubstr("+failures"))));
  EXPECT_THAT(cluster.CallsWith("/verdict").back(), HasSubstr("&allow_failures=0.01&"));
  EXPECT_EQ(result()["allowed_failures"], 0.01);
  EXPECT_NEAR(result()["steps"][0]["failed_share_upper"], 0.01437, 1e-5);
}

TEST_F(ValidationTest, AFewMoreAreUndecidedAndManyMoreFail) {
  cluster.failed = 12;
  words.allow_failures = "0.01";
  EXPECT_EQ(Validate(), 3);
  EXPECT_THAT(out(), AllOf(HasSubstr("UNDECIDED: 12 of 1000 jobs of 1 worker failed (1.2 %, 95 %: "
                                     "0.622 % to 2.09 %; 1 % allowed): 12 no device\n"),
                           HasSubstr("pass+failures?")));
  cluster.failed = 40;
  EXPECT_EQ(Validate(), 1);
  EXPECT_EQ(result()["verdict"], "fail");
}

TEST_F(ValidationTest, ASignalEndsItAtOnceAndTheResultSaysSo) {
  for (const int signal : {SIGHUP, SIGTERM}) {
    kept.clear();
    cluster.signal = signal;
    EXPECT_EQ(Validate(), 128 + signal);
    EXPECT_TRUE(cluster.scaled_back());
    for (const Json& then : kept) {  // also if it had been killed without a chance to say so
      EXPECT_EQ(then["verdict"], "interrupted");
      EXPECT_EQ(then["pass"], false);
    }
  }
}

TEST_F(ValidationTest, ACrashLoopEndsItAtOnceNotAtTheTimeout) {
  cluster.crashing = true;
  words.timeout = "100000";
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(), HasSubstr("the workers of scalability-tester-backend-sleep keep crashing (0 "
                               "of 4 Ready)"));
  EXPECT_THAT(cluster.CallsWith("/metrics"), SizeIs(1));  // for the build
  EXPECT_TRUE(cluster.scaled_back());
}

TEST_F(ValidationTest, WorkersThatChangeWhileTheyAreMeasuredAreNoticedSoon) {
  cluster.crash_at_look = true;
  cluster.log_error = "0.2";
  words.cap = "100000";
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(),
              HasSubstr("the workers changed while 1 were measured, so there is no verdict"));
  EXPECT_THAT(cluster.CallsWith("/look"), SizeIs(1));
  EXPECT_TRUE(cluster.scaled_back());
}

TEST_F(ValidationTest, AnAnswerThatIsNotUnderstoodEndsIt) {
  cluster.log_error = " ";
  EXPECT_EQ(Validate(), 201);
  EXPECT_THAT(err(), HasSubstr("to /look is not understood"));
  EXPECT_TRUE(cluster.scaled_back());
}

TEST_F(ValidationTest, WhatATargetRefusesIsSaidBeforeAnythingIsTouched) {
  cluster.check = absl::FailedPreconditionError("it is scaled by the HPA the-hpa, too");
  EXPECT_EQ(Validate(), 200);
  EXPECT_THAT(err(), HasSubstr("validate-scaling.sh: it is scaled by the HPA the-hpa, too (see "
                               "--help)\n"));
  EXPECT_EQ(result()["verdict"], "none");
  EXPECT_TRUE(cluster.untouched());
}

TEST_F(ValidationTest, AResultThatCannotBeWrittenIsRefusedBeforeAnythingIsTouched) {
  words.json = "/no/such/folder/result.json";
  written = absl::InvalidArgumentError("/no/such/folder/result.json cannot be written: why");
  EXPECT_EQ(Validate(), 200);
  EXPECT_THAT(err(), HasSubstr("--json: /no/such/folder/result.json cannot be written: why"));
  EXPECT_TRUE(cluster.untouched());
}

}  // namespace
}  // namespace twofold::validate
