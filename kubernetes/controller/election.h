#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "kubernetes/api/call.h"
#include "lib/common/instant.h"

namespace twofold::controller {

struct ElectionOptions {
  kube::ObjectName lease;
  std::string identity;  ///< of this process alone: host and a random part
  Duration lease_for = std::chrono::seconds(15);
  /// Whoever has not renewed the lease for so long leads no more: less than `lease_for`, so that
  /// nobody still acts when another begins.
  Duration renew_within = std::chrono::seconds(10);
  Duration retry = std::chrono::seconds(2);  ///< between two tries
};

/// Decides who of several processes leads, by a Lease that all of them see. The caller reads and
/// writes it:
///
///     election.See(Get(lease), now);
///     if (const auto claim = election.Claim(now, wall)) {
///       const auto answer = Do(*claim);
///       if (answer.ok()) election.Claimed(*answer, now);
///     }
///
/// A follower judges by its own clock since it last saw the lease change, never by the times in it:
/// clocks of two hosts differ.
///
/// Time     Passed in: `now` is monotonic; `wall` is only written for people.
/// Threads  Not thread-safe.
/// Source   client-go's leaderelection.
class Election {
 public:
  explicit Election(ElectionOptions options) : options_(std::move(options)) {}

  /// What the server has; nullopt: no lease.
  void See(const std::optional<kube::Json>& lease, Instant now);

  /// What to write to lead, or to go on leading; nullopt: somebody else leads. A Conflict if the
  /// lease has changed since See.
  [[nodiscard]] std::optional<kube::Call> Claim(Instant now, kube::UnixTime wall) const;

  /// The claim was written. `sent`: before it was sent; from then on the lease is ours.
  void Claimed(const kube::Json& answer, Instant sent);

  /// Until when we lead, if the lease is not renewed; nullopt: it is not ours.
  [[nodiscard]] std::optional<Instant> LeadsUntil() const;

  [[nodiscard]] bool Leads(Instant now) const;

  /// What to write at a clean end, so that a follower takes over at once; nullopt: the lease is not
  /// ours.
  [[nodiscard]] std::optional<kube::Call> Release(Instant now, kube::UnixTime wall) const;

  /// Who leads, as far as is known; empty: nobody.
  [[nodiscard]] const std::string& holder() const { return holder_; }

  [[nodiscard]] const ElectionOptions& options() const { return options_; }

 private:
  [[nodiscard]] bool IsOurs() const { return holder_ == options_.identity; }
  [[nodiscard]] kube::Call Write(kube::Json spec) const;

  const ElectionOptions options_;
  bool exists_ = false;
  std::string version_;  // of the lease that was seen last
  std::string holder_;
  std::int64_t transitions_ = 0;
  Duration holder_for_{};          // how long its holder has it without renewing it
  std::optional<Instant> seen_{};  // when the lease was last seen to change
  std::optional<Instant> renewed_{};
};

}  // namespace twofold::controller
