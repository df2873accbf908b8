#include "lib/suite/plausible.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

// ---- One number

constexpr double kMostSeconds = 10 * 366 * 86400.0;
constexpr double kWrap = 4096;               // a count below 0 by less than this
constexpr double kTwo32 = 4294967296.0;      // 2^32
constexpr double kTwo53 = 9007199254740992;  // beyond it counts are no whole numbers

struct TimeUnit {
  std::string_view word;
  double seconds;
};
constexpr TimeUnit kTimes[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

bool IsTooLong(double value, std::string_view unit) {
  return std::any_of(std::begin(kTimes), std::end(kTimes), [&](const TimeUnit& time) {
    return time.word == unit && value * time.seconds > kMostSeconds;
  });
}

bool IsTime(std::string_view unit) {
  return std::any_of(std::begin(kTimes), std::end(kTimes),
                     [&](const TimeUnit& time) { return time.word == unit; });
}

bool IsWrapped(double count) {
  return count > kTwo53 || (count > kTwo32 - kWrap && count < kTwo32);
}

std::string WithUnit(double value, const std::string& unit) {
  return unit.empty() ? NumberText(value) : absl::StrCat(NumberText(value), " ", unit);
}

// ---- Numbers of one quantity

// Where a statistic stands in the order of all; a mean is only between the extremes.
enum class Kind : std::uint8_t { kMin, kPercentile, kMax, kMean, kOther };
struct Stat {
  Kind kind = Kind::kOther;
  double percent = 0;
};

// "p99_9" and "p99.9" are the 99.9th percentile.
Stat StatOf(std::string word) {
  if (word == "min") return {Kind::kMin};
  if (word == "max") return {Kind::kMax};
  if (word == "mean" || word.empty()) return {Kind::kMean};
  if (!word.starts_with('p')) return {};
  std::replace(word.begin(), word.end(), '_', '.');
  const auto percent = ToNumber(std::string_view(word).substr(1));
  return percent ? Stat{Kind::kPercentile, *percent} : Stat{};
}

struct Named {
  std::string quantity;
  Stat stat;
};

// "latency_p99" is the 99th percentile of "latency"; "latency" alone is its mean.
Named NamedOf(const std::string& name) {
  for (std::size_t at = name.find('_'); at != std::string::npos; at = name.find('_', at + 1)) {
    const Stat stat = StatOf(name.substr(at + 1));
    if (stat.kind != Kind::kOther && at + 1 < name.size()) return {name.substr(0, at), stat};
  }
  return {name, {Kind::kMean}};
}

struct Known {
  std::string name;
  Stat stat;
  double value;
};

// Buckets of histograms and rounded digits may be that far off.
constexpr double kOff = 1.1;

bool IsMore(const Known& a, const Known& b, double slack) {
  return a.value > std::max(b.value, 0.0) * kOff + slack;
}

// Whether `a` must not be more than `b`. Percentiles are held only against each other: OSU's
// extremes are of the means of ranks, its percentiles of single iterations.
bool IsBefore(const Stat& a, const Stat& b) {
  if (a.kind == Kind::kPercentile && b.kind == Kind::kPercentile) return a.percent < b.percent;
  if (b.kind == Kind::kMax) return a.kind == Kind::kMin || a.kind == Kind::kMean;
  return a.kind == Kind::kMin && b.kind == Kind::kMean;
}

// "latency_p50 5 is more than latency_p99 4"; empty: they are in order. Percentiles are held only
// against the next one and the maximum, so that the cost is that of sorting.
std::string Disorder(std::vector<Known> all, double slack) {
  std::sort(all.begin(), all.end(), [](const Known& a, const Known& b) {
    return std::tuple(a.stat.kind, a.stat.percent) < std::tuple(b.stat.kind, b.stat.percent);
  });
  const auto wrong = [&](const Known& a, const Known& b) {
    return IsBefore(a.stat, b.stat) && IsMore(a, b, slack);
  };
  const auto text = [](const Known& a, const Known& b) {
    return absl::StrCat(a.name, " ", NumberText(a.value), " is more than ", b.name, " ",
                        NumberText(b.value));
  };
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (wrong(all[i], all[i + 1])) return text(all[i], all[i + 1]);
  }
  for (const Known& extreme : all) {
    if (extreme.stat.kind != Kind::kMin && extreme.stat.kind != Kind::kMax) continue;
    for (const Known& other : all) {
      if (wrong(other, extreme)) return text(other, extreme);
      if (wrong(extreme, other)) return text(extreme, other);
    }
  }
  return {};
}

// ---- Rows

