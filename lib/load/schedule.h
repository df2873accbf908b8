#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/random.h"
#include "lib/load/profile.h"

namespace twofold::load {

/// A job of an open loop.
struct DueJob {
  Duration due{};        ///< since the load began
  std::size_t kind = 0;  ///< index into Profile::jobs
};

/// Says what a profile asks for at each moment: which jobs are due when, and how many are to be
/// outstanding. The same profile gives the same answers, whenever it is asked.
///
/// A constant arrival is due each time the integral of the rate passes a whole number, the first at
/// once; what is left of a number at the end of a stage goes on in the next. A Poisson arrival is
/// due when the integral has grown by a number drawn from the exponential distribution of mean 1.
///
/// Time     Since the load began.
/// Threads  Not thread-safe.
/// Cost     Take: a few looks at a curve, below 1 µs.
/// Source   Time change of the Poisson process: any text on point processes (Daley, Vere-Jones).
class Schedule {
 public:
  explicit Schedule(std::shared_ptr<const Profile> profile);

  /// When the next job is due; nullopt: none from now on.
  [[nodiscard]] std::optional<Duration> NextDue() const { return next_; }

  /// That job. REQUIRES: there is one.
  DueJob Take();

  /// How many jobs are to be outstanding at `t`; 0 in an open loop.
  [[nodiscard]] std::uint32_t Parallelism(Duration t) const;

  /// Whether the stage at `t` is one of an open loop.
  [[nodiscard]] bool IsOpen(Duration t) const { return Rate(t).has_value(); }

  /// The first moment after `t` at which Parallelism gives another number or the load ends;
  /// nullopt: it never does.
  [[nodiscard]] std::optional<Duration> NextChange(Duration t) const;

  /// Jobs a second that are planned at `t`; nullopt: a closed loop, or after the end.
  [[nodiscard]] std::optional<double> Rate(Duration t) const;

  /// The stage at `t`; the number of stages after the end.
  [[nodiscard]] std::size_t StageAt(Duration t) const;
  [[nodiscard]] Duration BeginOf(std::size_t stage) const {
    return stage == 0 ? Duration(0) : ends_[stage - 1];
  }
  [[nodiscard]] Duration End() const { return ends_.back(); }

  [[nodiscard]] const Profile& profile() const { return *profile_; }

 private:
  void FindNext();
  std::optional<double> NextInStage(const Stage& stage);
  double Step();

  std::shared_ptr<const Profile> profile_;
  Random arrivals_;
  Random kinds_;  // apart, so that a mix of jobs does not move their arrivals
  double weights_ = 0;
  std::vector<Duration> ends_;  // of the stages
  std::size_t stage_ = 0;
  double began_ = 0;        // of the stage
  double last_ = 0;         // time in the stage of the job before
  double target_ = 0;       // integral of the stage's rate at which the next job is due
  std::size_t moment_ = 0;  // of a trace
  std::optional<Duration> next_;
};

}  // namespace twofold::load
