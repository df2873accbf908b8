#include "kubernetes/operator/timetable.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/time/time.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace twofold::benchmarks {
namespace {

using kube::UnixTime;

constexpr int kMostYears = 9;  // over a century's end, the 29th of February comes once in eight
constexpr int kDayHours = 24;

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed",
                                                       "thu", "fri", "sat"};

/// One of the five fields.
struct CronField {
  const char* name;
  int least;
  int most;
  std::span<const std::string_view> words{};  ///< for `least` and the numbers after it
};
constexpr std::array kCronFields = {CronField{"minute", 0, 59}, CronField{"hour", 0, 23},
                                    CronField{"day", 1, 31}, CronField{"month", 1, 12, kMonths},
                                    CronField{"weekday", 0, 7, kWeekdays}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kCronWords = {
    {{"@yearly", "0 0 1 1 *"},
     {"@annually", "0 0 1 1 *"},
     {"@monthly", "0 0 1 * *"},
     {"@weekly", "0 0 * * 0"},
     {"@daily", "0 0 * * *"},
     {"@midnight", "0 0 * * *"},
     {"@hourly", "0 * * * *"}}};

Status WrongTime(const CronField& part, const std::string& text) {
  return absl::InvalidArgumentError(absl::StrCat("schedule: '", text, "' is no ", part.name));
}

Result<int> NumberOf(const CronField& part, const std::string& text) {
  const std::string word = absl::AsciiStrToLower(text);
  for (std::size_t i = 0; i < part.words.size(); ++i) {
    if (part.words[i] == word) return part.least + static_cast<int>(i);
  }
  int number = 0;
  const bool is_number =
      !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  if (is_number && absl::SimpleAtoi(text, &number) && number >= part.least && number <= part.most) {
    return number;
  }
  return WrongTime(part, text);
}

struct NumberRange {
  int first;
  int last;
};

/// "*", "5", "1-5"; with a step "5" goes on to the end.
Result<NumberRange> NumberRangeOf(const CronField& part, const std::string& text, bool has_step) {
  if (text == "*" || text == "?") return NumberRange{part.least, part.most};
  const std::vector<std::string> ends = absl::StrSplit(text, absl::MaxSplits('-', 1));
  const auto first = NumberOf(part, ends[0]);
  if (!first.ok()) return first.status();
  if (ends.size() == 1) return NumberRange{*first, has_step ? part.most : *first};
  const auto last = NumberOf(part, ends[1]);
  if (!last.ok()) return last.status();
  if (*last < *first) return WrongTime(part, text);
  return NumberRange{*first, *last};
}

Status AddItem(const CronField& part, const std::string& item, std::bitset<64>& numbers) {
  const std::vector<std::string> halves = absl::StrSplit(item, absl::MaxSplits('/', 1));
  int step = 1;
  const bool has_step = halves.size() == 2;
  if (has_step && !(absl::SimpleAtoi(halves[1], &step) && step > 0)) return WrongTime(part, item);
  const auto range = NumberRangeOf(part, halves[0], has_step);
  if (!range.ok()) return range.status();
  for (int i = range->first; i <= range->last; i += std::min(step, part.most + 1)) {
    numbers.set(static_cast<std::size_t>(i));
  }
  return absl::OkStatus();
}

Result<std::bitset<64>> NumbersOf(const CronField& part, const std::string& field) {
  std::bitset<64> numbers;
  for (const std::string& item : std::vector<std::string>(absl::StrSplit(field, ','))) {
    if (Status status = AddItem(part, item, numbers); !status.ok()) return status;
  }
  return numbers;
}

std::string WithoutWord(const std::string& cron) {
  for (const auto& [word, fields] : kCronWords) {
    if (absl::EqualsIgnoreCase(cron, std::string(word))) return std::string(fields);
  }
  return cron;
}

bool IsAny(const std::string& field) { return field.starts_with('*') || field.starts_with('?'); }

absl::Time Minutes(absl::Time time) {
  return absl::FromUnixSeconds(absl::ToUnixSeconds(time) / 60 * 60);
}

}  // namespace

