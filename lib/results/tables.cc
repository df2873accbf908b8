#include "lib/results/tables.h"

#include <array>
#include <bit>
#include <cstdint>

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

}  // namespace twofold::results
