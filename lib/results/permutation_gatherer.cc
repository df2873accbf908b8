#include "lib/results/permutation_gatherer.h"

#include "lib/queue/types.h"

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
  kValue
};

}  // namespace

void PermutationGatherer::Add(const Prepared::Rows& row) {
  const std::int64_t job = row[kJob].getInt64();
  const bool is_new_job = rows_ == 0 || job != last_job_;
  if (rows_++ == 0) page_.emplace_back().permutation.number = Unsigned(row[kOfPermutation]);
  last_job_ = job;
  if (is_new_job) Count(row);
  if (!row[kMetric].isNull()) {
    Values(row[kMetric].getInt64()).push_back(row[kValue].getDouble());
  }
}

void PermutationGatherer::Finish(const std::string& varied) {
  PermutationResults& done = page_.back();
  done.permutation.varied = varied;
  for (auto& [metric, values] : values_) {
    done.headlines.emplace_back(metrics_.At(metric), stats::Summarize(std::move(values)));
  }
  done.withdrawn = withdrawn_.size();
  withdrawn_.clear();
  values_.clear();
  rows_ = 0;
}

void PermutationGatherer::Count(const Prepared::Rows& row) {
  PermutationResults& current = page_.back();
  if (!row[kRequeued].isNull()) return;
  const Place place = {row[kRepetition].getInt64(), row[kIsWarmUp].getInt(),
                       current.permutation.number == 0 ? row[kJob].getInt64() : 0};
  withdrawn_.erase(place);
  if (row[kOutcomeOf].isNull()) {
    ++current.unfinished;
  } else if (queue::IsWithdrawn(static_cast<queue::Outcome>(row[kOutcomeOf].getInt()))) {
    withdrawn_.insert(place);
  } else if (row[kIsWarmUp].getInt() != 0) {
    ++current.warm_ups;
  } else {
    ++(row[kOutcomeOf].getInt() == 0 ? current.succeeded : current.failed);
  }
}

// There are few headlines, so looking at each is quick.
std::vector<double>& PermutationGatherer::Values(std::int64_t metric) {
  for (auto& [known, values] : values_) {
    if (known == metric) return values;
  }
  return values_.emplace_back(metric, std::vector<double>()).second;
}

}  // namespace twofold::results
