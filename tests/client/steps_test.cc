#include "client/steps.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/lib/stats/made_windows.h"

namespace twofold::client {
namespace {

using ::testing::HasSubstr;

stats::StepRecord Some() {
  return {.workers = 16,
          .window = stats::NoisyWindow(16, 78.6435, 0.3, 0.1, 1),
          .confidence = 0.9988,
          .steady = false,
          .jobs = 854,
          .failed = 2};
}

constexpr const char* kEven = "16:60:0.2:4718.61:16:0.9988:0:854:2";

std::string ErrorOf(const std::string& text) {
  return std::string(ParseRecords(text).status().message());
}

TEST(StepRecords, AreReadAsTheyWereWritten) {
  const auto records = ParseRecords(RecordText(Some()) + "," + RecordText(Some()));
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ(RecordText(records->back()), RecordText(Some()));
  EXPECT_EQ(records->back().workers, 16U);
  EXPECT_EQ(records->back().jobs, 854U);
  EXPECT_FALSE(records->back().steady);
}

TEST(StepRecords, KeepWhatAVerdictNeedsOfTheWindow) {
  const stats::MeasuredWindow window = Some().window;
  const auto records = ParseRecords(RecordText(Some()));
  ASSERT_TRUE(records.ok()) << records.status();
  const stats::MeasuredWindow& read = records->front().window;
  EXPECT_NEAR(read.Throughput(0.0, 60.0) / window.Throughput(0.0, 60.0), 1.0, 1e-8);
  EXPECT_NEAR(read.Throughput(0.0, 11.0) / window.Throughput(0.0, 11.0), 1.0, 1e-4);
  EXPECT_NEAR(read.total[7] / window.total[7], 1.0, 1e-3);
  for (std::size_t cut = 0; cut < window.between.size(); ++cut) {
    EXPECT_NEAR(read.between[cut].whole / window.between[cut].whole, 1.0, 0.006);
    EXPECT_NEAR(read.between[cut].waves[3] / window.between[cut].waves[3], 1.0, 0.006);
  }
}

TEST(StepRecords, NeedNoEscapesInAUrl) {
  const std::string text = RecordText(Some());
  EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                   "-_:."),
            std::string::npos);
  EXPECT_LT(text.size(), 600U);  // some fifty in a request
}

TEST(StepRecords, OfAWindowOfWhichNothingIsKnownAreTakenToo) {
  stats::StepRecord record = Some();
  record.window = {};
  const auto records = ParseRecords(RecordText(record));
  ASSERT_TRUE(records.ok()) << records.status();
  EXPECT_FALSE(records->front().window.IsKnown());
}

TEST(StepRecords, WithoutAShapeAreOfAWindowWithoutNoise) {
  const auto records = ParseRecords(kEven);
  ASSERT_TRUE(records.ok()) << records.status();
  const stats::MeasuredWindow& window = records->front().window;
  EXPECT_TRUE(window.IsKnown());
  EXPECT_NEAR(window.Throughput(0.0, 30.0), 78.6435, 1e-9);
  EXPECT_EQ(window.between[0].whole, 0.0);
}

TEST(StepRecords, NoneAreNoMistake) { EXPECT_TRUE(ParseRecords("")->empty()); }

TEST(StepRecords, NameTheFieldThatIsWrong) {
  EXPECT_THAT(ErrorOf("16"), HasSubstr("seconds ''"));
  EXPECT_THAT(ErrorOf("0:1:1:1:1:0.9:1:0:0"), HasSubstr("workers '0' is not a number 1..1e+06"));
  EXPECT_THAT(ErrorOf("1:1:nan:1:1:0.9:1:0:0"), HasSubstr("mean_life 'nan'"));
  EXPECT_THAT(ErrorOf("1:1:1:1:33:0.9:1:0:0"), HasSubstr("groups '33'"));
  EXPECT_THAT(ErrorOf("1:1:1:1:1:1:1:0:0"), HasSubstr("confidence '1'"));
  EXPECT_THAT(ErrorOf("1:1x:1:1:1:0.9:1:0:0"), HasSubstr("seconds '1x'"));
  EXPECT_THAT(ErrorOf("1:1:1:1:1:0.9:1:7"), HasSubstr("failed ''"));
  EXPECT_THAT(ErrorOf("1:1:1:1:1:0.9:1:7:0:1"), HasSubstr("no shape of a window"));
  EXPECT_THAT(ErrorOf(RecordText(Some()) + "A"), HasSubstr("no shape of a window"));
  EXPECT_THAT(ErrorOf(RecordText(Some()) + ",,"), HasSubstr("workers ''"));
}

TEST(StepRecords, EachNumberHasALimit) {
  const std::vector<std::string> good = {"8", "12", "0.1", "940", "8", "0.99", "1", "9", "0"};
  for (std::size_t bad = 0; bad < good.size(); ++bad) {
    for (const char* value : {"1e308", "-inf", "infinity", "nan"}) {
      std::vector<std::string> fields = good;
      fields[bad] = value;
      EXPECT_THAT(ErrorOf(absl::StrJoin(fields, ":")),
                  HasSubstr(absl::StrCat(" '", value, "' is not a number")));
    }
  }
  EXPECT_TRUE(ParseRecords(absl::StrJoin(good, ":")).ok());
}

TEST(StepRecords, WhateverIsSentIsReadOrRefused) {
  const std::string good = RecordText(Some());
  for (std::size_t i = 0; i < good.size(); i += i < 60 ? 1 : 29) {
    for (const char c : {'\0', ':', ',', '-', 'e', '9', '\xff'}) {
      std::string bad = good;
      bad[i] = c;
      const auto records = ParseRecords(bad);
      if (records.ok()) stats::JudgeScaling(*records, 1.8);
      if (records.ok()) stats::LookAtStep(*records, {}, {}, {.workers = 32});
    }
  }
}

}  // namespace
}  // namespace twofold::client
