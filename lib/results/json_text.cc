#include "lib/results/json_text.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace twofold::results {
namespace {

using Json = nlohmann::ordered_json;

// Programs have arguments that are no UTF-8; nothing else comes here that is not.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Append(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

}  // namespace

Better BetterOf(const std::string& word) {
  for (const Better better : {Better::kHigher, Better::kLower}) {
    if (word == Word(better)) return better;
  }
  return Better::kNone;
}

std::string ToJson(const Dimensions& dimensions) {
  Json json = Json::object();
  for (const auto& [name, value] : dimensions) json[name] = value;
  return Dump(json);
}

Dimensions DimensionsOf(const std::string& json) {
  Dimensions dimensions;
  const Json object = Json::parse(json);
  for (const auto& [name, value] : object.items()) {
    dimensions.emplace_back(name, value.get<std::string>());
  }
  return dimensions;
}

Dimensions PlaceOf(const SQLite::Column& column) {
  if (column.getBytes() == 0) return {};
  return FromColumn(column, DimensionsOf);
}

std::string ToJson(const std::vector<SeriesColumn>& columns) {
  Json json = Json::array();
  for (const SeriesColumn& column : columns) {
    json.push_back({{"name", column.name}, {"unit", column.unit}, {"better", Word(column.better)}});
  }
  return Dump(json);
}

std::vector<SeriesColumn> ColumnsOf(const std::string& json) {
  std::vector<SeriesColumn> columns;
  const Json list = Json::parse(json);
  for (const Json& column : list) {
    columns.push_back({column.at("name").get<std::string>(), column.at("unit").get<std::string>(),
                       BetterOf(column.at("better").get<std::string>())});
  }
  return columns;
}

std::string ToJson(const std::vector<std::string>& words) { return Dump(Json(words)); }

std::vector<std::string> WordsOf(const std::string& json) {
  return Json::parse(json).get<std::vector<std::string>>();
}

std::string PointsJson(const std::vector<double>& values, std::size_t columns) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool first = i % columns == 0;
    if (first) text += i == 0 ? "[" : "],[";
    if (!first) text += ',';
    Append(text, values[i]);
  }
  return text + (values.empty() ? "]" : "]]");
}

std::vector<double> PointsOf(const std::string& json) {
  std::vector<double> values;
  const Json rows = Json::parse(json);
  for (const Json& row : rows) {
    for (const Json& value : row) values.push_back(value.get<double>());
  }
  return values;
}

}  // namespace twofold::results
