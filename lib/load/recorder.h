#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/counts.h"
#include "lib/load/marks.h"
#include "lib/load/schedule.h"
#include "lib/load/tally.h"
#include "lib/spec/permutations.h"
#include "lib/stats/histogram.h"
#include "lib/stats/worker_spread.h"

namespace twofold::load {

/// When the measured part of a load begins.
///
/// By rule: once as many jobs have ended as are outstanding, and twice their mean time has passed;
/// but after a quarter of a load that ends, whatever has happened.
struct WarmUp {
  std::optional<Duration> fixed{};  ///< instead of the rule

  /// Whether it is over `passed` after the begin. `mean` is that of the jobs that ended.
  [[nodiscard]] bool Over(Duration passed, std::uint64_t ended, std::uint64_t outstanding,
                          Duration mean, Duration planned) const;
};

/// What happened in a slice of time.
struct Slice {
  std::uint64_t planned = 0;  ///< jobs that were due in it
  std::uint64_t sent = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  bool open = false;           ///< at its end, as the next two
  std::uint32_t parallel = 0;  ///< jobs to be outstanding
  std::uint64_t outstanding = 0;
  stats::Histogram::Parts from_plan{};  ///< of jobs that succeeded in it
};

/// Who ran a job, and when, by the moment of its answer and its run time.
struct RanJob {
  Places::Index place = 0;
  Instant ended;
  Instant due;
  Duration run{};
  bool failed = false;
};

/// Keeps what a record of a load is made from: a tally of all after the warm-up and one a stage,
/// slices of time, places, errors, marks, and jobs drawn evenly.
///
/// A stage is cut at the instants of the profile. Its throughput is that of its time; its times are
/// those of the jobs that were due in it. It begins with the warm-up's end if that is later.
///
/// Time     Callers pass instants of one clock, in order.
/// Threads  Not thread-safe.
/// Cost     O(1) a job. 330 KiB and as much a stage; 1 KiB a slice, 2000 slices at most; 1 MiB for
///          20 000 jobs.
/// Source   The draw of jobs: J. Vitter, "Random sampling with a reservoir", algorithm R (1985).
class Recorder {
 public:
  static constexpr std::size_t kMostSlices = 2000;
  static constexpr std::size_t kMostJobs = 20'000;

  /// The load begins. `schedule` is that of the load, for its stages.
  Recorder(Schedule schedule, Instant start, WarmUp warm_up);

  Places& places() { return places_; }

  void Sent(Instant now, Instant due, bool open);
  void Succeeded(const Answer& job);
  void Failed(const Answer& job, std::string_view error);
  void Rejected(std::string_view error);
  void Spoil(const Mark& mark) { marks_.Add(mark); }

  /// Time has passed: ends slices, stages and the warm-up. `in_flight()` gives the submit instants
  /// of the jobs without an answer; it is called when a stage ends.
  template <typename InFlight>
  void Advance(Instant now, std::uint64_t outstanding, std::uint32_t parallel, bool open,
               const InFlight& in_flight) {
    if (closed_at_) return;
    EndSlices(now, outstanding, parallel, open);
    if (!total_ && WarmUpEnds(now, outstanding)) BeginMeasuring(now);
    if (schedule_.StageAt(now - start_) != stage_) NextStage(now, in_flight());
  }

  /// The load is over: what ends from now on counts in times only.
  void Close(Instant now, std::span<const Instant> in_flight);

  // ---- what it has

  struct StageTally {
    std::size_t stage = 0;
    Tally tally;
  };

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }
  [[nodiscard]] Instant start() const { return start_; }
  [[nodiscard]] std::optional<Instant> closed_at() const { return closed_at_; }
  [[nodiscard]] const std::optional<Tally>& total() const { return total_; }
  [[nodiscard]] std::string WarmUpText() const;
  [[nodiscard]] const std::vector<StageTally>& stages() const { return stages_; }
  [[nodiscard]] Duration slice() const { return slice_; }
  [[nodiscard]] const std::vector<Slice>& slices() const { return slices_; }
  [[nodiscard]] const std::vector<Place>& all_places() const { return places_.all(); }
  [[nodiscard]] const ErrorCounts::Map& errors() const { return errors_.all(); }
  [[nodiscard]] const Marks& marks() const { return marks_; }
  [[nodiscard]] const std::vector<RanJob>& jobs() const { return jobs_; }
  [[nodiscard]] std::uint64_t ended() const { return ended_; }
  [[nodiscard]] std::uint64_t rejected() const { return rejected_; }
  [[nodiscard]] std::uint64_t measured() const { return measured_; }

 private:
  [[nodiscard]] bool WarmUpEnds(Instant now, std::uint64_t outstanding) const;
  void BeginMeasuring(Instant now);
  void NextStage(Instant now, std::span<const Instant> in_flight);
  void EndSlices(Instant now, std::uint64_t outstanding, std::uint32_t parallel, bool open);
  void MergeSlices();
  Slice& SliceOf(Instant at);
  void Ended(const Answer& job, bool succeeded);
  template <typename Visit>
  void ForStagesOf(Instant due, const Visit& visit);
  void Draw(const RanJob& job);

  Schedule schedule_;
  Instant start_;
  WarmUp warm_up_;
  std::optional<Instant> closed_at_;
  std::optional<Tally> total_;
  std::size_t stage_ = 0;
  std::vector<StageTally> stages_;
  Duration slice_ = std::chrono::seconds(1);
  std::vector<Slice> slices_;   // the last one is the present one
  stats::Histogram from_plan_;  // of the present slice
  Places places_;
  ErrorCounts errors_;
  Marks marks_;
  std::vector<RanJob> jobs_;
  spec::Random random_;
  std::uint64_t ended_ = 0;
  std::uint64_t measured_ = 0;  // ended after the warm-up
  std::uint64_t rejected_ = 0;  // after the warm-up
  double life_seconds_ = 0;     // of the jobs that ended in the warm-up
};

}  // namespace twofold::load
