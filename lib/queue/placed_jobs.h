#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lib/queue/job_table.h"
#include "lib/queue/process_table.h"
#include "lib/queue/waiting_line.h"

namespace twofold::queue {

/// Single jobs with a placement whose turn has come: they wait here for a slot that suits them, and
/// keep nobody else waiting meanwhile. (Gangs with a placement: see GatheringGangs.)
///
/// Only what is new can find its match: a placement that nobody had when Next last looked, with the
/// idle processes that have its lines, or a process that became idle since, with the placements
/// that name one of its lines. What waits for a busy process costs others nothing.
///
/// Cost     Add, Remove O(log j) with j jobs here; for the first and the last job of a placement as
///          well O(1) for each node that it names. Next: O(log j), a comparison for each placement
///          or process that shares a line with the other, and O(1) for each node of the placement
///          whose job it finds. Of a placement with several labels the line is the one that fewest
///          processes had when it came.
class PlacedJobs {
 public:
  PlacedJobs(const JobTable& jobs, ProcessTable& processes, const WaitingLine& order)
      : jobs_(jobs), processes_(processes), order_(order) {}

  void Add(Slot slot);
  void Remove(Slot slot);

  struct Match {
    Slot slot;
    ProcessId process;  ///< of those that suit the job, the one that has been idle longest
  };
  /// The first job by precedence that an idle process can run; nullopt: none.
  [[nodiscard]] std::optional<Match> Next();

  /// The first job by precedence that one of these processes suits, free or not; nullopt: none.
  [[nodiscard]] std::optional<Match> FirstFor(const std::vector<ProcessId>& processes) const;
  /// Changes whenever a job comes or goes.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Calls `visit(placement, jobs)` for each placement that a job has.
  template <typename Visit>
  void ForEachPlacement(Visit&& visit) const {
    for (const auto& [placement, waiting] : by_placement_) visit(placement, waiting.jobs.size());
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  using Place = std::pair<Precedence, Slot>;

  struct Placement {
    std::set<Place> jobs;            // never empty
    std::vector<std::string> lines;  // who suits it has one of these
    bool is_open = false;            // an idle process may suit it
  };
  using Placements = std::map<std::string, Placement>;
  using Heads = std::map<Place, Placements::iterator>;  // by the first job of each

  void EnterLines(Placements::iterator placement);
  void LeaveLines(Placements::iterator placement);
  void Open(Placements::iterator placement);
  [[nodiscard]] std::optional<ProcessId> FirstIdleFor(const Placements::value_type& placement);
  std::optional<Match> NextOfOpen();
  void CompareNewlyIdle(std::optional<Match>& best);
  void CompareProcess(ProcessId process, std::optional<Match>& best) const;
  [[nodiscard]] Place PlaceOf(Slot slot) const { return {order_.PrecedenceOf(slot), slot}; }

  const JobTable& jobs_;
  ProcessTable& processes_;
  const WaitingLine& order_;
  Placements by_placement_;
  Heads open_;
  // In no order: what is looked for is the first job of all of them.
  std::unordered_map<std::string, std::unordered_set<const Placements::value_type*>> by_line_;
  std::uint64_t size_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t nothing_idle_ = 0;  // for those that had become idle by then there was nothing
};

}  // namespace twofold::queue
