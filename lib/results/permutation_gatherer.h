#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/results/metric_rows.h"
#include "lib/results/prepared.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {

/// Makes PermutationResults of rows that come permutation by permutation and job by job. Warm-ups
/// and jobs that were submitted again are in no number but their own.
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
  std::vector<v1::PermutationResult>& page() { return page_; }

 private:
  /// What the jobs so far have of one headline.
  struct Gathered {
    std::int64_t metric = 0;
    std::vector<double> values = {};
    /// Of the best of many: where it was found (as column `at` has it), and how often.
    std::vector<std::pair<std::string, std::uint64_t>> found_at = {};

    void AddPlace(const std::string& at);
    void AddTo(v1::PermutationResult& result, const v1::Measurement& metric_row);
  };
  /// Which job of its run a job is; jobs of no permutation are each their own.
  using JobOfRun = std::tuple<std::int64_t, int, std::int64_t>;

  void Count(const Prepared::Rows& row);
  Gathered& Of(std::int64_t metric);

  MetricRows& metrics_;
  std::vector<v1::PermutationResult> page_;
  std::vector<Gathered> gathered_;
  std::set<JobOfRun> withdrawn_;  // where no job has come since
  std::size_t rows_ = 0;
  std::int64_t last_job_ = 0;
};

}  // namespace twofold::results
