#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backend/workload/job.h"
#include "lib/common/result.h"
#include "twofold/v1/results.pb.h"

namespace twofold::backend {

/// One member of one attempt at a gang's job. A process may have several of a gang.
struct MemberId {
  AttemptId gang;  ///< GangRoster.job and .attempt, not those of the member's own row
  std::uint32_t rank = 0;

  friend bool operator==(const MemberId&, const MemberId&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const MemberId& id) {
    return H::combine(std::move(hash), id.gang, id.rank);
  }
};

inline MemberId IdOf(const GangSeat& seat) {
  return {{seat.gang->job(), seat.gang->attempt()}, seat.rank};
}

/// How the members of a gang reach each other: what runs benchmarks needs of the service Peers
/// (proto/twofold/v1/peers.proto), at both of its ends. A process has one for all its slots.
///
/// A GangSeat lives for the call only: what is needed of it later is copied.
///
/// Threads  All on the thread of the io_context, callbacks too. A callback may come before the call
///          that asked for it returns.
class PeerLink {
 public:
  using OnRecord = std::function<void(v1::RankRecord)>;
  using OnCollected = std::function<void(Result<v1::RankRecord>)>;

  /// A member that runs in this process, as rank 0 asks for it.
  class Member {
   public:
    /// Peers.Collect: waits until what is measured here has ended, unless `stop` says that it need
    /// not go on; then stops servers, and tells what ran. May be asked again, by a rank 0 that got
    /// no answer; each time is answered once, or not at all if the member is withdrawn first.
    virtual void Collect(bool stop, OnRecord on_record) = 0;

   protected:
    ~Member() = default;
  };

  virtual ~PeerLink() = default;

  // ---- Ranks above 0

  /// The member can be called from now on, and if `serves_exec` programs be started here. Called
  /// before the member says that it is ready. `environment` (NAME=VALUE, or NAME alone for what
  /// must not be inherited) is of all that is started here, `directory` where. REQUIRES: `member`
  /// lives until it is withdrawn.
  virtual void Announce(const GangSeat& seat, Member& member, bool serves_exec,
                        std::vector<std::string> environment, std::string directory) = 0;

  /// The attempt is over here: ends all that was started through it, refuses further calls, and
  /// says so once nothing is left. Answers that were given before are still sent. Does nothing but
  /// answer for one that was not announced.
  virtual void Withdraw(const MemberId& id, std::function<void()> on_gone) = 0;

  // ---- Rank 0

  /// What the programs of rank 0 have to know to start others at the members (twofold-rsh), beside
  /// the variables of JobEnvironment; NAME=VALUE.
  virtual std::vector<std::string> Environment(const GangSeat& seat) = 0;

  /// Asks the member with this rank for its record, see Member::Collect. Told once, unless Forget
  /// comes first. All members of a gang may be asked at once. A member that is not reached is tried
  /// again for a while; one that takes its time is waited for.
  /// Errors   kUnavailable and others: one line, without rank and address.
  virtual void Collect(const GangSeat& seat, std::uint32_t rank, bool stop,
                       OnCollected on_collected) = 0;

  /// Nothing is told to this rank 0 any more.
  virtual void Forget(const MemberId& id) = 0;
};

}  // namespace twofold::backend
