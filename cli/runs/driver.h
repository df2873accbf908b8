#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "cli/runs/jobs.h"
#include "lib/spec/expansion.h"
#include "lib/spec/sweep.h"

namespace twofold::run {

/// What of a sweep the driver goes by.
struct Rules {
  std::uint32_t repetitions = 1;  ///< with `until` the least
  std::optional<spec::Until> until{};
  bool fail_fast = false;
  Duration limit{0};  ///< of the whole run; 0 = none
};

Rules RulesOf(const spec::Sweep& sweep);

/// Why a run ends before all of it is done.
enum class Stop : std::uint8_t {
  kNone,
  kFailFast,
  kLimit,
  kAsked,
  kNoProgram,  ///< that all its jobs need: none has succeeded
};

/// Decides which jobs of a run to submit and when it is over. A frontend has the jobs; what it says
/// of them is told to See again and again, all that there is or only what has changed. So a driver
/// that is made anew, by another process, goes on where the one before was.
///
///     Driver driver(rules, expansion);
///     driver.See(...);                  // what there is from earlier times
///     driver.Begin();
///     do { submit(driver.TakeDue(elapsed)); ...; driver.See(...); } while (!driver.over());
///
/// Jobs are due in the order of the expansion, all at once, as the queue keeps them in order and
/// runs no more than it may. Further repetitions that `until` asks for come last.
///
/// Time     Passed in as time since the begin of the run.
/// Threads  Not thread-safe.
/// Cost     See: O(log jobs); all else O(jobs).
class Driver {
 public:
  Driver(Rules rules, const spec::Expansion& expansion);

  /// False: the run has no such job.
  bool See(const Seen& seen);

  /// What was withdrawn is due again, and failures seen until now are no reason to stop any more.
  /// Without it, a driver only looks.
  void Begin();

  /// The jobs to submit now, in this order. They count as waiting.
  std::vector<JobKey> TakeDue(Duration elapsed);

  /// It could not be submitted: due again.
  void PutBack(const JobKey& key);

  /// Nothing more is due, as somebody wants so, or for a reason of another driver.
  void StopNow(Stop why = Stop::kAsked) { Halt(why); }
  [[nodiscard]] Stop stopped() const { return stop_; }

  /// Jobs that wait or run and are known to the frontend.
  [[nodiscard]] std::vector<std::uint64_t> Open(bool waiting_only) const;

  /// All has ended that was submitted, and TakeDue has nothing more.
  [[nodiscard]] bool over() const;

  struct Job {
    Seen seen;
    std::size_t permutation = 0;  ///< place in Expansion::permutations
    std::uint64_t gone = 0;       ///< jobs with this id and lower ones do not count any more
  };
  /// All jobs: planned ones first, then further repetitions.
  [[nodiscard]] const std::vector<Job>& jobs() const { return jobs_; }
  [[nodiscard]] const spec::Expansion& expansion() const { return expansion_; }

 private:
  Job& Add(const JobKey& key, std::size_t permutation);
  void SeeFailure(const Seen& failed);
  void Halt(Stop stop);
  void AddRepetitions();
  [[nodiscard]] bool WantsMore(const std::vector<std::size_t>& places) const;

  const Rules rules_;
  const spec::Expansion& expansion_;
  std::map<std::uint64_t, std::size_t> permutations_;  ///< place by number
  std::vector<Job> jobs_;
  std::map<JobKey, std::size_t> by_key_;
  std::vector<std::vector<std::size_t>> measured_;  ///< by permutation, places in jobs_
  bool begun_ = false;
  Stop stop_ = Stop::kNone;
};

}  // namespace twofold::run
