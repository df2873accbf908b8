#include "kubernetes/operator/timetable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kubernetes/controller/conditions.h"

namespace twofold::benchmarks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Timetable TableOf(const std::string& cron, const std::string& zone = "") {
  auto table = Timetable::Parse(cron, zone);
  EXPECT_TRUE(table.ok()) << table.status();
  return *table;
}

/// The first times after `from`, as UTC.
std::vector<std::string> TimesOf(const Timetable& table, const std::string& from, int count = 3) {
  std::vector<std::string> times;
  auto time = kube::TimeOf(from);
  for (int i = 0; i < count && time; ++i) {
    time = table.After(*time);
    times.push_back(time ? controller::TimeText(*time) : "none");
  }
  return times;
}

std::string WrongIn(const std::string& cron, const std::string& zone = "") {
  const auto table = Timetable::Parse(cron, zone);
  return table.ok() ? "nothing" : std::string(table.status().message());
}

TEST(Timetable, ComesAtItsTimes) {
  EXPECT_THAT(TimesOf(TableOf("30 3 * * *"), "2026-11-29T03:30:00Z"),
              ElementsAre("2026-11-30T03:30:00Z", "2026-12-01T03:30:00Z", "2026-12-02T03:30:00Z"));
  EXPECT_THAT(TimesOf(TableOf("*/20 8-9 * * *"), "2026-11-29T08:20:01Z", 5),
              ElementsAre("2026-11-29T08:40:00Z", "2026-11-29T09:00:00Z", "2026-11-29T09:20:00Z",
                          "2026-11-29T09:40:00Z", "2026-11-30T08:00:00Z"));
  EXPECT_THAT(TimesOf(TableOf("0 0 1 JAN,jul *"), "2026-11-29T00:00:00Z"),
              ElementsAre("2027-01-01T00:00:00Z", "2027-07-01T00:00:00Z", "2028-01-01T00:00:00Z"));
  EXPECT_THAT(TimesOf(TableOf("5/25 0 * * *"), "2026-11-29T00:00:00Z"),
              ElementsAre("2026-11-29T00:05:00Z", "2026-11-29T00:30:00Z", "2026-11-29T00:55:00Z"));
  EXPECT_THAT(TimesOf(TableOf("0 0 29 2 *"), "2096-03-01T00:00:00Z", 1),
              ElementsAre("2104-02-29T00:00:00Z"))
      << "2100 has none";
}

TEST(Timetable, HasWordsForTheCommonOnes) {
  const std::string sunday = "2026-11-29T12:30:00Z";
  EXPECT_THAT(TimesOf(TableOf("@hourly"), sunday, 1), ElementsAre("2026-11-29T13:00:00Z"));
  EXPECT_THAT(TimesOf(TableOf("@Daily"), sunday, 1), ElementsAre("2026-11-30T00:00:00Z"));
  EXPECT_THAT(TimesOf(TableOf("@weekly"), sunday, 1), ElementsAre("2026-12-06T00:00:00Z"));
  EXPECT_THAT(TimesOf(TableOf("@monthly"), sunday, 1), ElementsAre("2026-12-01T00:00:00Z"));
  EXPECT_THAT(TimesOf(TableOf("@yearly"), sunday, 1), ElementsAre("2027-01-01T00:00:00Z"));
}

TEST(Timetable, OfDayAndWeekdayEitherWillDo) {
  EXPECT_THAT(TimesOf(TableOf("0 0 13 * fri"), "2026-11-29T00:00:00Z", 4),
              ElementsAre("2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z", "2026-12-13T00:00:00Z",
                          "2026-12-18T00:00:00Z"));
  EXPECT_THAT(TimesOf(TableOf("0 0 * * 7"), "2026-11-29T00:00:00Z", 1),
              ElementsAre("2026-12-06T00:00:00Z"))
      << "0 and 7 are Sunday";
  EXPECT_THAT(TimesOf(TableOf("0 0 * * mon-fri"), "2026-11-27T00:00:00Z", 1),
              ElementsAre("2026-11-30T00:00:00Z"));
}

