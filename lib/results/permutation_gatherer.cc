#include "lib/results/permutation_gatherer.h"

#include <algorithm>

#include "lib/queue/types.h"
#include "lib/stats/summary.h"

namespace twofold::results {
namespace {

enum ResultColumn : int {
  kOfPermutation,
  kJob,
  kRepetition,
  kOutcomeOf,
  kIsWarmUp,
  kRequeued,
  kMetric,
  kValue,
  kAt
};

// Sizes of messages are thirty or so; a hostile worker's places are not to become a list of
// millions.
constexpr std::size_t kMostPlaces = 100;
constexpr std::size_t kShownPlaces = 10;  // see MetricResult.at

}  // namespace

void PermutationGatherer::Add(const Prepared::Rows& row) {
  const std::int64_t job = row[kJob].getInt64();
  const bool is_new_job = rows_ == 0 || job != last_job_;
  if (rows_++ == 0) page_.emplace_back().set_number(Unsigned(row[kOfPermutation]));
  last_job_ = job;
  if (is_new_job) Count(row);
  if (!row[kMetric].isNull()) {
    Gathered& headline = Of(row[kMetric].getInt64());
    headline.values.push_back(row[kValue].getDouble());
    if (row[kAt].getBytes() > 0) headline.AddPlace(row[kAt].getString());
  }
}

void PermutationGatherer::Finish(const std::string& varied) {
  v1::PermutationResult& done = page_.back();
  done.set_varied(varied);
  for (Gathered& headline : gathered_) headline.AddTo(done, metrics_.At(headline.metric));
  done.set_withdrawn(withdrawn_.size());
  withdrawn_.clear();
  gathered_.clear();
  rows_ = 0;
}

void PermutationGatherer::Gathered::AddTo(v1::PermutationResult& result,
                                          const v1::Measurement& metric_row) {
  v1::MetricResult& headline = *result.add_headlines();
  headline.set_name(metric_row.name());
  headline.set_unit(metric_row.unit());
  headline.set_better(metric_row.better());
  *headline.mutable_dimensions() = metric_row.dimensions();
  const stats::Summary summary = stats::Summarize(std::move(values));
  headline.set_n(summary.n);
  headline.set_mean(summary.mean);
  headline.set_median(summary.median);
  headline.set_least(summary.least);
  headline.set_most(summary.most);
  headline.set_sd(summary.sd);
  headline.set_cv(summary.Cv());
  headline.set_half_width(summary.half_width);
  std::stable_sort(found_at.begin(), found_at.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (found_at.size() > kShownPlaces) found_at.resize(kShownPlaces);
  for (const auto& [at, n] : found_at) {
    v1::FoundAt& added = *headline.add_at();
    ReadList(at, "place", added);
    added.set_n(n);
  }
}

void PermutationGatherer::Count(const Prepared::Rows& row) {
  v1::PermutationResult& current = page_.back();
  if (!row[kRequeued].isNull()) return;
  const JobOfRun which = {row[kRepetition].getInt64(), row[kIsWarmUp].getInt(),
                          current.number() == 0 ? row[kJob].getInt64() : 0};
  withdrawn_.erase(which);
  if (row[kOutcomeOf].isNull()) {
    current.set_unfinished(current.unfinished() + 1);
    return;
  }
  const queue::Outcome outcome = OutcomeOf(row[kOutcomeOf].getInt64());
  if (queue::IsWithdrawn(outcome)) {
    withdrawn_.insert(which);
  } else if (row[kIsWarmUp].getInt() != 0) {
    current.set_warm_ups(current.warm_ups() + 1);
  } else if (outcome == queue::Outcome::kSucceeded) {
    current.set_succeeded(current.succeeded() + 1);
  } else {
    current.set_failed(current.failed() + 1);
  }
}

// There are few headlines and few places, so looking at each is quick.
PermutationGatherer::Gathered& PermutationGatherer::Of(std::int64_t metric) {
  const auto known =
      std::find_if(gathered_.begin(), gathered_.end(),
                   [&](const Gathered& headline) { return headline.metric == metric; });
  return known != gathered_.end() ? *known : gathered_.emplace_back(Gathered{.metric = metric});
}

void PermutationGatherer::Gathered::AddPlace(const std::string& at) {
  const auto known = std::find_if(found_at.begin(), found_at.end(),
                                  [&](const auto& each) { return each.first == at; });
  if (known != found_at.end()) {
    ++known->second;
  } else if (found_at.size() < kMostPlaces) {
    found_at.emplace_back(at, 1);
  }
}

}  // namespace twofold::results
