#include "lib/queue/fair_lanes.h"

#include <algorithm>

namespace twofold::queue {
namespace {

// What a job of weight 1 costs. Weights up to 1000 so divide it to within a thousandth.
constexpr std::uint64_t kJob = 1 << 20;

// So many empty lanes are remembered at most. Each further one costs a lane that owes less than
// all others the memory of that: at most one job.
constexpr std::size_t kMostInDebt = 10'000;

std::uint64_t CostOf(const Job& job) {
  return kJob / std::clamp(job.options->weight, 1U, kHighestWeight);
}

}  // namespace

void FairLanes::Add(JobTable& jobs, Slot slot) {
  Payer& payer = PayerFor(jobs[slot]);
  const bool was_empty = payer.lane.empty();
  payer.lane.Add(jobs, slot);
  if (was_empty) Filled(payer);
}

void FairLanes::Remove(JobTable& jobs, Slot slot) {
  Payer& payer = PayerFor(jobs[slot]);
  payer.lane.Remove(jobs, slot);
  if (payer.lane.empty()) Emptied(payer);
}

void FairLanes::Take(JobTable& jobs, Slot slot) {
  Payer& payer = PayerFor(jobs[slot]);
  reached_ = payer.paid;
  if (&payer != &plain_) by_turn_.erase(TurnOf(payer));
  payer.paid += CostOf(jobs[slot]);
  payer.lane.Remove(jobs, slot);
  if (&payer != &plain_) (payer.lane.empty() ? in_debt_ : by_turn_).insert(TurnOf(payer));
  if (payer.lane.empty() || !in_debt_.empty()) Forgive();
}

Instant FairLanes::Oldest(const JobTable& jobs) const {
  Instant oldest = Instant::max();
  if (!plain_.lane.empty()) oldest = jobs[plain_.lane.Front(jobs)].accepted;
  for (const Turn& turn : by_turn_) {
    oldest = std::min(oldest, jobs[turn.payer->lane.Front(jobs)].accepted);
  }
  return oldest;
}

FairLanes::Payer& FairLanes::PayerFor(const Job& job) {
  const std::string& key = job.options->fair_key;
  if (key.empty()) return plain_;
  const auto [found, added] = by_key_.try_emplace(key);
  Payer& payer = found->second;
  if (added) {
    payer.number = ++last_number_;
    payer.key = &found->first;
  }
  return payer;
}

const FairLanes::Payer& FairLanes::Next() const {
  const Turn& first = *by_turn_.begin();
  const bool plain_first = !plain_.lane.empty() && plain_.paid <= first.paid;
  return plain_first ? plain_ : *first.payer;
}

void FairLanes::Filled(Payer& payer) {
  if (&payer != &plain_) in_debt_.erase(TurnOf(payer));
  payer.paid = std::max(payer.paid, reached_);
  if (&payer != &plain_) by_turn_.insert(TurnOf(payer));
}

void FairLanes::Emptied(Payer& payer) {
  if (&payer == &plain_) return Forgive();
  by_turn_.erase(TurnOf(payer));
  in_debt_.insert(TurnOf(payer));
  Forgive();
}

/// Forgets the lanes that owe nothing; when nobody waits, nobody owes anything.
void FairLanes::Forgive() {
  if (empty()) {
    const Cost most = in_debt_.empty() ? 0 : in_debt_.rbegin()->paid;
    reached_ = std::max(most, plain_.paid);
  }
  while (!in_debt_.empty() &&
         (in_debt_.begin()->paid <= reached_ || in_debt_.size() > kMostInDebt)) {
    const std::string key = *in_debt_.begin()->payer->key;
    in_debt_.erase(in_debt_.begin());
    by_key_.erase(key);
  }
}

}  // namespace twofold::queue
