#pragma once

#include <string>
#include <vector>

#include "tests/lib/results/samples.h"

namespace twofold::results {

inline void Add(google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions,
                const std::string& name, const std::string& value) {
  v1::Dimension& added = *dimensions.Add();
  added.set_name(name);
  added.set_value(value);
}

inline v1::Measurement Number(const std::string& name, double value, const std::string& unit = "",
                              v1::Better better = v1::BETTER_NONE) {
  v1::Measurement one;
  one.set_name(name);
  one.set_value(value);
  one.set_unit(unit);
  one.set_better(better);
  return one;
}

inline v1::Measurement Throughput(double value, const std::string& direction = "forward") {
  v1::Measurement one = Number("throughput", value, "Gbit/s", v1::BETTER_HIGHER);
  one.set_headline(true);
  Add(*one.mutable_dimensions(), "direction", direction);
  Add(*one.mutable_dimensions(), "a", "after it in the list");
  return one;
}

/// The best of many sizes, of which it was this one.
inline v1::Measurement Peak(double value, const std::string& size) {
  v1::Measurement one = Number("peak_bandwidth", value, "MB/s", v1::BETTER_HIGHER);
  one.set_headline(true);
  Add(*one.mutable_dimensions(), "test", "osu_bw");
  Add(*one.mutable_at(), "size", size);
  return one;
}

inline v1::BenchmarkResult ResultOf(const std::string& suite,
                                    const std::vector<v1::Measurement>& measurements = {}) {
  v1::BenchmarkResult result;
  result.set_suite(suite);
  for (const v1::Measurement& one : measurements) *result.add_measurements() = one;
  return result;
}

inline void AddColumn(v1::Series& series, const std::string& name, const std::string& unit = "",
                      v1::Better better = v1::BETTER_NONE) {
  v1::Column& column = *series.add_columns();
  column.set_name(name);
  column.set_unit(unit);
  column.set_better(better);
}

inline void AddSeries(v1::BenchmarkResult& result) {
  v1::Series& full = *result.add_series();
  full.set_name("throughput_over_time");
  Add(*full.mutable_dimensions(), "stream", "1");
  AddColumn(full, "time", "s");
  AddColumn(full, "throughput", "Gbit/s", v1::BETTER_HIGHER);
  for (const double value : {1.0, 9.5, 2.0, 1e-300, 3.0, -0.0}) full.add_values(value);
  v1::Series& empty = *result.add_series();
  empty.set_name("empty");
  AddColumn(empty, "size", "B");
  result.add_series()->set_name("bare");
}

inline void AddRanks(v1::BenchmarkResult& result) {
  v1::RankRecord& first = *result.add_ranks();
  first.set_node("node-1");
  first.set_pod("pod-1");
  first.set_address("10.0.0.1");
  first.set_kernel("6.1.0-28-amd64");
  first.set_cpu("Xeon");
  first.set_cpus(8);
  first.set_image("iperf:3");
  v1::StageRecord& server = *first.add_stages();
  server.set_name("server");
  for (const char* word : {"iperf3", "-s", "-p", "5201", "\"quoted\""}) server.add_argv(word);
  server.set_tool_version("3.12");
  server.set_started_ns(5);
  server.set_wall_ns(7'000'000'000);
  server.set_exit_code(-1);
  server.set_signal(15);
  server.set_error("was stopped");
  server.mutable_out()->set_name("stdout");
  server.mutable_out()->set_zstd(std::string("\0zstd\xff", 6));
  server.mutable_out()->set_bytes(1'000'000);
  server.mutable_out()->set_left_out(900'000);
  server.mutable_err()->set_name("stderr");
  v1::RankRecord& second = *result.add_ranks();
  second.set_node("node-2");
  v1::StageRecord& client = *second.add_stages();
  client.set_name("client");
  client.add_files()->set_name("/tmp/a file");
  second.add_stages()->set_name("again");
  result.add_ranks();
}

/// One with something in every field.
inline v1::BenchmarkResult FullResult(double throughput = 9.25) {
  v1::Measurement cpu = Number("cpu", 0.1 + 0.2, "%");
  Add(*cpu.mutable_at(), "side", "client");
  v1::BenchmarkResult full = ResultOf(
      "iperf", {Throughput(throughput), Number("retransmits", 17, "", v1::BETTER_LOWER), cpu});
  full.set_tool("iperf 3.12");
  AddSeries(full);
  v1::PartFailure& failure = *full.add_failures();
  failure.set_stage("osu_bw");
  failure.set_reason("no such file\nor directory");
  AddRanks(full);
  full.mutable_timeline()->set_prepared_ns(1);
  full.mutable_timeline()->set_started_ns(2);
  full.mutable_timeline()->set_ended_ns(3);
  full.mutable_timeline()->set_collected_ns(4);
  full.mutable_timeline()->set_parsed_ns(5);
  full.set_failed_stage("client");
  full.add_left_out("measurements: 12");
  return full;
}

/// One job a second: none overlaps with another.
inline JobEnded EndedWith(JobId job, v1::BenchmarkResult result,
                          queue::Outcome outcome = queue::Outcome::kSucceeded) {
  const auto second = static_cast<std::int64_t>(job % 1000);
  JobEnded ended = Ended(job, 1'760'000'002'000'000'000 + second * 1'000'000'000, outcome);
  ended.benchmark = SharedBenchmark(std::move(result));
  return ended;
}

/// Job `id` of run "sweep", which varies streams: permutation p has p of them.
inline JobAccepted Placed(JobId id, std::uint64_t permutation, std::uint32_t repetition,
                          bool warm_up = false) {
  JobAccepted job = Accepted(id, "sweep");
  job.place.set_number(id);
  job.place.set_permutation(permutation);
  job.place.set_repetition(repetition);
  job.place.set_warm_up(warm_up);
  job.place.set_name("sweep-" + std::to_string(id));
  return job;
}

inline RunCreated SweepCreated(std::uint64_t permutations = 2) {
  RunCreated created;
  v1::Run& run = created.run;
  run.set_id("sweep");
  run.set_name("streams");
  run.set_kind("IPerf");
  run.set_definition("kind: BenchmarkSet\n");
  (*run.mutable_labels())["team"] = "net";
  run.set_jobs(6);
  run.set_created_unix_ns(1'760'000'000'000'000'000);
  run.set_plan(R"({"queue":"net"})");
  for (std::uint64_t p = 1; p <= permutations; ++p) {
    v1::Permutation& added = created.permutations.emplace_back();
    added.set_number(p);
    added.set_varied(R"({"streams":)" + std::to_string(p) + "}");
  }
  return created;
}

/// After all jobs of the samples were accepted.
inline constexpr std::int64_t kCancelledUnixNs = 1'760'000'003'000'000'000;

}  // namespace twofold::results
