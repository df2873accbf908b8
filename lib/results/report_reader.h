#pragma once

#include <atomic>
#include <cstdint>

#include "lib/results/records.h"

namespace twofold::results {

/// Takes results of benchmarks out of the reports of ended jobs, so that the store keeps them in
/// tables instead.
///
/// What a report's data is it says itself: a BenchmarkResult names its suite. Data that is not read
/// as one is another workload's, and stays in the report unread. So does a result that may not be
/// stored (Check), with the reason beside it.
///
/// Threads  Safe.
class ReportReader {
 public:
  /// No-op for records that are not the end of a job with data in its report.
  void Read(Record& record);

  /// Reports whose data went into tables, was left as it is, was a benchmark's and refused.
  std::uint64_t taken() const { return taken_; }
  std::uint64_t other() const { return other_; }
  std::uint64_t refused() const { return refused_; }

 private:
  void Read(JobEnded& ended);

  std::atomic<std::uint64_t> taken_ = 0;
  std::atomic<std::uint64_t> other_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
};

}  // namespace twofold::results
