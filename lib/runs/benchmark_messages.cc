#include "lib/runs/benchmark_messages.h"

#include <algorithm>

namespace twofold::runs {
namespace {

// The first two artifacts of a stage in the store are its stdout and stderr, even if they are not
// there; then come its files.
constexpr std::size_t kOut = 0;
constexpr std::size_t kErr = 1;
constexpr std::size_t kFirstFile = 2;

results::Better ValueOf(v1::Better better) {
  if (better == v1::BETTER_HIGHER) return results::Better::kHigher;
  return better == v1::BETTER_LOWER ? results::Better::kLower : results::Better::kNone;
}

results::Dimensions ValueOf(const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions) {
  results::Dimensions result;
  result.reserve(static_cast<std::size_t>(dimensions.size()));
  for (const v1::Dimension& each : dimensions) result.emplace_back(each.name(), each.value());
  return result;
}

results::Series ValueOf(const v1::Series& message) {
  results::Series series{.name = message.name(),
                         .dimensions = ValueOf(message.dimensions()),
                         .columns = {},
                         .values = {message.values().begin(), message.values().end()}};
  for (const v1::Column& column : message.columns()) {
    series.columns.push_back({column.name(), column.unit(), ValueOf(column.better())});
  }
  return series;
}

v1::Series MessageOf(const results::Series& series) {
  v1::Series message;
  message.set_name(series.name);
  Fill(*message.mutable_dimensions(), series.dimensions);
  for (const results::SeriesColumn& column : series.columns) {
    v1::Column& added = *message.add_columns();
    added.set_name(column.name);
    added.set_unit(column.unit);
    added.set_better(ToProto(column.better));
  }
  message.mutable_values()->Add(series.values.begin(), series.values.end());
  return message;
}

results::Artifact ValueOf(const v1::Artifact& message) {
  return {message.name(), message.zstd(), message.bytes(), message.left_out()};
}

v1::Artifact MessageOf(const results::Artifact& artifact) {
  v1::Artifact message = DescriptionOf(artifact);
  message.set_zstd(artifact.zstd);
  return message;
}

results::Stage ValueOf(const v1::StageRecord& message) {
  results::Stage stage{.name = message.name(),
                       .argv = {message.argv().begin(), message.argv().end()},
                       .tool_version = message.tool_version(),
                       .started_ns = message.started_ns(),
                       .wall_ns = message.wall_ns(),
                       .exit_code = message.exit_code(),
                       .signal = message.signal(),
                       .error = message.error(),
                       .artifacts = {}};
  if (!message.has_out() && !message.has_err() && message.files().empty()) return stage;
  stage.artifacts = {ValueOf(message.out()), ValueOf(message.err())};
  for (const v1::Artifact& file : message.files()) stage.artifacts.push_back(ValueOf(file));
  return stage;
}

v1::StageRecord MessageOf(const results::Stage& stage) {
  v1::StageRecord message;
  message.set_name(stage.name);
  message.mutable_argv()->Add(stage.argv.begin(), stage.argv.end());
  message.set_tool_version(stage.tool_version);
  message.set_started_ns(stage.started_ns);
  message.set_wall_ns(stage.wall_ns);
  message.set_exit_code(stage.exit_code);
  message.set_signal(stage.signal);
  message.set_error(stage.error);
  const auto& artifacts = stage.artifacts;
  const auto is_there = [&](std::size_t i) {
    return i < artifacts.size() && artifacts[i] != results::Artifact{};
  };
  if (is_there(kOut)) *message.mutable_out() = MessageOf(artifacts[kOut]);
  if (is_there(kErr)) *message.mutable_err() = MessageOf(artifacts[kErr]);
  for (std::size_t i = kFirstFile; i < artifacts.size(); ++i) {
    *message.add_files() = MessageOf(artifacts[i]);
  }
  return message;
}

results::Rank ValueOf(const v1::RankRecord& message) {
  results::Rank rank{.host = {.node = message.node(),
                              .pod = message.pod(),
                              .address = message.address(),
                              .kernel = message.kernel(),
                              .cpu = message.cpu(),
                              .cpus = message.cpus(),
                              .image = message.image()},
                     .stages = {}};
  for (const v1::StageRecord& stage : message.stages()) rank.stages.push_back(ValueOf(stage));
  return rank;
}

v1::RankRecord MessageOf(const results::Rank& rank) {
  v1::RankRecord message;
  message.set_node(rank.host.node);
  message.set_pod(rank.host.pod);
  message.set_address(rank.host.address);
  message.set_kernel(rank.host.kernel);
  message.set_cpu(rank.host.cpu);
  message.set_cpus(rank.host.cpus);
  message.set_image(rank.host.image);
  for (const results::Stage& stage : rank.stages) *message.add_stages() = MessageOf(stage);
  return message;
}

}  // namespace

void Fill(google::protobuf::RepeatedPtrField<v1::Dimension>& messages,
          const results::Dimensions& dimensions) {
  for (const auto& [name, value] : dimensions) {
    v1::Dimension& message = *messages.Add();
    message.set_name(name);
    message.set_value(value);
  }
}

v1::Better ToProto(results::Better better) {
  if (better == results::Better::kHigher) return v1::BETTER_HIGHER;
  return better == results::Better::kLower ? v1::BETTER_LOWER : v1::BETTER_NONE;
}

v1::Artifact DescriptionOf(const results::Artifact& artifact) {
  v1::Artifact message;
  message.set_name(artifact.name);
  message.set_bytes(artifact.bytes);
  message.set_left_out(artifact.left_out);
  return message;
}

results::Measurement FromProto(const v1::Measurement& message) {
  return {.metric = {.name = message.name(),
                     .unit = message.unit(),
                     .better = ValueOf(message.better()),
                     .headline = message.headline(),
                     .dimensions = ValueOf(message.dimensions())},
          .value = message.value(),
          .at = ValueOf(message.at())};
}

v1::Measurement ToProto(const results::Measurement& measurement) {
  v1::Measurement message;
  message.set_name(measurement.metric.name);
  message.set_value(measurement.value);
  message.set_unit(measurement.metric.unit);
  message.set_better(ToProto(measurement.metric.better));
  message.set_headline(measurement.metric.headline);
  Fill(*message.mutable_dimensions(), measurement.metric.dimensions);
  Fill(*message.mutable_at(), measurement.at);
  return message;
}

results::Benchmark FromProto(const v1::BenchmarkResult& result) {
  results::Benchmark benchmark{.suite = result.suite(),
                               .tool = result.tool(),
                               .failed_stage = result.failed_stage(),
                               .left_out = {result.left_out().begin(), result.left_out().end()}};
  const v1::Timeline& timeline = result.timeline();
  benchmark.timeline = {timeline.prepared_ns(), timeline.started_ns(), timeline.ended_ns(),
                        timeline.collected_ns(), timeline.parsed_ns()};
  for (const v1::Measurement& each : result.measurements()) {
    benchmark.measurements.push_back(FromProto(each));
  }
  for (const v1::Series& each : result.series()) benchmark.series.push_back(ValueOf(each));
  for (const v1::PartFailure& each : result.failures()) {
    benchmark.failures.push_back({each.stage(), each.reason()});
  }
  for (const v1::RankRecord& each : result.ranks()) benchmark.ranks.push_back(ValueOf(each));
  return benchmark;
}

v1::BenchmarkResult ToProto(const results::Benchmark& benchmark) {
  v1::BenchmarkResult message;
  message.set_suite(benchmark.suite);
  message.set_tool(benchmark.tool);
  message.set_failed_stage(benchmark.failed_stage);
  message.mutable_left_out()->Add(benchmark.left_out.begin(), benchmark.left_out.end());
  if (benchmark.timeline != results::Timeline{}) {
    v1::Timeline& timeline = *message.mutable_timeline();
    timeline.set_prepared_ns(benchmark.timeline.prepared_ns);
    timeline.set_started_ns(benchmark.timeline.started_ns);
    timeline.set_ended_ns(benchmark.timeline.ended_ns);
    timeline.set_collected_ns(benchmark.timeline.collected_ns);
    timeline.set_parsed_ns(benchmark.timeline.parsed_ns);
  }
  for (const results::Measurement& each : benchmark.measurements) {
    *message.add_measurements() = ToProto(each);
  }
  for (const results::Series& each : benchmark.series) *message.add_series() = MessageOf(each);
  for (const results::PartFailure& each : benchmark.failures) {
    v1::PartFailure& failure = *message.add_failures();
    failure.set_stage(each.stage);
    failure.set_reason(each.reason);
  }
  for (const results::Rank& each : benchmark.ranks) *message.add_ranks() = MessageOf(each);
  return message;
}

}  // namespace twofold::runs
