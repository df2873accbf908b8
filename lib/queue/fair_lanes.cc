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
  const std::uint32_t weight = job.options->weight;
  return weight <= 1 ? kJob : kJob / std::min(weight, kHighestWeight);
}

}  // namespace

void FairLanes::Remove(const JobTable& jobs, Slot slot) {
  Payer& payer = PayerFor(jobs[slot]);
  payer.lane.Remove(jobs, slot);
  if (payer.lane.empty()) Empty(payer);
}

void FairLanes::Pay(Payer& payer, const Job& job) {
  if (&payer != &plain_) by_turn_.erase(TurnOf(payer));
  reached_ = payer.paid;
  payer.paid += CostOf(job);
  if (&payer != &plain_) by_turn_.insert(TurnOf(payer));
  if (!in_debt_.empty()) Forgive();
}

FairLanes::Payer& FairLanes::PayerWith(const std::string& key) {
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

/// How many jobs of the lane go before `turn` of another one. Each pays for itself, so its n-th job
/// (from 0) goes when it has paid n prices more than now.
std::uint64_t FairLanes::TurnsBefore(const JobTable& jobs, const Payer& payer, const Turn& turn) {
  if (payer.lane.empty() || payer.paid > turn.paid) return 0;
  const Cost price = CostOf(jobs[payer.lane.Front()]);
  const Cost until = turn.paid - payer.paid;
  const bool has_one_more = until % price != 0 || payer.number < turn.number;
  return std::min(payer.lane.size(), until / price + (has_one_more ? 1 : 0));
}

std::uint64_t FairLanes::Ahead(const JobTable& jobs, Slot slot) const {
  const std::string& key = jobs[slot].options->fair_key;
  const Payer& own = key.empty() ? plain_ : by_key_.at(key);
  std::uint64_t ahead = own.lane.CountBefore(jobs, slot);
  const Turn turn = {own.paid + ahead * CostOf(jobs[own.lane.Front()]), own.number, &own};
  if (&own != &plain_) ahead += TurnsBefore(jobs, plain_, turn);
  for (const Turn& other : by_turn_) {
    if (other.paid > turn.paid) break;
    if (other.payer != &own) ahead += TurnsBefore(jobs, *other.payer, turn);
  }
  return ahead;
}

/// Its first job comes.
void FairLanes::Fill(Payer& payer) {
  if (&payer != &plain_) in_debt_.erase(TurnOf(payer));
  payer.paid = std::max(payer.paid, reached_);
  if (&payer != &plain_) by_turn_.insert(TurnOf(payer));
}

/// Its last job has gone.
void FairLanes::Empty(Payer& payer) {
  if (&payer != &plain_) {
    by_turn_.erase(TurnOf(payer));
    in_debt_.insert(TurnOf(payer));
  }
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
