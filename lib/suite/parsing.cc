#include "lib/suite/parsing.h"

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

}  // namespace

std::string StageName(const StageOutput& output, std::string_view otherwise) {
  return output.stage.empty() ? std::string(otherwise) : output.stage;
}

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool HasAny(std::string_view line, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return line.find(word) != std::string_view::npos;
  });
}

std::string_view LineWith(std::string_view text, std::span<const std::string_view> words) {
  for (const std::string_view line : Lines(text)) {
    if (HasAny(line, words)) return line;
  }
  return {};
}

std::vector<std::string_view> SplitAt(char separator, std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t end = line.find(separator); end != line.npos; end = line.find(separator)) {
    fields.push_back(line.substr(0, end));
    line.remove_prefix(end + 1);
  }
  fields.push_back(line);
  return fields;
}

void AddTable(const std::string& name, const SizeTable& table, const Dimensions& dimensions,
              Empty empty, Measurements& result) {
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

}  // namespace twofold::suite
