#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/cluster/effects.h"
#include "lib/cluster/inputs.h"
#include "lib/cluster/succession.h"
#include "lib/cluster/view.h"
#include "lib/cluster/witness.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::cluster {

/// The same for all members but for `name` and `incarnation`. All times derive from the TTL.
struct OwnershipOptions {
  std::string name;                        ///< this frontend's; no two processes at a time have it
  Incarnation incarnation = 1;             ///< random; not 0
  Duration ttl = std::chrono::seconds(6);  ///< without a beat for so long, a member is dead

  /// From one look to the next, and from beat to beat.
  [[nodiscard]] Duration Period() const { return ttl / 6; }
  /// Between looks that are asked for.
  [[nodiscard]] Duration Pause() const { return ttl / 60; }
  /// How long an answer to a look or a beat may take. With one period it is less than Gap, so one
  /// answer that is lost does not restart the clocks of the dead.
  [[nodiscard]] Duration Patience() const { return ttl / 4; }
  /// The same for claims and releases, which may wait for a commit that locks the row.
  [[nodiscard]] Duration ClaimPatience() const { return ttl / 2; }
  /// The longest time between two looks during which beats are watched.
  [[nodiscard]] Duration Gap() const { return ttl / 2; }
  /// An owner is strict for so long; the rest of the TTL is for clocks that run at different rates
  /// and for the time that stopping takes.
  [[nodiscard]] Duration StrictFor() const { return ttl * 4 / 5; }
  /// How long others leave a partition to its heir.
  [[nodiscard]] Duration StandAside() const { return ttl / 3; }
};

/// Says which partitions this frontend owns, and until when nobody else can.
///
/// Frontends share a database that holds one row a member and one a partition. Each looks at all
/// rows about once a second, changes the number in its own as often (a beat), and claims
/// partitions that have no owner, or whose owner's beat stands still. The rules:
///
///  1. A claim raises the epoch above all that this frontend has seen or tried, and fails if the
///     row has changed or the dead owner has beaten since. The database refuses commits of older
///     epochs. A release raises the epoch, too, and names the next owner.
///  2. Only a claim that is known to be done opens a partition. A row that names this frontend
///     otherwise (a claim in doubt, an earlier life under the name) is claimed once more, at once.
///  3. Durable and strict work needs proof: a look or claim that shows this frontend as the owner
///     and was sent after a beat was acknowledged. The proof holds for StrictFor from the *sending*
///     of that beat. A taker counts the whole TTL from the time at which it saw that beat or a
///     later one, so it comes after. Without proof work is suspended; volatile work goes on.
///  4. A row whose epoch or version is lower than what was known when the look was sent says that
///     the database has lost acknowledged commits. Durable work stops on all frontends until an
///     admin accepts; then the owner loads what is left, under a new epoch.
///  5. A partition stays with its owner until that one is dead, drains, or an admin moves it. One
///     without owner is left for StandAside to its heir (see Succession), then anybody may claim
///     it. One that never had an owner waits a TTL first, so that the first frontend does not take
///     all.
///
/// Once faults end, a partition has an owner that is strict within two TTLs, and three if it never
/// had one. A loss that new commits have covered before anybody who knew more looks is not seen.
///
/// Time     Callers pass `now`, never going back. Only its own clock is compared.
/// Threads  Not thread-safe: one strand. No I/O.
/// Errors   See inputs.h; after an error nothing has changed, but what was due is done.
/// Cost     Looked: O((m + p) log(m + p)) for m members and p partitions, others O(p). Memory:
///          some 300 bytes a partition, 200 a member.
/// Order    Same calls, same effects.
/// Source   Epochs: Temporal's range ids. Clocks of the dead: client-go's leader election.
class Ownership {
 public:
  explicit Ownership(const OwnershipOptions& options)
      : options_(options), witness_(options.ttl, options.Gap()) {}

  /// Takes in what has happened, and appends what the shell has to do, in order. The first call is
  /// a Tick.
  Status Step(Instant now, const Input& input, std::vector<Effect>& effects);

  /// When a Tick is due. The end of time after Replaced.
  [[nodiscard]] Instant NextDeadline() const;

  /// Until when durable and strict work of the partition is this frontend's alone; nullopt: it is
  /// suspended or not open. Ask right before such work: a process may have slept since Resume.
  [[nodiscard]] std::optional<Instant> StrictUntil(PartitionNumber partition) const;

  /// The epoch under which the partition is open here; nullopt: it is not.
  [[nodiscard]] std::optional<Epoch> OpenEpoch(PartitionNumber partition) const;

  /// The latest row of the partition, to send callers to its owner; nullptr: no look has shown it.
  [[nodiscard]] const Partition* Find(PartitionNumber partition) const;

