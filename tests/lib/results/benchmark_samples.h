#pragma once

#include <string>

#include "tests/lib/results/samples.h"

namespace twofold::results {

inline Metric Throughput(const std::string& direction = "forward") {
  return {.name = "throughput",
          .unit = "Gbit/s",
          .better = Better::kHigher,
          .headline = true,
          .dimensions = {{"direction", direction}, {"a", "after it in the list"}}};
}

/// The best of many sizes, of which it was this one.
inline Measurement Peak(double value, const std::string& size) {
  return {.metric = {.name = "peak_bandwidth",
                     .unit = "MB/s",
                     .better = Better::kHigher,
                     .headline = true,
                     .dimensions = {{"test", "osu_bw"}}},
          .value = value,
          .at = {{"size", size}}};
}

/// One with something in every field.
inline Benchmark FullBenchmark(double throughput = 9.25) {
  Benchmark full{.suite = "iperf", .tool = "iperf 3.12"};
  full.measurements = {{Throughput(), throughput},
                       {{.name = "retransmits", .better = Better::kLower}, 17},
                       {{.name = "cpu", .unit = "%"}, 0.1 + 0.2, {{"side", "client"}}}};
  full.series = {
      {.name = "throughput_over_time",
       .dimensions = {{"stream", "1"}},
       .columns = {{"time", "s", Better::kNone}, {"throughput", "Gbit/s", Better::kHigher}},
       .values = {1, 9.5, 2, 1e-300, 3, -0.0}},
      {.name = "empty", .columns = {{.name = "size", .unit = "B"}}},
      {.name = "bare"}};
  full.failures = {{"osu_bw", "no such file\nor directory"}};
  const Artifact out{.name = "stdout",
                     .zstd = std::string("\0zstd\xff", 6),
                     .bytes = 1'000'000,
                     .left_out = 900'000};
  full.ranks = {{.host = {"node-1", "pod-1", "10.0.0.1", "6.1.0-28-amd64", "Xeon", 8, "iperf:3"},
                 .stages = {{.name = "server",
                             .argv = {"iperf3", "-s", "-p", "5201", "\"quoted\""},
                             .tool_version = "3.12",
                             .started_ns = 5,
                             .wall_ns = 7'000'000'000,
                             .exit_code = -1,
                             .signal = 15,
                             .error = "was stopped",
                             .artifacts = {out, {.name = "stderr"}}}}},
                {.host = {.node = "node-2"},
                 .stages = {{.name = "client", .artifacts = {{}, {}, {.name = "/tmp/a file"}}},
                            {.name = "again"}}},
                {}};
  full.timeline = {1, 2, 3, 4, 5};
  full.failed_stage = "client";
  full.left_out = {"measurements: 12"};
  return full;
}

inline JobEnded EndedWith(JobId job, Benchmark benchmark,
                          queue::Outcome outcome = queue::Outcome::kSucceeded) {
  JobEnded ended = Ended(job, 1'760'000'002'000'000'000, outcome);
  ended.benchmark = SharedBenchmark(std::move(benchmark));
  return ended;
}

/// Job `id` of run "sweep", which varies streams: permutation p has p of them.
inline JobAccepted Placed(JobId id, std::uint64_t permutation, std::uint32_t repetition,
                          bool warm_up = false) {
  JobAccepted job = Accepted(id, "sweep");
  job.place = {.number = id,
               .permutation = permutation,
               .repetition = repetition,
               .warm_up = warm_up,
               .name = "sweep-" + std::to_string(id)};
  return job;
}

inline RunCreated SweepCreated(std::uint64_t permutations = 2) {
  RunCreated run{.id = "sweep",
                 .name = "streams",
                 .kind = "IPerf",
                 .definition = "kind: BenchmarkSet\n",
                 .labels = R"({"team":"net"})",
                 .jobs = 6,
                 .created_unix_ns = 1'760'000'000'000'000'000,
                 .plan = R"({"queue":"net"})",
                 .permutations = {}};
  for (std::uint64_t p = 1; p <= permutations; ++p) {
    run.permutations.push_back({p, R"({"streams":)" + std::to_string(p) + "}"});
  }
  return run;
}

}  // namespace twofold::results
