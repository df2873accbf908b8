#include "client/latencies.h"

#include <absl/strings/str_replace.h>
#include <spdlog/fmt/fmt.h>

#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/stats/quantile.h"

namespace twofold::client {
namespace {

using Object = nlohmann::ordered_json;

std::optional<Duration> ValueOf(const std::optional<stats::CensoredTimes::Bound>& bound) {
  return bound ? std::optional(bound->value) : std::nullopt;
}

using Bound = std::optional<stats::CensoredTimes::Bound>;

struct Column {
  const char* name;
  Bound (*of)(const stats::CensoredTimes& times);
};
constexpr std::array kColumns = {
    Column{"max", [](auto& times) { return times.Max(); }},
    Column{"avg", [](auto& times) { return times.Mean(); }},
    Column{"min",
           [](auto& times) {
             const auto least = times.ended.Min();
             return least ? Bound(stats::CensoredTimes::Bound{*least}) : Bound();
           }},
};

struct Percentile {
  const char* name;
  double share;
};
constexpr std::array kPercentiles = {Percentile{"p50", 0.5}, Percentile{"p90", 0.9},
                                     Percentile{"p99", 0.99}, Percentile{"p99.9", 0.999}};

/// A row of the table of latencies.
struct TimesRow {
  std::string_view name;
  stats::CensoredTimes times;
};

std::vector<TimesRow> TimesOf(const load::Snapshot& snapshot) {
  const load::Times& times = snapshot.times;
  std::vector<TimesRow> all = {{"wait", {times.wait, {}}},
                               {"run time", {times.run, {}}},
                               {"overhead", {times.overhead, {}}},
                               {"round trip", times.from_send}};
  if (!HasOpenLoop(snapshot)) return all;
  all.push_back({"from plan", times.from_plan});
  all.push_back({"late", {times.late, {}}});
  return all;
}

std::string TimeText(const Bound& time) {
  if (!time) return "-";
  return fmt::format("{}{:.6f}", time->at_least ? ">=" : "", ToSeconds(time->value));
}

std::string IntervalText(const stats::CensoredTimes::Interval& interval) {
  const auto end = [](const std::optional<Duration>& time) {
    return time ? fmt::format("{:.6f}", ToSeconds(*time)) : "-";
  };
  return end(interval.lower) + " .. " + end(interval.upper);
}

std::string TimesTable(std::span<const TimesRow> rows) {
  std::string text = fmt::format("{:<12}", "seconds");
  const auto append = std::back_inserter(text);
  for (const Column& column : kColumns) fmt::format_to(append, " {:>12}", column.name);
  for (const Percentile& percentile : kPercentiles)
    fmt::format_to(append, " {:>12}", percentile.name);
  for (const auto& [name, times] : rows) {
    fmt::format_to(append, "\n{:<12}", name);
    for (const Column& column : kColumns)
      fmt::format_to(append, " {:>12}", TimeText(column.of(times)));
    for (const Percentile& percentile : kPercentiles)
      fmt::format_to(append, " {:>12}", TimeText(times.Quantile(percentile.share)));
  }
  return text + '\n';
}

std::string IntervalsTable(std::span<const TimesRow> rows) {
  std::string text = fmt::format("{:<12}", "95 %");
  const auto append = std::back_inserter(text);
  for (const Percentile& percentile : kPercentiles)
    fmt::format_to(append, " {:>24}", percentile.name);
  for (const auto& [name, times] : rows) {
    fmt::format_to(append, "\n{:<12}", name);
    for (const Percentile& percentile : kPercentiles) {
      fmt::format_to(append, " {:>24}", IntervalText(times.IntervalOfQuantile(percentile.share)));
    }
  }
  return text + '\n';
}

std::string TooFewLines(const stats::CensoredTimes& times) {
  std::string lines;
  const std::uint64_t jobs = times.ended.Count() + times.open.Count();
  for (const Percentile& percentile : kPercentiles) {
    const std::string line = jobs > 0 ? stats::TooFewText(jobs, percentile.share) : "";
    if (!line.empty()) lines += line + '\n';
  }
  return lines;
}

}  // namespace

bool HasOpenLoop(const load::Snapshot& snapshot) { return snapshot.times.late.Count() > 0; }

Object SecondsJson(const std::optional<Duration>& time) {
  return time ? Object(ToSeconds(*time)) : Object(nullptr);
}

Object IntervalJson(const stats::CensoredTimes::Interval& interval) {
  return Object::array({SecondsJson(interval.lower), SecondsJson(interval.upper)});
}

std::string LatenciesText(const load::Snapshot& snapshot) {
  const std::vector<TimesRow> rows = TimesOf(snapshot);
  std::string text = TimesTable(rows) + '\n' + IntervalsTable(rows);
  text += TooFewLines(snapshot.times.from_send);
  const auto append = std::back_inserter(text);
  if (snapshot.times.clamped == 0) return text;
  fmt::format_to(append, "{} overheads came out negative (clocks disagree) and count as 0\n",
                 snapshot.times.clamped);
  return text;
}

Object LatenciesJson(const load::Snapshot& snapshot) {
  Object all;
  for (const auto& [name, times] : TimesOf(snapshot)) {
    Object& row = all[absl::StrReplaceAll(std::string(name), {{" ", "_"}})];
    for (const Column& column : kColumns) row[column.name] = SecondsJson(ValueOf(column.of(times)));
    Object intervals;
    for (const auto& [percentile, share] : kPercentiles) {
      row[percentile] = SecondsJson(ValueOf(times.Quantile(share)));
      intervals[percentile] = IntervalJson(times.IntervalOfQuantile(share));
    }
    row["intervals"] = std::move(intervals);
    row["jobs"] = times.ended.Count();
    row["open"] = times.open.Count();
    row["known"] = times.Known();
  }
  all["clamped_overheads"] = snapshot.times.clamped;
  return all;
}

}  // namespace twofold::client
