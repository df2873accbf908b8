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

void ReadPoints(const std::string& json, v1::Series& series) try {
  const auto rows = nlohmann::json::parse(json);
  for (const auto& row : rows) {
    for (const auto& value : row) series.add_values(value.get<double>());
  }
} catch (const nlohmann::json::exception& error) {
  throw Damaged(error.what());
}

}  // namespace twofold::results
