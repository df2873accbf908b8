#include "lib/results/tables.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

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

std::vector<double> PointsIn(const std::string& json) try {
  std::vector<double> values;
  for (const auto& row : nlohmann::json::parse(json)) {
    for (const auto& value : row) values.push_back(value.get<double>());
  }
  return values;
} catch (const nlohmann::json::exception& error) {
  throw Damaged(error.what());
}

}  // namespace twofold::results
