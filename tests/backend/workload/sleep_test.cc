#include "backend/workload/sleep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/backend/workload/recorder.h"

namespace twofold::backend {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

Result<SleepTimes> Parsed(const std::vector<std::string_view>& arguments) {
  return ParseSleep(arguments);
}

TEST(ParseSleep, TakesATimeOrADistributionAndASeed) {
  EXPECT_EQ(Parsed({"0.25"}).value().Of({7, 1}), milliseconds(250));
  EXPECT_EQ(Parsed({"0"}).value().Of({7, 1}), Duration::zero());
  EXPECT_EQ(Parsed({"1e9"}).value().Of({7, 1}), std::chrono::seconds(1'000'000'000));
  EXPECT_EQ(Parsed({"bimodal:1s,2s,100%", "7"}).value().seed, 7U);
  for (const char* bad : {"", "-1", "nan", "inf", "1.1e9", "x", "normal:1"}) {
    EXPECT_THAT(Parsed({bad}).status().message(), HasSubstr("sleep: ")) << bad;
  }
  for (const char* bad : {"", "-1", "x", "1.5", "18446744073709551616"}) {
    EXPECT_THAT(Parsed({"1", bad}).status().message(), HasSubstr("the seed")) << bad;
  }
  EXPECT_FALSE(Parsed({}).ok());
  EXPECT_FALSE(Parsed({"1", "2", "3"}).ok());
}

TEST(SleepTimes, DependOnTheJobAndTheSeedNotOnTheAttempt) {
  const SleepTimes times = Parsed({"exponential:1"}).value();
  const SleepTimes seeded = Parsed({"exponential:1", "7"}).value();
  EXPECT_EQ(times.Of({3, 1}), times.Of({3, 2}));
  EXPECT_NE(times.Of({3, 1}), times.Of({4, 1}));
  EXPECT_NE(times.Of({3, 1}), seeded.Of({3, 1}));
}

class SleepTest : public ::testing::Test {
 protected:
  boost::asio::io_context io_;
  Sleep sleep_{io_, {Distribution(milliseconds(1))}};
  Recorder recorder_{io_, sleep_};
};

TEST_F(SleepTest, ZeroEndsAtOnce) {
  recorder_.Start(0, {"0"});
  EXPECT_EQ(recorder_.ends().at(0).outcome, v1::OUTCOME_SUCCEEDED);
}

TEST_F(SleepTest, ThousandsEndInTheirOrderAndNeverTooEarly) {
  constexpr Slot kSlots = 20'000;
  const Instant start = Now();
  std::vector<std::string> seconds;
  for (Slot slot = 0; slot < kSlots; ++slot) {
    seconds.push_back(std::to_string(0.001 * ((slot * 7919) % 50)));
    recorder_.Start(slot, {seconds.back()});
  }
  recorder_.Await(kSlots);
  for (const auto& [slot, end] : recorder_.ends()) {
    EXPECT_GE(end.at - start, FromSeconds(std::stod(seconds[slot])));
  }
}

TEST_F(SleepTest, StopEndsOneAndLeavesTheOthers) {
  recorder_.Start(0, {"3600"});
  recorder_.Start(1, {"0.01"});
  sleep_.Stop(0);
  EXPECT_EQ(recorder_.ends().count(0), 1u);
  EXPECT_EQ(recorder_.ends().count(1), 0u);
  recorder_.Await(2);
}

TEST_F(SleepTest, StopOfTheLastLeavesNothingToWaitFor) {
  recorder_.Start(0, {"3600"});
  sleep_.Stop(0);
  io_.run();  // returns: no timer is left
  recorder_.Start(1, {});
  io_.restart();
  recorder_.Await(2);
}

TEST_F(SleepTest, BadArgumentsFailInThePlan) {
  EXPECT_EQ(
      recorder_.RunOne({"-1"}).report.error(),
      "plan: sleep: '-1' is not a time from 0 to 1e9 seconds, such as 0.3, 300ms, 2s or 1m30s");
  EXPECT_EQ(recorder_.RunOne({"1", "2", "3"}).outcome, v1::OUTCOME_FAILED);
}

}  // namespace
}  // namespace twofold::backend
