#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "lib/queue/lane.h"

namespace twofold::queue {

/// The waiting jobs of one priority: a lane for each fair key, which take turns.
///
/// A lane pays 1/weight for each job that is taken from it, and the one that has paid least is
/// next. One that was empty for a while starts at what the others have reached: it has saved
/// nothing up, and what it owes, at most the price of one job, is remembered until the others have
/// caught up or nobody waits. So over any stretch in which two lanes have jobs, they get them in
/// proportion to their weights, to within a job each.
///
/// Jobs without a key share a lane like the others.
///
/// Cost     That of Lane for jobs without a key as long as there are no others; O(log k) more if
///          k keys have jobs or owe. Some 250 bytes a key.
/// Source   Start-time fair queueing: Goyal, Vin, Cheng, SIGCOMM 1996.
class FairLanes {
 public:
  void Add(const JobTable& jobs, Slot slot) {
    Payer& payer = PayerFor(jobs[slot]);
    if (payer.lane.empty()) Fill(payer);
    payer.lane.Add(jobs, slot);
  }
  void Remove(const JobTable& jobs, Slot slot);

  /// Takes the job that goes next, and its lane pays: `slot` is what Front says.
  void Take(const JobTable& jobs, Slot slot) {
    Payer& payer = PayerFor(jobs[slot]);
    Pay(payer, jobs[slot]);
    payer.lane.Remove(jobs, slot);
    if (payer.lane.empty()) Empty(payer);
  }

  [[nodiscard]] bool empty() const { return plain_.lane.empty() && by_turn_.empty(); }

  /// The job that goes next. REQUIRES: !empty().
  [[nodiscard]] Slot Front() const { return (by_turn_.empty() ? plain_ : Next()).lane.Front(); }

  /// How many jobs go before this one, which waits here, if no more come and the jobs of a key have
  /// the weight of its first one.
  ///
  /// Cost  CountBefore of its lane, and O(1) for each key whose first job goes before this one.
  [[nodiscard]] std::uint64_t Ahead(const JobTable& jobs, Slot slot) const;

  /// Jobs without a key.
  [[nodiscard]] const Lane& plain() const { return plain_.lane; }

  /// Keys that are known: they have jobs or owe.
  [[nodiscard]] std::size_t keys() const { return by_key_.size(); }

 private:
  using Cost = std::uint64_t;

  struct Payer {
    Lane lane;
    Cost paid = 0;
    std::uint64_t number = 0;  // order of appearance: decides between equals
    const std::string* key = nullptr;
  };

  struct Turn {
    Cost paid;
    std::uint64_t number;
    const Payer* payer;

    bool operator<(const Turn& other) const {
      return std::pair(paid, number) < std::pair(other.paid, other.number);
    }
  };

  [[nodiscard]] static std::uint64_t TurnsBefore(const JobTable& jobs, const Payer& payer,
                                                 const Turn& turn);
  static Turn TurnOf(const Payer& payer) { return {payer.paid, payer.number, &payer}; }
  Payer& PayerFor(const Job& job) {
    return job.options->fair_key.empty() ? plain_ : PayerWith(job.options->fair_key);
  }
  Payer& PayerWith(const std::string& key);
  [[nodiscard]] const Payer& Next() const;
  void Pay(Payer& payer, const Job& job);
  void Fill(Payer& payer);
  void Empty(Payer& payer);
  void Forgive();

  Payer plain_;  // jobs without a key: never in the sets below
  std::unordered_map<std::string, Payer> by_key_;
  std::set<Turn> by_turn_;  // lanes with jobs
  std::set<Turn> in_debt_;  // empty lanes that have paid more than `reached_`
  Cost reached_ = 0;        // what the lane that went last had paid before
  std::uint64_t last_number_ = 0;
};

}  // namespace twofold::queue
