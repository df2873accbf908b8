#include "lib/load/slices.h"

#include <algorithm>
#include <utility>

namespace twofold::load {
namespace {

// The parts of both, as if all had been recorded in one histogram.
stats::Histogram::Parts Merge(const stats::Histogram::Parts& one,
                              const stats::Histogram::Parts& other) {
  if (one.counts.empty()) return other;
  if (other.counts.empty()) return one;
  stats::Histogram::Parts both{.counts = {},
                               .clamped = one.clamped + other.clamped,
                               .sum = one.sum + other.sum,
                               .min = std::min(one.min, other.min),
                               .max = std::max(one.max, other.max)};
  auto next = other.counts.begin();
  for (const auto& part : one.counts) {
    while (next != other.counts.end() && next->lowest < part.lowest) both.counts.push_back(*next++);
    both.counts.push_back(part);
    if (next != other.counts.end() && next->lowest == part.lowest) {
      both.counts.back().count += (next++)->count;
    }
  }
  both.counts.insert(both.counts.end(), next, other.counts.end());
  return both;
}

Slice Merge(const Slice& one, const Slice& other) {
  Slice both{one.jobs, other.outstanding, Merge(one.from_plan, other.from_plan)};
  both.jobs += other.jobs;
  return both;
}

}  // namespace

void Slices::Ended(const JobEntry& job) {
  all_.back().jobs.Count(job.outcome);
  if (job.succeeded()) from_plan_.Record(job.ended - job.planned);
}

void Slices::Advance(Instant now, std::uint64_t outstanding) {
  while (now - start_ >= width_ * static_cast<Duration::rep>(all_.size())) {
    End(outstanding);
    if (all_.size() == kMost) MergePairs();
    all_.emplace_back();
  }
}

void Slices::Close(Instant now) {
  End(0);
  end_ = now - start_;
  const Duration last = end_ - width_ * static_cast<Duration::rep>(all_.size() - 1);
  if (all_.size() == 1 || last >= width_ / 10) return;
  all_[all_.size() - 2] = Merge(all_[all_.size() - 2], all_.back());
  all_.pop_back();
}

Slice& Slices::Of(Instant at) {
  const auto index = static_cast<std::size_t>(std::max((at - start_) / width_, Duration::rep{0}));
  return all_[std::min(index, all_.size() - 1)];
}

void Slices::End(std::uint64_t outstanding) {
  all_.back().outstanding = outstanding;
  all_.back().from_plan = from_plan_.ToParts();
  from_plan_.Reset();
}

void Slices::MergePairs() {
  std::vector<Slice> merged;
  for (std::size_t i = 0; i + 1 < all_.size(); i += 2) {
    merged.push_back(Merge(all_[i], all_[i + 1]));
  }
  all_ = std::move(merged);
  width_ *= 2;
}

}  // namespace twofold::load
