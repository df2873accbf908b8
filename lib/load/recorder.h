#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/random.h"
#include "lib/load/beginning.h"
#include "lib/load/counts.h"
#include "lib/load/job_entry.h"
#include "lib/load/marks.h"
#include "lib/load/schedule.h"
#include "lib/load/segment.h"
#include "lib/load/slices.h"

namespace twofold::load {

/// When the measured part of a load begins.
///
/// By rule: once as many jobs have ended as are outstanding, and twice their mean time has passed;
/// but after a quarter of a load that ends, whatever has happened. What the series shows to be part
/// of the warm-up by then (Beginning) is left out as well.
struct WarmUp {
  std::optional<Duration> fixed{};  ///< instead of the rule

  /// Whether it is over `passed` after the begin. `mean` is that of the jobs that ended.
  [[nodiscard]] bool Over(Duration passed, std::uint64_t ended, std::uint64_t outstanding,
                          Duration mean, Duration planned) const;
  /// The longest that it lasts in a load of `planned`.
  [[nodiscard]] Duration Most(Duration planned) const;
};

/// The ledger of a load that is recorded, folded as its jobs come: a segment of all after the
/// warm-up and one a stage, slices of time, places, errors, marks, and jobs drawn evenly.
///
/// The life of a record: jobs are planned by the schedule, sent and ended; Close ends the load,
/// from when on jobs only end; Finish ends the wait for them, and the record is whole.
///
/// A stage is cut at the instants of the profile, and begins with the warm-up's end if that is
/// later.
///
/// Time     Callers pass instants of one clock, in order.
/// Threads  Not thread-safe.
/// Cost     O(1) a job. 420 KiB and as much a stage; 1 KiB a slice; 1 MiB for 20 000 jobs.
/// Source   The draw of jobs: J. Vitter, "Random sampling with a reservoir", algorithm R (1985).
class Recorder {
 public:
  static constexpr std::size_t kMostJobs = 20'000;

  /// The load begins. `schedule` is that of the load, from its begin.
  Recorder(Schedule schedule, Instant start, WarmUp warm_up);

  Places& places() { return places_; }

  /// A job was sent for the first time. `open_loop`: the schedule has planned it; else it is
  /// planned now.
  void Sent(Instant planned, Instant now, bool open_loop);
  /// It has an answer, `error` unless it succeeded.
  void Ended(const JobEntry& job, std::string_view error);
  /// The frontend refused a job that goes out again.
  void Refused(std::string_view error);
  void Spoil(const Mark& mark) { marks_.Add(mark); }

  /// Time has passed: ends slices, stages and the warm-up, and plans what is due. `at_work()` says
  /// since when workers have had jobs; it is called when a stage ends.
  template <typename AtWork>
  void Advance(Instant now, std::uint64_t outstanding, const AtWork& at_work) {
    slices_.Advance(now, outstanding);
    if (closed_at_) return;
    // What was planned until now belongs to the warm-up.
    if (!total_ && WarmUpEnds(now, outstanding)) {
      BeginMeasuring(std::min(now + Duration(1), start_ + schedule_.End()));
      WatchBeginning(now);
    } else if (beginning_ && beginning_->IsDue(now)) {
      LookAtBeginning(now, outstanding, at_work());
    }
    if (schedule_.StageAt(now - start_) != stage_) BeginStages(now, at_work());
    PlanUntil(now);
  }

  /// The load ends: nothing is planned or sent from `now` on. `at_work` as for Advance.
  void Close(Instant now, std::span<const Instant> at_work);
  /// A job was planned and will never be sent.
  void GivenUp(Instant planned) { ForSegmentsOf(planned, &Segment::GivenUp, *closed_at_); }

  /// Nobody waits any more for jobs without an answer: `open` are unanswered.
  void Finish(Instant now, std::span<const OpenJob> open);

  // ---- what it has

  struct StageSegment {
    std::size_t stage = 0;
    Segment segment;
  };

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }
  [[nodiscard]] Instant start() const { return start_; }
  [[nodiscard]] std::optional<Instant> closed_at() const { return closed_at_; }
  [[nodiscard]] Instant finished_at() const { return finished_at_; }
  /// nullopt during the warm-up.
  [[nodiscard]] const std::optional<Segment>& total() const { return total_; }
  /// Why the warm-up was so long, for people.
  [[nodiscard]] std::string WarmUpText() const;
  [[nodiscard]] const std::vector<StageSegment>& stages() const { return stages_; }
  /// Of the whole load, the warm-up too.
  [[nodiscard]] const JobCounts& all_jobs() const { return all_jobs_; }
  [[nodiscard]] const Slices& slices() const { return slices_; }
  [[nodiscard]] const std::vector<Place>& all_places() const { return places_.all(); }
  [[nodiscard]] const ErrorCounts::Map& errors() const { return errors_.all(); }
  [[nodiscard]] const Marks& marks() const { return marks_; }
  /// Those that were drawn, in no order.
  [[nodiscard]] const std::vector<JobEntry>& jobs() const { return jobs_; }
  [[nodiscard]] std::uint64_t ended() const { return ended_; }
  /// When the warm-up is over, whatever happens; nullopt: it is.
  [[nodiscard]] std::optional<Instant> WarmUpEndsBy() const;
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  [[nodiscard]] std::uint64_t measured() const { return measured_; }
  /// Of those that had an answer, until the load was closed.
  [[nodiscard]] Duration longest_life() const { return longest_life_; }

 private:
  [[nodiscard]] bool WarmUpEnds(Instant now, std::uint64_t outstanding) const;
  void BeginMeasuring(Instant now);
  void WatchBeginning(Instant now);
  void LookAtBeginning(Instant now, std::uint64_t outstanding, std::span<const Instant> at_work);
  void BeginStages(Instant now, std::span<const Instant> at_work);
  void PlanUntil(Instant now);
  void Planned(Instant planned);
  void Draw(const JobEntry& job);

  // Calls the method of the total and of the stage in which the job was planned.
  template <typename Method, typename... Arguments>
  void ForSegmentsOf(Instant planned, Method method, const Arguments&... arguments) {
    if (total_ && total_->Has(planned)) ((*total_).*method)(planned, arguments...);
    if (Segment* const stage = StageOf(planned)) (stage->*method)(planned, arguments...);
  }
  Segment* StageOf(Instant planned);

  Schedule schedule_;  // what is planned next
  Instant start_;
  WarmUp warm_up_;
  std::optional<Beginning> beginning_;  // while there is something to look at
  std::optional<Beginning::Cut> cut_;
  std::optional<Instant> closed_at_;
  Instant finished_at_;
  std::optional<Segment> total_;
  std::size_t stage_ = 0;
  std::vector<StageSegment> stages_;
  JobCounts all_jobs_;
  Slices slices_;
  Places places_;
  ErrorCounts errors_;
  Marks marks_;
  std::vector<JobEntry> jobs_;
  Random random_;
  std::uint64_t ended_ = 0;
  std::uint64_t measured_ = 0;  // ended after the warm-up
  std::uint64_t refused_ = 0;   // answers after the warm-up, of jobs that went out again
  double life_seconds_ = 0;     // of the jobs that ended in the warm-up
  Duration longest_life_{};
};

}  // namespace twofold::load
