#include "lib/suite/measurements.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>

#include "lib/common/printable.h"
#include "lib/suite/plausible.h"
#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

// Null: there is none that counts.
const std::vector<double>* Best(const SizeTable& table, std::size_t column, Empty empty) {
  const bool higher = table.columns[column].column.better == Better::kHigher;
  const std::vector<double>* best = nullptr;
  for (const auto& row : table.rows) {
    if (row[0] == 0 && empty == Empty::kDoesNotCount) continue;
    const bool is_better =
        best == nullptr || (higher ? row[column] > (*best)[column] : row[column] < (*best)[column]);
    if (is_better) best = &row;
  }
  return best;
}

void AddHeadlines(const SizeTable& table, const Dimensions& dimensions, Empty empty,
                  Measurements& result) {
  // Bandwidth first: it is what most people ask for, and what decides when a sweep is steady.
  for (const Better better : {Better::kHigher, Better::kLower}) {
    for (std::size_t i = 1; i < table.columns.size(); ++i) {
      const auto& [column, primary] = table.columns[i];
      if (!primary || column.better != better) continue;
      const std::vector<double>* best = Best(table, i, empty);
      if (best == nullptr) continue;
      result.measurements.push_back({(better == Better::kHigher ? "peak_" : "min_") + column.name,
                                     (*best)[i],
                                     column.unit,
                                     better,
                                     true,
                                     dimensions,
                                     {{"size", NumberText((*best)[0])}}});
    }
  }
}

// The sizes without a row in a table whose sizes double; none, if most of them do not.
std::vector<double> SizesLeftOut(const SizeTable& table) {
  std::vector<double> missing;
  std::size_t doubled = 0;
  double last = 0;
  for (const auto& row : table.rows) {
    const double size = row[0];
    if (size == 0 && last == 0) continue;
    if (!std::isfinite(size) || size <= last) return {};
    double due = last == 0 ? size : 2 * last;
    if (size == due && last != 0) ++doubled;
    for (; due < size; due *= 2) missing.push_back(due);
    if (due != size) return {};
    last = size;
  }
  return doubled > missing.size() ? missing : std::vector<double>();
}

// Nobody sees it in a series.
void NoteSizesLeftOut(const std::string& name, const SizeTable& table, Measurements& result) {
  if (table.rows.empty() || table.columns[0].column.name != "size") return;
  const std::vector<double> missing = SizesLeftOut(table);
  if (missing.empty()) return;
  result.notes.push_back(absl::StrCat(name, ": its sizes double, but there is no row of ",
                                      absl::StrJoin(missing, ", ",
                                                    [](std::string* text, double size) {
                                                      absl::StrAppend(text, NumberText(size));
                                                    }),
                                      " B: it was asked for so, or lines are lost"));
}

constexpr std::size_t kMostText = 400;  // bytes of a name, unit, reason

std::string Clean(const std::string& text) { return Printable(text, kMostText); }

void Set(const Dimensions& dimensions, google::protobuf::RepeatedPtrField<v1::Dimension>& to) {
  for (const auto& [name, value] : dimensions) {
    v1::Dimension& dimension = *to.Add();
    dimension.set_name(Clean(name));
    dimension.set_value(Clean(value));
  }
}

template <typename From, typename To>
void SetWhat(const From& from, To& to) {
  to.set_name(Clean(from.name));
  to.set_unit(Clean(from.unit));
  to.set_better(static_cast<v1::Better>(from.better));
}

void Set(const Measurement& from, v1::Measurement& to) {
  SetWhat(from, to);
  to.set_value(from.value);
  to.set_headline(from.headline);
  Set(from.dimensions, *to.mutable_dimensions());
  Set(from.at, *to.mutable_at());
}

void Set(const Series& from, v1::Series& to) {
  to.set_name(Clean(from.name));
  Set(from.dimensions, *to.mutable_dimensions());
  for (const Column& column : from.columns) SetWhat(column, *to.add_columns());
  for (const auto& row : from.rows) to.mutable_values()->Add(row.begin(), row.end());
}

}  // namespace

void AddTable(const std::string& name, const SizeTable& all, const Dimensions& dimensions,
              Empty empty, Measurements& result) {
  NoteSizesLeftOut(name, all, result);
  SizeTable table = all;
  KeepPlausibleRows(name, empty, table, result);
  if (table.rows.empty()) return;
  if (table.columns[0].column.name != "size") {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const auto& [column, primary] = table.columns[i];
      result.measurements.push_back(
          {column.name, table.rows[0][i], column.unit, column.better, primary, dimensions});
    }
    return;
  }
  AddHeadlines(table, dimensions, empty, result);
  Series series{name, dimensions, {}, table.rows};
  for (const TableColumn& each : table.columns) series.columns.push_back(each.column);
  result.series.push_back(std::move(series));
}

void AddTo(const Measurements& numbers, v1::BenchmarkResult& result) {
  result.set_tool(Clean(numbers.tool));
  for (const auto& one : numbers.measurements) Set(one, *result.add_measurements());
  for (const auto& series : numbers.series) Set(series, *result.add_series());
  for (const auto& note : numbers.notes) result.add_left_out(Clean(note));
  for (const auto& failure : numbers.failures) {
    v1::PartFailure& part = *result.add_failures();
    part.set_stage(Clean(failure.stage));
    part.set_reason(Clean(failure.reason));
  }
}

}  // namespace twofold::suite
