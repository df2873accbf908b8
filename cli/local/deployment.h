#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lib/common/backoff.h"
#include "lib/common/instant.h"

namespace twofold::local {

/// What the owner of the processes has to do for a replica.
struct Action {
  enum class Kind { kStart, kTerminate, kKill };
  Kind kind;
  int replica;

  friend bool operator==(const Action&, const Action&) = default;
};

struct DeploymentPolicy {
  Duration grace = std::chrono::seconds(30);                ///< from the request to end to the kill
  Duration first_backoff = std::chrono::milliseconds(250);  ///< before the first restart
  Duration most_backoff = std::chrono::seconds(10);
  Duration stable = std::chrono::seconds(10);  ///< ran so long: its next backoff is the first again
};

/// Keeps N replicas of a program running, as a Deployment of Kubernetes does: starts what is
/// missing, restarts what ends with growing pauses, ends what is too many. Pure: it says what to do
/// and is told what happened; it knows no process.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
class Deployment {
 public:
  explicit Deployment(DeploymentPolicy policy) : policy_(policy) {}

  /// How many there shall be. Takes effect with the next Step.
  void Scale(int replicas) { desired_ = replicas; }

  /// Nothing is started from now on, so what ends stays away.
  void Hold() { held_ = true; }
  /// Ends that. What is missing is due at once.
  void Release(Instant now);
  [[nodiscard]] bool held() const { return held_; }

  /// Replicas ended from now on, and those already asked to end, get `grace` at most.
  void ShortenGrace(Duration grace, Instant now);

  /// What to do now. Each action comes once; kStart counts as done unless OnExit says otherwise.
  std::vector<Action> Step(Instant now);

  /// The process of this replica has ended (or could not be started).
  void OnExit(int replica, Instant now);

  /// When Step has something to do next, if nothing else happens.
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  [[nodiscard]] int desired() const { return desired_; }
  [[nodiscard]] int running() const { return Count(State::kRunning); }
  [[nodiscard]] int waiting() const { return Count(State::kWaiting); }  ///< for their restart
  [[nodiscard]] int terminating() const {
    return Count(State::kTerminating) + Count(State::kKilled);
  }
  [[nodiscard]] int restarts() const { return restarts_; }

 private:
  enum class State { kWaiting, kRunning, kTerminating, kKilled };

  struct Replica {
    State state = State::kWaiting;
    Instant due;      ///< kWaiting: when to start; kTerminating: when to kill
    Instant started;  ///< of the last start
    Backoff backoff;
  };

  [[nodiscard]] int Count(State state) const;
  [[nodiscard]] int FreeNumber() const;
  void AddMissing(Instant now);
  void RemoveSurplus(Instant now, std::vector<Action>& actions);

  DeploymentPolicy policy_;
  int desired_ = 0;
  int restarts_ = 0;
  bool held_ = false;
  std::map<int, Replica> replicas_;
};

}  // namespace twofold::local