struct RateUnit {
  std::string_view word;
  double bytes;
};
constexpr RateUnit kRates[] = {
    {"MB/s", 1e6}, {"MiB/s", 1048576}, {"GB/s", 1e9}, {"Gbit/s", 1e9 / 8}, {"Mbit/s", 1e6 / 8}};

// A rate in bytes; 0: it is none.
double BytesOf(std::string_view unit) {
  const auto* rate = std::find_if(std::begin(kRates), std::end(kRates),
                                  [&](const RateUnit& each) { return each.word == unit; });
  return rate == std::end(kRates) ? 0 : rate->bytes;
}

const double* NumberOf(const std::vector<Column>& columns, const std::vector<double>& row,
                       std::string_view name) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (columns[i].name == name) return &row[i];
  }
  return nullptr;
}

constexpr double kRateDigits = 0.01;    // tools print two behind the point
constexpr double kRatesAgree = 0.03;    // both megas are further apart
constexpr double kMessageDigits = 0.5;  // 1/s: perftest prints millions of them, with six digits

// Two ways to say one rate; empty: they agree, or there is only one. A peak is that of some
// messages, while the rate of messages is that of all.
std::string Disagreement(const std::vector<Column>& columns, const std::vector<double>& row) {
  const double* size = NumberOf(columns, row, "size");
  const double* messages = NumberOf(columns, row, "message_rate");
  if (size == nullptr || messages == nullptr) return {};
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double bytes = BytesOf(columns[i].unit);
    if (bytes == 0 || columns[i].name.starts_with("best_")) continue;
    const double rate = *messages * *size / bytes;
    const double digits = kRateDigits + kMessageDigits * *size / bytes;
    if (std::abs(rate - row[i]) <= kRatesAgree * std::max(rate, row[i]) + digits) continue;
    return absl::StrCat(columns[i].name, " ", WithUnit(row[i], columns[i].unit), " is not ",
                        WithUnit(*messages, "1/s"), " of this size, ",
                        WithUnit(std::round(rate / kRateDigits) * kRateDigits, columns[i].unit));
  }
  return {};
}

// What is wrong with a row; empty: nothing.
std::string RowFault(const std::vector<Column>& columns, const std::vector<double>& row) {
  if (row.size() != columns.size()) return "it has not one number a column";
  std::map<std::pair<std::string, std::string>, std::vector<Known>> quantities;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Column& column = columns[i];
    const std::string fault = Fault(row[i], column.unit, column.is_signed);
    if (!fault.empty()) return absl::StrCat(column.name, " ", fault);
    // Of bandwidths a tail is the slow one.
    if (column.better != Better::kLower) continue;
    const Named named = NamedOf(column.name);
    quantities[{named.quantity, column.unit}].push_back({column.name, named.stat, row[i]});
  }
  for (auto& [quantity, all] : quantities) {
    std::string disorder = Disorder(std::move(all), 0.05);
    if (!disorder.empty()) return disorder;
  }
  return Disagreement(columns, row);
}

std::string RowName(const Column& column, double value) {
  return absl::StrCat(column.name, " ", NumberText(value));
}

constexpr std::size_t kMostFailures = 20;  // of one table: a broken one has thousands of such rows

// Takes the bad rows out, and says each.
void KeepRows(const std::string& name, const std::vector<Column>& columns,
              std::vector<std::vector<double>>& rows, std::vector<Failure>& failures) {
  std::size_t bad = 0;
  std::erase_if(rows, [&](const std::vector<double>& row) {
    const std::string fault = RowFault(columns, row);
    if (fault.empty()) return false;
    const double at = row.empty() ? 0 : row[0];
    if (++bad <= kMostFailures) {
      failures.push_back(
          {name, absl::StrCat("row left out, ", RowName(columns.front(), at), ": ", fault)});
    }
    return true;
  });
  if (bad > kMostFailures) {
    failures.push_back({name, absl::StrCat(bad - kMostFailures, " more rows left out")});
  }
}

// ---- Measurements

std::string DimensionsText(const Dimensions& dimensions) {
  std::string text;
  for (const auto& [name, value] : dimensions) absl::StrAppend(&text, " ", name, "=", value);
  return text;
}

using Identity = std::tuple<std::string, std::string, Dimensions>;  // name, unit

// All that tells a quantity from others, and which of its statistics this is.
std::pair<Identity, Stat> QuantityOf(const Measurement& one) {
  Named named = NamedOf(one.name);
  Dimensions dimensions;
  for (const Dimension& dimension : one.dimensions) {
    if (dimension.first == "stat") {
      named = {one.name, StatOf(dimension.second)};
    } else {
      dimensions.push_back(dimension);
    }
  }
  return {{named.quantity, one.unit, dimensions}, named.stat};
}

