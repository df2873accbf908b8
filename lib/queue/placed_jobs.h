#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lib/queue/job_table.h"
#include "lib/queue/process_table.h"
#include "lib/queue/waiting_line.h"

namespace twofold::queue {

/// Single jobs with a placement whose turn has come: they wait here for a slot that suits them, and
/// keep nobody else waiting meanwhile. (Gangs with a placement: see GatheringGangs.)
///
/// Cost     Add, Remove O(log j) with j jobs here; Next O(placements), times the idle processes for
///          those that a connected worker suits; of the others nothing is looked at again until
///          capacity changes.
class PlacedJobs {
 public:
  PlacedJobs(const JobTable& jobs, const ProcessTable& processes, const WaitingLine& order)
      : jobs_(jobs), processes_(processes), order_(order) {}

  void Add(Slot slot);
  void Remove(Slot slot);

  struct Match {
    Slot slot;
    ProcessId process;  ///< of those that suit the job, the one that has been idle longest
  };
  /// The first job by precedence that an idle process can run; nullopt: none.
  [[nodiscard]] std::optional<Match> Next();

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// When the job was accepted that waits longest. Linear in the jobs.
  [[nodiscard]] std::optional<Instant> Oldest() const;

 private:
  using Place = std::pair<Precedence, Slot>;

  struct Placement {
    std::set<Place> jobs;                // never empty
    bool possible = true;                // some worker that takes jobs suits it, free or not
    std::uint64_t possible_version = 0;  // the capacity that says so; 0: not looked at
  };

  bool Possible(const std::string& text, Placement& placement) const;
  [[nodiscard]] Place PlaceOf(Slot slot) const { return {order_.PrecedenceOf(slot), slot}; }

  const JobTable& jobs_;
  const ProcessTable& processes_;
  const WaitingLine& order_;
  std::map<std::string, Placement> by_placement_;
  std::uint64_t size_ = 0;
};

}  // namespace twofold::queue