 private:
  /// A request of which one is under way at a time.
  struct Request {
    Instant sent;
    std::optional<Instant> proof;  // sending of the newest beat acknowledged before
  };

  /// How much of a partition's history is in the database.
  struct Stored {
    Epoch epoch = 0;
    std::uint64_t version = 0;
  };

  /// A partition that is open here.
  struct Hold {
    Epoch epoch;
    std::optional<Instant> proof;  // sending of the beat that proves it, see rule 3
    bool resumed = false;
    bool outdated = false;  // memory has what the database has lost: load again
  };

  /// A claim or release under way.
  struct Change {
    Epoch epoch;
    Request request;
  };

  struct Standing {
    Partition row = {};
    bool current = false;   // the latest look has shown the row, and nothing newer is known
    Stored known = {};      // the newest that is known to be stored
    Stored must_show = {};  // `known`, when the look under way was sent
    Epoch highest = 0;      // of all epochs seen or tried
    std::optional<Instant> vacant_since = {};
    std::optional<Hold> hold = {};
    std::optional<Change> change = {};
    std::uint64_t losses = 0;  // the highest known, see Partition
  };

  /// A partition on its way to its next owner while this frontend drains.
  struct Handover {
    PartitionNumber partition;
    Instant since;
  };

  using Effects = std::vector<Effect>;

  Status On(Instant now, const input::Looked& looked, Effects& effects);
  Status On(Instant now, const input::LookFailed& failed, Effects& effects);
  Status On(Instant now, const input::Beaten& beaten, Effects& effects);
  Status On(Instant now, const input::Claimed& claimed, Effects& effects);
  Status On(Instant now, const input::Released& released, Effects& effects);
  Status On(Instant now, const input::Committed& committed, Effects& effects);
  Status On(Instant now, const input::Deposed& deposed, Effects& effects);
  Status On(Instant now, const input::Drain& drain, Effects& effects);
  Status On(Instant now, const input::Move& move, Effects& effects);
  Status On(Instant now, const input::Accept& accept, Effects& effects);
  Status On(Instant now, const input::LookAgain& again, Effects& effects);
  Status On(Instant now, const input::Tick& tick, Effects& effects);

  // What a look shows
  void FindSelf(Instant now, Instant sent, Effects& effects);
  void Leave(Effects& effects);
  void SeeRows(const Request& look, const View& view, Effects& effects);
  void SeeRow(const Request& look, const Partition& row, Effects& effects);
  static void SeeLoss(Standing& standing, Effects& effects);
  void SeeOwner(const Request& look, Standing& standing, Effects& effects);
  void FindAble(const View& view);
  void Reclaim(Instant now, Standing& standing, Effects& effects);
  void Succeed(Instant now, Effects& effects);
  [[nodiscard]] bool IsVacant(const Partition& row) const;
  [[nodiscard]] Duration Waits(const Partition& row, bool is_heir) const;

  // What is due
  void GiveUp(Instant now);
  void Judge(Instant now, Effects& effects);
  void HandOver(Instant now, Effects& effects);
  void Ask(Instant now, Effects& effects);
  [[nodiscard]] bool IsHandingOver(Instant now) const;
  [[nodiscard]] bool IsRid() const;

  static void Lose(Standing& standing, const Stored& found, Effects& effects);
  void Claim(Instant now, Standing& standing, Effects& effects);
  void Release(Instant now, Standing& standing, const std::string& next, Effects& effects);
  static void Close(Standing& standing, Effects& effects);
  [[nodiscard]] bool IsMine(const Partition& row) const;
  [[nodiscard]] bool MayClaim(Instant now) const;
  [[nodiscard]] bool Holds(const std::optional<Instant>& proof, Instant now) const;
  [[nodiscard]] Standing* Known(PartitionNumber partition);

  const OwnershipOptions options_;
  Witness witness_;
  Succession able_;
  std::map<PartitionNumber, Standing> standings_;

  // Looks
  std::uint64_t look_number_ = 0;
  std::optional<Request> look_;
  Instant look_at_{};    // when the next one is due
  Instant looked_at_{};  // when the newest was sent

  // Beats
  std::uint64_t beat_number_ = 0;
  std::optional<Request> beat_;
  Instant beat_at_{};
  std::optional<Instant> acknowledged_;  // sending of the newest beat that was

  // Registration
  std::optional<Incarnation> expected_;  // in the row of this name; nullopt: the next look says
  Incarnation before_ = 0;               // the incarnation that this one took the name from
  std::optional<Instant> registered_;    // since when the row is known to be this one's

  bool draining_ = false;
  bool drained_ = false;
  std::optional<Handover> handover_;
  bool replaced_ = false;
};

}  // namespace twofold::cluster