// Quantities whose statistics are in no order, and why.
std::map<Identity, std::string> Disorders(const std::vector<Measurement>& all) {
  std::map<Identity, std::vector<Known>> quantities;
  for (const Measurement& one : all) {
    if (one.better != Better::kLower || !one.at.empty()) continue;
    const auto [quantity, stat] = QuantityOf(one);
    quantities[quantity].push_back({one.name, stat, one.value});
  }
  std::map<Identity, std::string> disorders;
  for (auto& [quantity, known] : quantities) {
    // Tools print times in whole units, so one is no difference.
    std::string why = Disorder(std::move(known), 1e-9);
    if (!why.empty()) disorders[quantity] = std::move(why);
  }
  return disorders;
}

std::string FaultOf(const Measurement& one) { return Fault(one.value, one.unit, one.is_signed); }

void KeepMeasurements(Measurements& result) {
  const auto erase = [&](auto&& why_of) {
    std::erase_if(result.measurements, [&](const Measurement& one) {
      const std::string why = why_of(one);
      if (!why.empty()) result.failures.push_back({one.name, LeftOut(one.dimensions, why)});
      return !why.empty();
    });
  };
  erase(FaultOf);
  const auto disorders = Disorders(result.measurements);
  if (disorders.empty()) return;
  erase([&](const Measurement& one) -> std::string {
    if (one.better != Better::kLower || !one.at.empty()) return {};
    const auto found = disorders.find(QuantityOf(one).first);
    return found == disorders.end() ? std::string() : found->second;
  });
}

// "throughput direction=forward": what is there twice; empty: nothing.
std::string Twice(const Measurements& result) {
  std::set<Identity> seen;
  for (const Measurement& one : result.measurements) {
    if (!seen.emplace(one.name, one.unit, one.dimensions).second) {
      return one.name + DimensionsText(one.dimensions);
    }
  }
  seen.clear();
  for (const Series& series : result.series) {
    // osu_mbw_mr has a table of bandwidths and one of rates.
    const std::string measured = series.columns.size() > 1 ? series.columns[1].name : "";
    if (!seen.emplace(series.name, measured, series.dimensions).second) {
      return series.name + DimensionsText(series.dimensions);
    }
  }
  return {};
}

std::optional<double> SizeThatIsTwice(const SizeTable& table) {
  if (table.columns.empty() || table.columns[0].column.name != "size") return std::nullopt;
  std::set<double> sizes;
  for (const auto& row : table.rows) {
    if (row.empty() || !std::isfinite(row[0])) continue;
    if (!sizes.insert(row[0]).second) return row[0];
  }
  return std::nullopt;
}

// The time that a row is about, if it is 0: "latency 0 us"; empty: there is none.
std::string TimeBelowTheClock(const SizeTable& table, const std::vector<double>& row) {
  for (std::size_t i = 0; i < std::min(row.size(), table.columns.size()); ++i) {
    const auto& [column, primary] = table.columns[i];
    const bool is_time = primary && column.better == Better::kLower && IsTime(column.unit);
    if (is_time && row[i] == 0) return absl::StrCat(column.name, " ", WithUnit(0, column.unit));
  }
  return {};
}

// Rates that a tool has made of such a time go with it.
void KeepTimedRows(const std::string& name, Empty empty, SizeTable& table, Measurements& result) {
  std::erase_if(table.rows, [&](const std::vector<double>& row) {
    const std::string time = TimeBelowTheClock(table, row);
    if (time.empty()) return false;
    const bool has_size = table.columns[0].column.name == "size";
    const std::string of = has_size ? absl::StrCat(", size ", NumberText(row[0])) : std::string();
    const std::string why = absl::StrCat("row left out", of, ": ", time, " is below the clock");
    if (has_size && row[0] == 0 && empty == Empty::kDoesNotCount) {
      result.notes.push_back(absl::StrCat(name, ": ", why));
    } else {
      result.failures.push_back({name, why});
    }
    return true;
  });
}

std::vector<Column> ColumnsOf(const SizeTable& table) {
  std::vector<Column> columns;
  for (const TableColumn& each : table.columns) columns.push_back(each.column);
  return columns;
}

// Where the rows of a series over time go back, as those of two runs do; empty: nowhere.
std::string GoesBack(const Series& series) {
  const Column& first = series.columns.front();
  if (first.name != "time" || !IsTime(first.unit)) return {};
  for (std::size_t i = 1; i < series.rows.size(); ++i) {
    const double before = series.rows[i - 1][0];
    const double now = series.rows[i][0];
    if (now < before) {
      return absl::StrCat(series.name, " goes back from ", WithUnit(before, first.unit), " to ",
                          WithUnit(now, first.unit));
    }
  }
  return {};
}

}  // namespace