struct Timetable::Zone {
  absl::TimeZone zone;
};

Result<Timetable> Timetable::ParseFields(const std::string& cron) {
  const std::vector<std::string> fields =
      absl::StrSplit(WithoutWord(cron), absl::ByAnyChar(" \t"), absl::SkipWhitespace());
  if (fields.size() != kCronFields.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("schedule: must be minute, hour, day, month and weekday, as 30 3 * * mon-fri, "
                     "or a word such as @daily; is '",
                     cron, "'"));
  }
  Timetable table;
  Days* const numbers[] = {&table.minutes_, &table.hours_, &table.days_, &table.months_,
                           &table.weekdays_};
  for (std::size_t i = 0; i < kCronFields.size(); ++i) {
    const auto read = NumbersOf(kCronFields.at(i), fields[i]);
    if (!read.ok()) return read.status();
    *numbers[i] = *read;
  }
  if (table.weekdays_[7]) table.weekdays_.set(0);  // both are Sunday
  table.any_day_ = IsAny(fields[2]);
  table.any_weekday_ = IsAny(fields[4]);
  return table;
}

Result<Timetable> Timetable::Parse(const std::string& cron, const std::string& zone) {
  auto table = ParseFields(cron);
  if (!table.ok()) return table;
  auto known = std::make_shared<Zone>();
  known->zone = absl::UTCTimeZone();
  if (!zone.empty() && !absl::LoadTimeZone(zone, &known->zone)) {
    return absl::InvalidArgumentError(absl::StrCat("timeZone: '", zone, "' is not known"));
  }
  table->zone_ = std::move(known);
  if (!table->After(UnixTime())) {
    return absl::InvalidArgumentError(absl::StrCat("schedule: '", cron, "' never comes"));
  }
  return table;
}

bool Timetable::IsDay(int month, int day, int weekday) const {
  if (!months_[static_cast<std::size_t>(month)]) return false;
  const bool is_day = days_[static_cast<std::size_t>(day)];
  const bool is_weekday = weekdays_[static_cast<std::size_t>(weekday)];
  return any_day_ || any_weekday_ ? is_day && is_weekday : is_day || is_weekday;
}

std::optional<UnixTime> Timetable::After(UnixTime time) const {
  const absl::TimeZone& zone = zone_->zone;
  const absl::Time end = absl::FromChrono(time) + absl::Hours(kMostYears * 366 * kDayHours);
  const bool has_hours = hours_.count() < kDayHours;
  absl::Time at = Minutes(absl::FromChrono(time)) + absl::Minutes(1);
  while (at < end) {
    const absl::CivilMinute minute = absl::ToCivilMinute(at, zone);
    const auto weekday = (static_cast<int>(absl::GetWeekday(minute)) + 1) % 7;  // Monday is 0
    if (!IsDay(minute.month(), minute.day(), weekday)) {
      // The day may begin with an hour that is there twice, or not at all.
      at = std::max(absl::FromCivil(absl::CivilDay(minute) + 1, zone), at + absl::Minutes(1));
    } else if (!hours_[static_cast<std::size_t>(minute.hour())]) {
      at += absl::Minutes(60 - minute.minute());
    } else if (!minutes_[static_cast<std::size_t>(minute.minute())] ||
               (has_hours && at > absl::FromCivil(minute, zone))) {  // of two the first
      at += absl::Minutes(1);
    } else {
      return UnixTime(std::chrono::seconds(absl::ToUnixSeconds(at)));
    }
  }
  return std::nullopt;
}

UnixTime Timetable::Latest(UnixTime first, UnixTime time) const {
  using std::chrono::hours;
  UnixTime latest = first;
  // From a time that is near enough: of a schedule of minutes there are many in a year.
  for (const hours back :
       {hours(1), hours(kDayHours), hours(32 * kDayHours), hours(366 * kDayHours)}) {
    const auto near = After(time - back);
    if (near && *near <= time) {
      latest = std::max(first, *near);
      break;
    }
  }
  for (auto next = After(latest); next && *next <= time; next = After(latest)) latest = *next;
  return latest;
}

}  // namespace twofold::benchmarks
