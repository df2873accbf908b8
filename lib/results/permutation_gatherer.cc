#include "lib/results/permutation_gatherer.h"

#include <algorithm>

#include "lib/queue/types.h"
#include "lib/results/json_text.h"

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

}  // namespace

void PermutationGatherer::Add(const Prepared::Rows& row) {
  const std::int64_t job = row[kJob].getInt64();
  const bool is_new_job = rows_ == 0 || job != last_job_;
  if (rows_++ == 0) page_.emplace_back().permutation.number = Unsigned(row[kOfPermutation]);
  last_job_ = job;
  if (is_new_job) Count(row);
  if (!row[kMetric].isNull()) {
    Gathered& headline = Of(row[kMetric].getInt64());
    headline.values.push_back(row[kValue].getDouble());
    if (Dimensions place = PlaceOf(row[kAt]); !place.empty()) headline.AddPlace(std::move(place));
  }
}

void PermutationGatherer::Finish(const std::string& varied) {
  PermutationResults& done = page_.back();
  done.permutation.varied = varied;
  for (auto& [metric, values, found_at] : gathered_) {
    std::stable_sort(found_at.begin(), found_at.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    done.headlines.push_back(
        {metrics_.At(metric), stats::Summarize(std::move(values)), std::move(found_at)});
  }
  done.withdrawn = withdrawn_.size();
  withdrawn_.clear();
  gathered_.clear();
  rows_ = 0;
}

void PermutationGatherer::Count(const Prepared::Rows& row) {
  PermutationResults& current = page_.back();
  if (!row[kRequeued].isNull()) return;
  const JobOfRun which = {row[kRepetition].getInt64(), row[kIsWarmUp].getInt(),
                          current.permutation.number == 0 ? row[kJob].getInt64() : 0};
  withdrawn_.erase(which);
  if (row[kOutcomeOf].isNull()) {
    ++current.unfinished;
    return;
  }
  const queue::Outcome outcome = OutcomeOf(row[kOutcomeOf].getInt64());
  if (queue::IsWithdrawn(outcome)) {
    withdrawn_.insert(which);
  } else if (row[kIsWarmUp].getInt() != 0) {
    ++current.warm_ups;
  } else {
    ++(outcome == queue::Outcome::kSucceeded ? current.succeeded : current.failed);
  }
}

// There are few headlines and few places, so looking at each is quick.
PermutationGatherer::Gathered& PermutationGatherer::Of(std::int64_t metric) {
  const auto known =
      std::find_if(gathered_.begin(), gathered_.end(),
                   [&](const Gathered& headline) { return headline.metric == metric; });
  return known != gathered_.end() ? *known : gathered_.emplace_back(Gathered{.metric = metric});
}

void PermutationGatherer::Gathered::AddPlace(Dimensions place) {
  const auto known = std::find_if(found_at.begin(), found_at.end(),
                                  [&](const auto& each) { return each.first == place; });
  if (known != found_at.end()) {
    ++known->second;
  } else if (found_at.size() < kMostPlaces) {
    found_at.emplace_back(std::move(place), 1);
  }
}

}  // namespace twofold::results
