#pragma once

#include <map>
#include <optional>
#include <string>

#include "lib/cluster/view.h"
#include "lib/common/instant.h"

namespace twofold::cluster {

/// Watches the beats of members, and says which members are dead.
///
/// A member is dead when one of its beats has been seen for a whole TTL: from the arrival of the
/// look that first showed it to the sending of the latest look that shows it. So the beat stood
/// still for at least as long in the database, and no clocks of two hosts are compared. When looks
/// fail for longer than `gap`, all members start anew: after an outage of the database nobody has
/// had a chance to beat.
///
/// Time     Callers pass it.
/// Threads  Not thread-safe.
/// Cost     See: O(n log n) for n members and owners. IsDead, Evidence: O(log n).
class Witness {
 public:
  Witness(Duration ttl, Duration gap) : ttl_(ttl), gap_(gap) {}

  /// Takes in a look that was sent at `sent` and answered at `now`.
  void See(Instant sent, Instant now, const View& view);

  /// Whether the member is dead as of the latest look. An owner without a row counts as a member
  /// that does not beat; a name that the look did not show at all is not known to be dead.
  [[nodiscard]] bool IsDead(const std::string& name) const;

  /// The name with the incarnation and the beat that the latest look showed; 0 and 0: no row.
  [[nodiscard]] Member Evidence(const std::string& name) const;

 private:
  struct Seen {
    Incarnation incarnation = 0;
    std::uint64_t beat = 0;
    Instant since;  // arrival of the look that first showed the beat
  };

  void Note(Instant now, const Member& member, std::map<std::string, Seen>& next) const;

  const Duration ttl_;
  const Duration gap_;
  std::map<std::string, Seen> seen_;
  Instant sent_;  // the latest look
  std::optional<Instant> answered_;
};

}  // namespace twofold::cluster
