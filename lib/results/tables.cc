#include "lib/results/tables.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "twofold/v1/queue.pb.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {
namespace {

// ---- Parts of a key: numbers have one size, and the size of all else stands before it.

void Append(std::string& key, std::int64_t number) {
  const auto bytes = std::bit_cast<std::array<char, sizeof number>>(number);
  key.append(bytes.data(), bytes.size());
}

void Append(std::string& key, const std::string& text) {
  Append(key, static_cast<std::int64_t>(text.size()));
  key += text;
}

void Append(std::string& key, const v1::Dimension& dimension) {
  Append(key, dimension.name());
  Append(key, dimension.value());
}

void Append(std::string& key, const v1::Column& column) {
  Append(key, column.name());
  Append(key, column.unit());
  Append(key, std::int64_t{column.better()});
}

template <typename Message>
void Append(std::string& key, const google::protobuf::RepeatedPtrField<Message>& list) {
  Append(key, std::int64_t{list.size()});
  for (const Message& each : list) Append(key, each);
}

template <typename... Values>
std::string Joined(const Values&... values) {
  std::string key;
  key.reserve(256);
  (Append(key, values), ...);
  return key;
}

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

std::string KeyOf(const v1::Measurement& metric) {
  return Joined(metric.name(), metric.unit(), std::int64_t{metric.better()},
                std::int64_t{metric.headline()}, metric.dimensions());
}

std::string KeyOf(const v1::Series& shape) {
  return Joined(shape.name(), shape.dimensions(), shape.columns());
}

std::string KeyOf(const v1::RankRecord& host) {
  return Joined(host.node(), host.pod(), host.address(), host.kernel(), host.cpu(),
                std::int64_t{host.cpus()}, host.image());
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
