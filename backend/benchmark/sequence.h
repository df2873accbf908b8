#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/suite/measurements.h"
#include "lib/suite/plan.h"

namespace twofold::backend {

/// How a stage ended.
struct StageEnd {
  enum class How : std::uint8_t {
    kWell,    ///< with exit code 0
    kBadly,   ///< with another one, or by a signal that was not ours
    kBroken,  ///< it could not be started, or we stopped it because of `why`
  };
  How how = How::kWell;
  std::string why = {};  ///< one line; empty if it ended well
};

/// The part of one rank in a job: which stage is to be started or stopped next. Servers are started
/// one after the other, each when the one before is ready.
///
/// Whether a kRun stage that ended badly is a failure only its output tells, so it is none here
/// unless stages are left out because of it.
///
/// Threads  Pure state: no I/O, no clock.
/// Cost     Next is O(stages) at worst.
class StageSequence {
 public:
  enum class Do : std::uint8_t {
    kWait,          ///< for an event
    kStart,         ///< the stage
    kStop,          ///< the stage, which runs; once
    kTellReady,     ///< the rank is ready; with a barrier Go has to follow. Once
    kTellMeasured,  ///< the last kRun stage is through. Once; Close has to follow
    kTellOver,      ///< all has ended, by Close or by a failure. Once
  };
  struct Step {
    Do what = Do::kWait;
    std::size_t stage = 0;  ///< of kStart and kStop: index into the stages

    friend bool operator==(const Step&, const Step&) = default;
  };

  /// `barrier`: kRun stages wait for Go. REQUIRES: `stages` live as long as this.
  StageSequence(std::span<const suite::Stage> stages, bool barrier);

  /// What is to be done now. Ask until it is kWait, after each of the events below.
  Step Next();

  /// The conditions of a server have come true.
  void Ready(std::size_t stage);
  /// The stage that was started has ended, or could not be started.
  void Ended(std::size_t stage, const StageEnd& end);
  void Go() { gone_ = true; }
  /// No more is needed: what runs is to be stopped.
  void Close() { closing_ = true; }

  /// What went wrong first, by the name of the stage; nullopt: nothing so far.
  [[nodiscard]] const std::optional<suite::Failure>& failure() const { return failure_; }
  /// The stages that have been started, in this order.
  [[nodiscard]] std::span<const std::size_t> started() const { return {order_.data(), started_}; }

 private:
  enum class State : std::uint8_t { kPending, kRunning, kStopping, kEnded };

  Step NextToStop();
  void ServerEnded(std::size_t stage, const StageEnd& end);
  void Fail(std::size_t stage, const std::string& reason);

  std::span<const suite::Stage> stages_;
  std::vector<std::size_t> order_;  // by phase, then as listed
  std::vector<State> states_;       // by stage
  std::size_t started_ = 0;         // how many of `order_`
  bool busy_ = false;               // the newest is to end, or to get ready, before the next starts
  bool gone_;
  bool closing_ = false;
  bool told_ready_ = false;
  bool told_measured_ = false;
  bool told_over_ = false;
  std::optional<suite::Failure> failure_;
};

}  // namespace twofold::backend
