#include "lib/results/tables.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace twofold::results {
namespace {

void AppendNumber(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

}  // namespace

std::string PointsOf(const v1::Series& series) {
  std::string text = "[";
  for (int i = 0; i < series.values_size(); ++i) {
    const bool first = i % series.columns_size() == 0;
    if (first) text += i == 0 ? "[" : "],[";
    if (!first) text += ',';
    AppendNumber(text, series.values(i));
  }
  return text + (series.values().empty() ? "]" : "]]");
}

// By hand, as a parser of all JSON takes most of the time in which the series of a run are read.
std::vector<double> PointsIn(const std::string& json) {
  std::vector<double> values;
  std::string_view left = json;
  const auto skip = [&](std::string_view what) {
    const bool is_next = left.starts_with(what);
    if (is_next) left.remove_prefix(what.size());
    return is_next;
  };
  if (left == "[]") return values;
  for (bool more = skip("[["); more; more = skip(",") || skip("],[")) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), value);
    if (error != std::errc() || !std::isfinite(value)) break;
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
    values.push_back(value);
    if (left == "]]") return values;
  }
  throw Damaged("points of a series are no list of rows");
}

}  // namespace twofold::results
