#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/sources/sources.h"
#include "lib/stats/histogram.h"

/// Records as measurements make them, from plain formulas.
namespace twofold::report {

inline void Fill(const stats::Histogram& histogram, v1::Histogram& to) {
  const stats::Histogram::Parts parts = histogram.ToParts();
  for (const auto& each : parts.counts) {
    to.add_bucket(each.lowest);
    to.add_count(each.count);
  }
  to.set_sum(parts.sum);
  to.set_min(parts.min);
  to.set_max(parts.max);
}

inline void Fill(const stats::Histogram& histogram, v1::LoadTime& to) {
  const auto seconds = [](std::optional<Duration> time) { return ToSeconds(*time); };
  to.set_count(histogram.Count());
  to.set_mean(seconds(histogram.Mean()));
  to.set_min(seconds(histogram.Min()));
  to.set_p50(seconds(histogram.Quantile(0.5)));
  to.set_p90(seconds(histogram.Quantile(0.9)));
  to.set_p99(seconds(histogram.Quantile(0.99)));
  to.set_p99_9(seconds(histogram.Quantile(0.999)));
  to.set_max(seconds(histogram.Max()));
  Fill(histogram, *to.mutable_histogram());
}

/// Waves of jobs of 0.1 s on `workers` workers, of which the last one takes three times as long, in
/// `slices` seconds; a slice has its own histogram, and each `job_every`-th job is in the timeline.
inline v1::LoadRecord SomeLoad(int workers, int slices, int job_every) {
  v1::LoadRecord record;
  record.set_queue("sleep");
  record.mutable_origin()->set_program("twofold 0.1.0 (5f3c2ab, g++ 12.2.0)");
  for (const char* word : {"twofold", "load", "--queue", "sleep", "--", "0.1 s"}) {
    record.mutable_origin()->add_argv(word);
  }
  record.mutable_origin()->set_cpu("A CPU");
  record.set_profile("stages:\n  - parallel: 8\n");
  record.set_seconds(slices);
  record.set_warm_up_seconds(1);
  record.set_warm_up_rule("two lives of a job");
  record.set_slice_seconds(1);
  stats::Histogram all;
  for (int w = 0; w < workers; ++w) {
    auto& place = *record.add_places();
    place.set_node(w % 2 == 0 ? "node-a" : "node-b");
    place.set_pod("pod-" + std::to_string(w));
    place.set_device("gpu" + std::to_string(w / 2));
    place.set_succeeded(static_cast<std::uint64_t>(slices) * 10);
    place.set_mean_run(w + 1 == workers ? 0.3 : 0.1);
  }
  int number = 0;
  for (int s = 0; s < slices; ++s) {
    stats::Histogram some;
    for (int w = 0; w < workers; ++w) {
      const double run = w + 1 == workers ? 0.3 : 0.1;
      for (double at = s; at < s + 0.99; at += run) {
        const double latency = run * (1.0 + 0.2 * std::sin(number * 0.7) + 0.2);
        some.Record(std::chrono::nanoseconds(static_cast<std::int64_t>(latency * 1e9)));
        if (number++ % job_every != 0) continue;
        auto& job = *record.add_jobs();
        job.set_place(static_cast<std::uint32_t>(w));
        job.set_started(at);
        job.set_run(run);
        job.set_failed(number % 97 == 0);
      }
    }
    auto& slice = *record.add_slices();
    slice.set_sent(static_cast<double>(some.Count()));
    slice.set_succeeded(static_cast<double>(some.Count()));
    slice.set_parallel(workers);
    slice.set_outstanding(workers);
    Fill(some, *slice.mutable_from_plan());
    all.Merge(some);
  }
  auto& result = *record.mutable_result();
  result.set_succeeded(all.Count());
  result.set_failed(2);
  result.set_throughput(static_cast<double>(all.Count()) / slices);
  result.set_lower(result.throughput() * 0.99);
  result.set_upper(result.throughput() * 1.01);
  result.set_steady(true);
  for (auto* time : {result.mutable_from_plan(), result.mutable_run()}) Fill(all, *time);
  auto& limit = *record.add_limits();
  limit.set_text("p99>200ms");
  limit.set_value(0.391);
  limit.set_unit("s");
  auto& spoil = *record.add_spoiled();
  spoil.set_from(slices * 0.5);
  spoil.set_to(slices * 0.6);
  spoil.set_reason("the generator sent 4.2 % of the jobs more than 10 ms late");
  record.set_verdict("fail");
  return record;
}

/// A sweep over block sizes and two engines, with `repetitions` jobs of each permutation; bandwidth
/// grows with the size, and is `factor` times that of another such run.
inline RunResults SomeRun(const std::string& id, int sizes, int repetitions, double factor = 1.0) {
  RunResults results;
  results.run.set_id(id);
  results.run.set_kind("FIO");
  results.run.set_definition("kind: FIO\nspec:\n  blockSize: 4k\n");
  results.run.set_created_unix_ns(1'769'860'800'000'000'000);
  (*results.run.mutable_counts()->mutable_ended())["succeeded"] =
      static_cast<std::uint64_t>(2 * sizes * repetitions);
  results.origin.set_tool("fio-3.33");
  auto& rank = *results.origin.add_ranks();
  rank.set_node("node-a");
  rank.set_kernel("6.1.0-28-amd64");
  rank.set_cpu("A CPU");
  rank.set_cpus(8);
  auto& stage = *rank.add_stages();
  stage.set_name("fio");
  for (const char* word : {"fio", "--output-format=json", "a job.fio"}) stage.add_argv(word);
  std::uint64_t job = 0;
  for (int i = 0; i < 2 * sizes; ++i) {
    auto& each = results.permutations.emplace_back();
    const int size = 4096 << (i / 2 % 20);
    each.set_number(static_cast<std::uint64_t>(i) + 1);
    each.set_varied("{\"blockSize\":" + std::to_string(size) + ",\"engine\":\"" +
                    (i % 2 == 0 ? "psync" : "libaio") + "\"}");
    each.set_succeeded(static_cast<std::uint64_t>(repetitions));
    auto& metric = *each.add_headlines();
    metric.set_name("bandwidth");
    metric.set_unit("MB/s");
    metric.set_better(v1::BETTER_HIGHER);
    metric.set_n(static_cast<std::uint64_t>(repetitions));
    const double mean = factor * (i % 2 + 1) * std::sqrt(size);
    metric.set_mean(mean);
    metric.set_median(mean);
    metric.set_least(mean * 0.95);
    metric.set_most(mean * 1.05);
    metric.set_sd(repetitions > 1 ? mean * 0.03 : 0.0);
    metric.set_cv(repetitions > 1 ? 0.03 : 0.0);
    metric.set_half_width(repetitions > 1 ? mean * 0.04 : 0.0);
    for (int r = 0; r < repetitions; ++r) {
      auto& one = *each.add_jobs();
      one.set_id(++job);
      one.set_state(v1::JOB_STATE_FINISHED);
      one.set_outcome(v1::OUTCOME_SUCCEEDED);
      one.set_run_ns(1'000'000'000 + job % 100 * 10'000'000);
      auto& number = *one.add_measurements();
      number.set_name("bandwidth");
      number.set_unit("MB/s");
      number.set_headline(true);
      number.set_value(mean * (0.95 + 0.1 * (r % 10) / 9.0));
    }
  }
  return results;
}

inline v1::SeriesResult& AddCurve(const std::string& name, const std::string& by,
                                  const std::string& by_unit, v1::PermutationResult& to) {
  v1::SeriesResult& curve = *to.add_series();
  curve.set_name(name);
  curve.mutable_by()->set_name(by);
  curve.mutable_by()->set_unit(by_unit);
  curve.mutable_value()->set_name("latency");
  curve.mutable_value()->set_unit("us");
  curve.mutable_value()->set_better(v1::BETTER_LOWER);
  return curve;
}

inline void AddPoint(double at, double mean, std::uint64_t n, v1::SeriesResult& to) {
  v1::SeriesPoint& point = *to.add_points();
  point.set_at(at);
  point.set_n(n);
  point.set_mean(mean);
  point.set_half_width(n > 1 ? mean * 0.02 : 0.0);
  point.set_least(mean * 0.97);
  point.set_most(mean * 1.03);
}

/// Gives each permutation `curves` series: latency by message size, of no bytes to 4 MiB.
inline RunResults WithCurves(RunResults results, int curves, double factor = 1.0) {
  for (v1::PermutationResult& each : results.permutations) {
    for (int i = 0; i < curves; ++i) {
      v1::SeriesResult& curve = AddCurve("test_" + std::to_string(i), "size", "B", each);
      const double slope = factor * 0.0004 * static_cast<double>(each.number() % 2 + 1);
      AddPoint(0, 1.8, each.succeeded(), curve);
      for (int size = 1; size <= 1 << 22; size *= 2) {
        AddPoint(size, 1.8 + slope * size, each.succeeded(), curve);
      }
    }
  }
  return results;
}

/// Puts its jobs on `workers` workers, each one behind the other, the last one half as fast.
inline RunResults WithPlaces(RunResults results, std::uint64_t workers) {
  std::vector<std::uint64_t> free(workers, 0);
  for (v1::PermutationResult& each : results.permutations) {
    for (v1::JobResult& job : *each.mutable_jobs()) {
      const std::uint64_t worker = job.id() % workers;
      job.set_node("node-" + std::to_string(worker % 3));
      job.set_pod("pod-" + std::to_string(worker));
      if (worker + 1 == workers) job.set_run_ns(2 * job.run_ns());
      job.set_started_unix_ns(1'769'860'800'000'000'000 + static_cast<std::int64_t>(free[worker]));
      free[worker] += job.run_ns() + 40'000'000;
    }
  }
  return results;
}

}  // namespace twofold::report
