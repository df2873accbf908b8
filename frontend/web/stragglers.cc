#include "frontend/web/stragglers.h"

#include <absl/strings/str_format.h>

#include <algorithm>

namespace twofold::frontend {
namespace {

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::string Stragglers::Rule() {
  return absl::StrFormat(
      "A busy worker is slow if, in %.0f s or more, it has ended less than %.0f %% as many jobs a "
      "slot as the median of %d or more busy workers of its queue, which has ended %.0f or more.",
      ToSeconds(kLeastTime), 100 * kMuchLess, kLeastWorkers, kLeastJobs);
}

const std::vector<bool>& Stragglers::Judge(Instant now, std::size_t set, Workers workers) {
  if (set != set_ || workers.size() != before_.size()) {
    straggles_.assign(workers.size(), false);
    Begin(now, set, workers);
  }
  if (now - began_ < kLeastTime) return straggles_;
  bool judged = false;
  for (std::size_t first = 0; first < workers.size();) {
    std::size_t end = first;
    while (end < workers.size() && workers[end].queue == workers[first].queue) ++end;
    judged = JudgeQueue(workers.subspan(first, end - first), first) || judged;
    first = end;
  }
  if (judged) began_ = now;
  return straggles_;
}

/// `workers` are those of one queue, the first of them at `first`. False: it is too early.
bool Stragglers::JudgeQueue(Workers workers, std::size_t first) {
  const auto done = [&](std::size_t i) { return workers[i].ended - before_[first + i].ended; };
  const auto a_slot = [&](std::size_t i) {
    return static_cast<double>(done(i)) / workers[i].slots;
  };
  std::vector<std::size_t> busy;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i].busy && before_[first + i].busy) busy.push_back(i);
  }
  if (busy.size() < kLeastWorkers) return false;
  std::vector<double> jobs;
  std::vector<double> rates;
  for (const std::size_t i : busy) {
    jobs.push_back(static_cast<double>(done(i)));
    rates.push_back(a_slot(i));
  }
  if (Median(jobs) < kLeastJobs) return false;
  const double limit = kMuchLess * Median(rates);
  for (std::size_t i = 0; i < workers.size(); ++i) straggles_[first + i] = false;
  for (const std::size_t i : busy) straggles_[first + i] = a_slot(i) < limit;
  std::copy(workers.begin(), workers.end(), before_.begin() + static_cast<std::ptrdiff_t>(first));
  return true;
}

void Stragglers::Begin(Instant now, std::size_t set, Workers workers) {
  began_ = now;
  set_ = set;
  before_.assign(workers.begin(), workers.end());
}

}  // namespace twofold::frontend
