#include "client/steps.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace twofold::client {
namespace {

using ::testing::HasSubstr;

stats::StepRecord Some() {
  return {.workers = 16,
          .rate = {78.6435, 0.00125, 11.5, 12.25},
          .confidence = 0.997,
          .steady = false,
          .drift = -0.03125,
          .spread = {-0.0005, 15.0},
          .jobs = 854,
          .failed = 2};
}

std::string ErrorOf(const std::string& text) {
  return std::string(ParseRecords(text).status().message());
}

TEST(StepRecords, AreReadAsTheyWereWritten) {
  const auto records = ParseRecords(RecordText(Some()) + "," + RecordText(Some()));
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ(RecordText(records->back()), RecordText(Some()));
  EXPECT_EQ(records->back().workers, 16U);
  EXPECT_EQ(records->back().rate.throughput, 78.6435);
  EXPECT_FALSE(records->back().steady);
  EXPECT_EQ(records->back().spread.variance, -0.0005);
}

TEST(StepRecords, NeedNoEscapesInAUrl) {
  EXPECT_EQ(RecordText(Some()), "16:78.6435:0.00125:11.5:12.25:0.997:0:-0.03125:-0.0005:15:854:2");
  stats::StepRecord large = Some();
  large.rate.degrees = 123456.0;
  EXPECT_EQ(RecordText(large),
            "16:78.6435:0.00125:1.235e05:12.25:0.997:0:-0.03125:-0.0005:15:854:2");
  EXPECT_EQ(ParseRecords(RecordText(large))->front().rate.degrees, 123500.0);
}

TEST(StepRecords, OfAWindowOfWhichNothingIsKnownAreTakenToo) {
  stats::StepRecord record = Some();
  record.rate.throughput = 0.0;
  record.rate.log_error = std::numeric_limits<double>::infinity();
  const auto records = ParseRecords(RecordText(record));
  ASSERT_TRUE(records.ok()) << records.status();
  EXPECT_TRUE(std::isinf(records->front().rate.log_error));
}

TEST(StepRecords, OfEarlierVersionsHaveNoJobs) {
  const auto records = ParseRecords("16:78.6:0.00125:11.5:12.25:0.997:0:0:0:15");
  ASSERT_TRUE(records.ok()) << records.status();
  EXPECT_EQ(records->front().spread.degrees, 15.0);
  EXPECT_EQ(records->front().jobs, 0U);
}

TEST(StepRecords, NoneAreNoMistake) { EXPECT_TRUE(ParseRecords("")->empty()); }

TEST(StepRecords, NameTheFieldThatIsWrong) {
  EXPECT_THAT(ErrorOf("16"), HasSubstr("throughput ''"));
  EXPECT_THAT(ErrorOf("0:1:1:1:1:0.9:1:0:0:0"), HasSubstr("workers '0' is not a number 1..1e+06"));
  EXPECT_THAT(ErrorOf("1:1:nan:1:1:0.9:1:0:0:0"), HasSubstr("log_error 'nan'"));
  EXPECT_THAT(ErrorOf("1:1:1:1:1:1:1:0:0:0"), HasSubstr("confidence '1'"));
  EXPECT_THAT(ErrorOf("1:1:1:1:1x:0.9:1:0:0:0"), HasSubstr("seconds '1x'"));
  EXPECT_THAT(ErrorOf("1:1:1:1:1:0.9:1:0:0:0:7"), HasSubstr("failed ''"));
  EXPECT_THAT(ErrorOf("1:1:1:1:1:0.9:1:0:0:0:7:0:1"), HasSubstr("more than twelve"));
  EXPECT_THAT(ErrorOf(RecordText(Some()) + ",,"), HasSubstr("workers ''"));
}

TEST(StepRecords, EachNumberHasALimit) {
  const std::vector<std::string> good = {"8", "78", "0.1", "11", "12", "0.99",
                                         "1", "0",  "0",   "7",  "9",  "0"};
  for (std::size_t bad = 0; bad < good.size(); ++bad) {
    for (const char* value : {"1e308", "-inf", "infinity", "nan"}) {
      std::vector<std::string> fields = good;
      fields[bad] = value;
      EXPECT_THAT(ErrorOf(absl::StrJoin(fields, ":")),
                  HasSubstr(absl::StrCat(" '", value, "' is not a number")));
    }
  }
  EXPECT_TRUE(ParseRecords(absl::StrJoin(good, ":")).ok());
  EXPECT_THAT(ErrorOf("8:1e308:0.1:11:12:0.99:1:0:0:7"), HasSubstr("0..1e+15"));
}

TEST(StepRecords, WhateverIsSentIsReadOrRefused) {
  const std::string good = RecordText(Some());
  for (std::size_t i = 0; i < good.size(); ++i) {
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