std::string Fault(double value, const std::string& unit, bool is_signed) {
  const auto because = [&](const char* why) { return absl::StrCat(WithUnit(value, unit), why); };
  if (!std::isfinite(value)) return because(" is not finite");
  if (value < 0 && unit != "C" && !is_signed) return because(" is below 0");
  if (unit.empty() && IsWrapped(value)) return because(" is a count that has gone below 0");
  if (IsTooLong(value, unit)) return because(" is longer than ten years");
  return {};
}

std::string FaultOfTotal(double total, double parts, const std::string& unit) {
  constexpr double kOver = 1.05;   // tools print three digits
  constexpr double kBelow = 0.75;  // and a total lasts until the last part has ended
  if (parts <= 0 || (total <= parts * kOver && total >= parts * kBelow)) return {};
  return absl::StrCat(WithUnit(total, unit), total > parts ? " is over" : " is far below",
                      " the sum of its parts, ", WithUnit(parts, unit));
}

std::string FaultOfRate(double rate, double counted, const std::string& unit) {
  constexpr double kAgree = 1.2;  // tools print three digits, of times down to a millisecond
  if (counted <= 0 || (rate <= counted * kAgree && counted <= rate * kAgree)) return {};
  return absl::StrCat(WithUnit(rate, unit), " is not what was counted by its time, ",
                      WithUnit(counted, unit));
}

std::string LeftOut(const Dimensions& dimensions, const std::string& fault) {
  return absl::StrCat("left out", DimensionsText(dimensions), ": ", fault);
}

void KeepPlausibleRows(const std::string& name, Empty empty, SizeTable& table,
                       Measurements& result) {
  if (const auto twice = SizeThatIsTwice(table)) {
    result.failures.push_back({name, absl::StrCat("two runs in one table: size ",
                                                  NumberText(*twice), " is there twice")});
    table.rows.clear();
  }
  KeepTimedRows(name, empty, table, result);
  KeepRows(name, ColumnsOf(table), table.rows, result.failures);
}

Status KeepPlausible(Measurements& result) {
  const std::string twice = Twice(result);
  if (!twice.empty()) {
    return Unreadable("read", absl::StrCat("two runs in one document: ", twice, " is there twice",
                                           "; try `twofold parse --each-run`"));
  }
  KeepMeasurements(result);
  for (Series& series : result.series) {
    if (const std::string back = GoesBack(series); !back.empty()) {
      return Unreadable("read", absl::StrCat("two runs in one document: ", back));
    }
    KeepRows(series.name + DimensionsText(series.dimensions), series.columns, series.rows,
             result.failures);
  }
  std::erase_if(result.series, [](const Series& series) { return series.rows.empty(); });
  if (!result.measurements.empty() || !result.series.empty() || result.failures.empty()) {
    return absl::OkStatus();
  }
  return Unreadable(result.failures.front().stage, result.failures.front().reason);
}

std::string FirstFault(const Measurements& result) {
  std::string fault = Twice(result);
  if (!fault.empty()) return fault + " is there twice";
  for (const Measurement& one : result.measurements) {
    if (fault = FaultOf(one); !fault.empty()) return one.name + ": " + fault;
    const bool is_best_time = one.better == Better::kLower && !one.at.empty() && IsTime(one.unit);
    if (is_best_time && one.value == 0) return one.name + ": a time of 0 is the best";
  }
  for (const Series& series : result.series) {
    if (fault = GoesBack(series); !fault.empty()) return fault;
    for (const auto& row : series.rows) {
      if (fault = RowFault(series.columns, row); !fault.empty()) return series.name + ": " + fault;
    }
  }
  const auto disorders = Disorders(result.measurements);
  return disorders.empty() ? std::string() : disorders.begin()->second;
}

std::string_view ProvenMega(std::span<const TimedRate> rows) {
  struct Mega {
    std::string_view unit;
    double bytes;
    double off = 0;  ///< the sum of how far rows are off
  };
  constexpr double kLeast = 10;  // of a rate: with fewer digits both are near
  constexpr double kAgrees = 0.02;
  Mega megas[] = {{"MB/s", 1e6}, {"MiB/s", 1048576}};
  double used = 0;
  for (const TimedRate& row : rows) {
    if (row.megas < kLeast || row.seconds <= 0) continue;
    ++used;
    for (Mega& mega : megas) {
      mega.off += std::abs(row.megas * mega.bytes * row.seconds / row.bytes - 1);
    }
  }
  const Mega& best = megas[0].off <= megas[1].off ? megas[0] : megas[1];
  return used > 0 && best.off / used < kAgrees ? best.unit : std::string_view();
}

}  // namespace twofold::suite
