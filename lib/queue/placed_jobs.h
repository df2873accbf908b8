#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/queue/job_table.h"
#include "lib/queue/process_table.h"
#include "lib/queue/waiting_line.h"

namespace twofold::queue {

/// Single jobs with a placement whose turn has come: they wait here for a slot that suits them, and
/// keep nobody else waiting meanwhile. (Gangs with a placement: see GatheringGangs.)
///
/// Placements are numbered in the order in which they came here, and a process remembers up to
/// which number none suits it. So the two are compared once, not whenever either has something to
/// do: what waits for a busy process costs others nothing.
///
/// Cost     Add, Remove O(log j) with j jobs here. Next: kMostCompared comparisons, and O(1) for
///          each idle process: of all if a placement has come, else of those that became idle since
///          it found nothing.
class PlacedJobs {
 public:
  /// In one call of Next: a millisecond. More, as when a process joins while very many placements
  /// wait, are divided among calls, each of which goes on where the last one has stopped. So a job
  /// is found so many calls later; between jobs found in different calls precedence is not asked.
  static constexpr std::uint64_t kMostCompared = 10'000;
  /// With a process that suits many, so many more after the first one, to choose from.
  static constexpr std::uint64_t kMostChoices = 256;

  PlacedJobs(const JobTable& jobs, const ProcessTable& processes, const WaitingLine& order)
      : jobs_(jobs), processes_(processes), order_(order) {}

  void Add(Slot slot);
  void Remove(Slot slot);

  struct Match {
    Slot slot;
    ProcessId process;  ///< of those that suit the job, the one that has been idle longest
  };
  /// The first job by precedence, of those compared, that an idle process can run; nullopt: none.
  [[nodiscard]] std::optional<Match> Next();

  /// Next has found nothing, and has not compared all: call it again soon.
  [[nodiscard]] bool unfinished() const { return unfinished_ && size_ > 0; }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// When the job was accepted that waits longest. Linear in the jobs.
  [[nodiscard]] std::optional<Instant> Oldest() const;

 private:
  using Place = std::pair<Precedence, Slot>;

  struct Placement {
    std::set<Place> jobs;  // never empty
    std::uint64_t number = 0;
  };
  using Placements = std::map<std::string, Placement>;

  /// What a process has compared.
  struct Compared {
    std::uint64_t connection = 0;  // of the process, as it may come again with other labels
    std::uint64_t number = 0;      // no placement up to this one suits it
    std::uint64_t resume = 0;      // some up to here do; others are looked at first. 0: none
  };

  Compared& ComparedBy(ProcessId process);
  [[nodiscard]] std::optional<ProcessId> FirstToLookAt() const;
  const Place* FirstFor(ProcessId process, std::uint64_t& left);
  const Place* FirstAfter(std::uint64_t number, ProcessId process, std::uint64_t& left);
  [[nodiscard]] Place PlaceOf(Slot slot) const { return {order_.PrecedenceOf(slot), slot}; }

  const JobTable& jobs_;
  const ProcessTable& processes_;
  const WaitingLine& order_;
  Placements by_placement_;
  std::map<std::uint64_t, Placements::iterator> by_number_;
  std::uint64_t last_number_ = 0;
  std::uint64_t size_ = 0;
  std::vector<Compared> compared_;  // by ProcessId

  // Next has found nothing for those that had become idle by then, and with these placements.
  std::uint64_t nothing_idle_ = 0;
  std::uint64_t nothing_number_ = 0;
  bool unfinished_ = false;
};

}  // namespace twofold::queue
