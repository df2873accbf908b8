#include "lib/results/tables.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "twofold/v1/queue.pb.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {
namespace {

void AppendNumber(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

}  // namespace

const Tables& AllTables() {
  static const Tables tables = {
      .benchmark = {*v1::BenchmarkResult::descriptor(),
                    "suite tool failed_stage left_out timeline.prepared_ns timeline.started_ns"
                    " timeline.ended_ns timeline.collected_ns timeline.parsed_ns"},
      .measured = {*v1::Measurement::descriptor(), "value at?"},
      .metric = {*v1::Measurement::descriptor(), "name unit better headline dimensions"},
      .shape = {*v1::Series::descriptor(), "name dimensions columns"},
      .part_failure = {*v1::PartFailure::descriptor(), "stage reason"},
      .host = {*v1::RankRecord::descriptor(), "node pod address kernel cpu cpus image"},
      .stage = {*v1::StageRecord::descriptor(),
                "name argv tool_version started_ns wall_ns exit_code signal error"},
      .artifact = {*v1::Artifact::descriptor(), "name bytes left_out zstd"},
      .run = {*v1::Run::descriptor(), "name kind definition labels jobs created_unix_ns plan"},
      .permutation = {*v1::Permutation::descriptor(), "number varied"},
      .place = {*v1::RunPlace::descriptor(), "permutation number repetition warm_up name"},
  };
  return tables;
}

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
  throw SQLite::Exception(error.what(), SQLITE_CORRUPT);
}

}  // namespace twofold::results
