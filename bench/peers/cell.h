#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "lib/common/result.h"

/// What is measured, and what came out: one line of runs.csv.
namespace twofold::bench {

enum class TestKind {
  kRoundTrips,  ///< closed loop: a fixed number of jobs outstanding, workers answer at once
  kOpenLoop,    ///< jobs at planned instants; workers answer each after a random time of its own
  kEnqueue,     ///< jobs without a worker: how fast, and how much memory each
  kIdle,        ///< workers without a job: how much memory each, and what they cost while idle
};

inline constexpr TestKind kTests[] = {TestKind::kRoundTrips, TestKind::kOpenLoop,
                                      TestKind::kEnqueue, TestKind::kIdle};

std::string_view ToString(TestKind test);
Result<TestKind> ParseTest(std::string_view text);

/// One combination to measure. Two runs with the same Cell may be compared and averaged.
struct Cell {
  std::string peer;
  TestKind test = TestKind::kRoundTrips;
  int connections = 1;     ///< of clients, and as many of workers
  int outstanding = 64;    ///< kRoundTrips: jobs in flight in all
  int payload = 100;       ///< bytes of a job, and of its result
  int take = 0;            ///< jobs that a worker asks for at a time; 0: it does not ask
  double rate = 0;         ///< kOpenLoop: jobs/s in all
  double run_seconds = 0;  ///< kOpenLoop: mean of the workers' exponential run times
  int count = 0;           ///< kEnqueue: jobs. kIdle: workers
  int slots = 1;           ///< kIdle: workers a connection

  friend bool operator==(const Cell&, const Cell&) = default;
};

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// What one run gave. NaN: this test does not measure it.
struct Figures {
  double jobs_per_s = kNotMeasured;
  double p50_us = kNotMeasured;  ///< round trip; in an open loop from the planned start
  double p99_us = kNotMeasured;
  double p999_us = kNotMeasured;
  double server_cpu = kNotMeasured;     ///< seconds a million jobs
  double generator_cpu = kNotMeasured;  ///< the same of clients and workers together
  double foreign_cpus = kNotMeasured;   ///< CPUs that other processes kept busy meanwhile
  double late_share = kNotMeasured;     ///< sends later than kLateSend after their planned instant
  double reply_jobs = kNotMeasured;     ///< results in a message to a client, where there are any
  double job_bytes = kNotMeasured;      ///< growth of the server's resident memory a job
  double worker_kib = kNotMeasured;     ///< the same an idle worker, in KiB
  double idle_cpu = kNotMeasured;       ///< share of a core that the idle server takes
};

struct Run {
  int pass = 1;
  Cell cell;
  Figures figures;
};

/// Calls visit(name, field) for each column of a run, in the order of the file. The one list of
/// columns: writing, reading and the table follow it.
template <typename AnyCell, typename Visit>
void VisitCell(AnyCell& cell, Visit&& visit) {
  visit("peer", cell.peer);
  visit("test", cell.test);
  visit("connections", cell.connections);
  visit("outstanding", cell.outstanding);
  visit("payload", cell.payload);
  visit("take", cell.take);
  visit("rate", cell.rate);
  visit("run_seconds", cell.run_seconds);
  visit("count", cell.count);
  visit("slots", cell.slots);
}

template <typename AnyFigures, typename Visit>
void VisitFigures(AnyFigures& figures, Visit&& visit) {
  visit("jobs_per_s", figures.jobs_per_s);
  visit("p50_us", figures.p50_us);
  visit("p99_us", figures.p99_us);
  visit("p999_us", figures.p999_us);
  visit("server_cpu", figures.server_cpu);
  visit("generator_cpu", figures.generator_cpu);
  visit("foreign_cpus", figures.foreign_cpus);
  visit("late_share", figures.late_share);
  visit("reply_jobs", figures.reply_jobs);
  visit("job_bytes", figures.job_bytes);
  visit("worker_kib", figures.worker_kib);
  visit("idle_cpu", figures.idle_cpu);
}

template <typename AnyRun, typename Visit>
void VisitRun(AnyRun& run, Visit&& visit) {
  visit("pass", run.pass);
  VisitCell(run.cell, visit);
  VisitFigures(run.figures, visit);
}

}  // namespace twofold::bench
