#include "lib/suite/measurements.h"

#include <algorithm>
#include <cmath>

#include "lib/common/printable.h"

namespace twofold::suite {
namespace {

bool IsSound(const Series& series) {
  return std::all_of(series.rows.begin(), series.rows.end(), [&](const auto& row) {
    return row.size() == series.columns.size() &&
           std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
  });
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

bool IsSound(const Measurements& result) {
  const auto finite = [](const Measurement& one) { return std::isfinite(one.value); };
  return std::all_of(result.measurements.begin(), result.measurements.end(), finite) &&
         std::all_of(result.series.begin(), result.series.end(),
                     [](const Series& series) { return IsSound(series); });
}

const char* Word(Better better) {
  switch (better) {
    case Better::kHigher:
      return "higher";
    case Better::kLower:
      return "lower";
    case Better::kNone:
      break;
  }
  return "none";
}

void AddTo(const Measurements& numbers, v1::BenchmarkResult& result) {
  result.set_tool(Clean(numbers.tool));
  for (const auto& one : numbers.measurements) Set(one, *result.add_measurements());
  for (const auto& series : numbers.series) Set(series, *result.add_series());
  for (const auto& failure : numbers.failures) {
    v1::PartFailure& part = *result.add_failures();
    part.set_stage(Clean(failure.stage));
    part.set_reason(Clean(failure.reason));
  }
}

}  // namespace twofold::suite
