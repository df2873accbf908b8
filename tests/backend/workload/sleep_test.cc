#include "backend/workload/sleep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/backend/workload/recorder.h"

namespace twofold::backend {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(ParseSleep, TakesFractionsAndRefusesWhatIsNoTime) {
  EXPECT_EQ(ParseSleep("0.25").value(), milliseconds(250));
  EXPECT_EQ(ParseSleep("0").value(), Duration::zero());
  EXPECT_EQ(ParseSleep("1e9").value(), std::chrono::seconds(1'000'000'000));
  for (const char* bad : {"", "-1", "nan", "inf", "1.1e9", "1s", " 1", "x"}) {
    EXPECT_THAT(ParseSleep(bad).status().message(), HasSubstr("is not a number of seconds")) << bad;
  }
}

class SleepTest : public ::testing::Test {
 protected:
  boost::asio::io_context io_;
  Sleep sleep_{io_, milliseconds(1)};
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
    EXPECT_GE(end.at - start, ParseSleep(seconds[slot]).value());
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
  EXPECT_EQ(recorder_.RunOne({"-1"}).report.error(),
            "plan: sleep: '-1' is not a number of seconds from 0 to 1e9");
  EXPECT_EQ(recorder_.RunOne({"1", "2"}).outcome, v1::OUTCOME_FAILED);
}

}  // namespace
}  // namespace twofold::backend
