#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/results/benchmark.h"
#include "lib/results/metric_rows.h"
#include "lib/results/prepared.h"
#include "lib/results/records.h"
#include "lib/stats/summary.h"

namespace twofold::results {

/// One headline over the jobs of a permutation that succeeded.
struct HeadlineResult {
  Metric metric = {};
  stats::Summary summary = {};
  /// Of the best of many: where it was found, and how often. Most frequent first.
  std::vector<std::pair<Dimensions, std::uint64_t>> found_at = {};
};

/// What the jobs of one permutation come to. Warm-ups and jobs that were submitted again are in no
/// number but their own.
struct PermutationResults {
  Permutation permutation = {};
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t withdrawn = 0;  ///< also warm-ups
  std::uint64_t unfinished = 0;
  std::uint64_t warm_ups = 0;
  std::vector<HeadlineResult> headlines = {};  ///< in the order in which they were first seen
};

/// Makes PermutationResults of rows that come permutation by permutation and job by job.
///
/// Cost     Memory for the headlines of one permutation.
class PermutationGatherer {
 public:
  /// What a row has, in this order; a job has a row for each headline, or one without.
  static constexpr const char* kColumns =
      "permutation, place.job, repetition, outcome, warm_up, requeued_as, metric, value, at";

  explicit PermutationGatherer(MetricRows& metrics) : metrics_(metrics) {}

  void Add(const Prepared::Rows& row);

  /// The permutation that was added to is complete, and has varied these values.
  void Finish(const std::string& varied);

  /// Nothing was added since the last Finish.
  [[nodiscard]] bool is_empty() const { return rows_ == 0; }
  std::vector<PermutationResults>& page() { return page_; }

 private:
  /// What the jobs so far have of one headline.
  struct Gathered {
    std::int64_t metric = 0;
    std::vector<double> values = {};
    std::vector<std::pair<Dimensions, std::uint64_t>> found_at = {};

    void AddPlace(Dimensions place);
  };
  /// Which job of its run a job is; jobs of no permutation are each their own.
  using JobOfRun = std::tuple<std::int64_t, int, std::int64_t>;

  void Count(const Prepared::Rows& row);
  Gathered& Of(std::int64_t metric);

  MetricRows& metrics_;
  std::vector<PermutationResults> page_;
  std::vector<Gathered> gathered_;
  std::set<JobOfRun> withdrawn_;  // where no job has come since
  std::size_t rows_ = 0;
  std::int64_t last_job_ = 0;
};

}  // namespace twofold::results