TEST(Timetable, IsInItsTimeZone) {
  EXPECT_THAT(TimesOf(TableOf("30 3 * * *", "Europe/Berlin"), "2026-11-29T12:00:00Z", 1),
              ElementsAre("2026-11-30T02:30:00Z"));
  EXPECT_THAT(TimesOf(TableOf("30 3 * * *", "Asia/Kolkata"), "2026-11-29T12:00:00Z", 1),
              ElementsAre("2026-11-29T22:00:00Z"));
}

TEST(Timetable, ATimeThatIsThereTwiceComesOnce) {
  // Clocks of Berlin go from 3:00 back to 2:00 on 2026-10-25, at 1:00 of UTC.
  EXPECT_THAT(TimesOf(TableOf("30 2 * * *", "Europe/Berlin"), "2026-10-24T12:00:00Z", 2),
              ElementsAre("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"));
  EXPECT_THAT(TimesOf(TableOf("30 * * * *", "Europe/Berlin"), "2026-10-25T00:00:00Z", 3),
              ElementsAre("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"))
      << "of every hour there is no hour less";
}

TEST(Timetable, ATimeThatIsLeaptOverDoesNotCome) {
  // From 2:00 to 3:00 on 2026-03-29, at 1:00 of UTC.
  EXPECT_THAT(TimesOf(TableOf("30 2 * * *", "Europe/Berlin"), "2026-03-28T12:00:00Z", 1),
              ElementsAre("2026-03-30T00:30:00Z"));
  // In Santiago it is midnight itself that is leapt over, on 2026-09-06.
  EXPECT_THAT(TimesOf(TableOf("0 12 * * *", "America/Santiago"), "2026-09-05T16:00:00Z", 2),
              ElementsAre("2026-09-06T15:00:00Z", "2026-09-07T15:00:00Z"));
}

TEST(Timetable, KnowsTheLatestOfManyThatWereMissed) {
  const auto time = [](const char* text) { return *kube::TimeOf(text); };
  EXPECT_EQ(TableOf("* * * * *").Latest(time("2025-01-01T00:00:00Z"), time("2026-11-29T12:00:30Z")),
            time("2026-11-29T12:00:00Z"));
  EXPECT_EQ(TableOf("@yearly").Latest(time("2020-01-01T00:00:00Z"), time("2026-11-29T12:00:30Z")),
            time("2026-01-01T00:00:00Z"));
  EXPECT_EQ(TableOf("@daily").Latest(time("2026-11-29T00:00:00Z"), time("2026-11-29T12:00:30Z")),
            time("2026-11-29T00:00:00Z"));
  EXPECT_EQ(
      TableOf("0 0 29 2 *").Latest(time("2024-02-29T00:00:00Z"), time("2026-01-01T00:00:00Z")),
      time("2024-02-29T00:00:00Z"));
}

TEST(Timetable, SaysWhatIsWrong) {
  EXPECT_THAT(WrongIn("0 3 * *"), HasSubstr("must be minute, hour, day, month and weekday"));
  EXPECT_THAT(WrongIn(""), HasSubstr("must be minute"));
  EXPECT_THAT(WrongIn("@often"), HasSubstr("must be minute"));
  EXPECT_EQ(WrongIn("60 3 * * *"), "schedule: '60' is no minute");
  EXPECT_EQ(WrongIn("0 3 0 * *"), "schedule: '0' is no day");
  EXPECT_EQ(WrongIn("0 3 * * fry"), "schedule: 'fry' is no weekday");
  EXPECT_EQ(WrongIn("0 9-8 * * *"), "schedule: '9-8' is no hour");
  EXPECT_EQ(WrongIn("*/0 * * * *"), "schedule: '*/0' is no minute");
  EXPECT_EQ(WrongIn("*/-1 * * * *"), "schedule: '*/-1' is no minute");
  EXPECT_EQ(WrongIn("1,,2 * * * *"), "schedule: '' is no minute");
  EXPECT_EQ(WrongIn("*/99999999999 * * * *"), "schedule: '*/99999999999' is no minute");
  EXPECT_EQ(WrongIn("0 0 30 2 *"), "schedule: '0 0 30 2 *' never comes");
  EXPECT_EQ(WrongIn("@daily", "Europe/Utopia"), "timeZone: 'Europe/Utopia' is not known");
}

}  // namespace
}  // namespace twofold::benchmarks
