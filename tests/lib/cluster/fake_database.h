#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/cluster/effects.h"
#include "lib/cluster/inputs.h"
#include "lib/cluster/view.h"
#include "lib/common/instant.h"

namespace twofold::cluster {

/// Who sends a request.
struct Sender {
  std::string name;
  Incarnation incarnation;
};

/// A durable commit of an owner. `version` is the partition's version with it; `id` is its content.
struct DurableCommit {
  PartitionNumber partition;
  Epoch epoch;
  std::uint64_t version;
  std::uint64_t id;
};

/// The database in memory, with conditional writes as lib/cluster/effects.h asks for. It checks
/// what must hold whatever the frontends do, and can go back in time, as an asynchronous standby
/// that is promoted late.
class FakeDatabase {
 public:
  /// Partitions 0 to `partitions` - 1, never owned.
  explicit FakeDatabase(std::size_t partitions);

  [[nodiscard]] View Look() const;
  [[nodiscard]] const Partition& Row(PartitionNumber partition) const {
    return state_.rows.at(partition);
  }

  // Each says whether its condition held.
  bool Write(const Sender& sender, const effect::Beat& beat);
  bool Write(const Sender& sender, const effect::Claim& claim);
  bool Write(const Sender& sender, const effect::Release& release);
  bool Write(const effect::Mark& mark);
  /// Fenced by epoch and incarnation. A commit that is there already is done again.
  bool Write(const Sender& sender, const DurableCommit& commit);

  /// Reads.
  static bool Write(const Sender& /*sender*/, const effect::Look& /*look*/) { return true; }

  // What the sender is told, by what has come of its request.
  [[nodiscard]] Input Answer(const effect::Look& look, Verdict verdict) const;
  [[nodiscard]] static Input Answer(const effect::Beat& beat, Verdict verdict);
  [[nodiscard]] Input Answer(const effect::Claim& claim, Verdict verdict) const;
  [[nodiscard]] static Input Answer(const effect::Release& release, Verdict verdict);

  /// Remembers this moment for GoBack.
  void Save(Instant now);
  /// Back to the latest saved moment at or before `then`. False: there is none.
  bool GoBack(Instant then);
  /// How often it went back.
  [[nodiscard]] std::uint64_t timeline() const { return timeline_; }

  /// The commit that has this version now; 0: none.
  [[nodiscard]] std::uint64_t IdAt(PartitionNumber partition, std::uint64_t version) const;
  [[nodiscard]] std::uint64_t claims() const { return claims_; }

  /// The first thing that was wrong; empty: nothing.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

 private:
  struct State {
    std::map<std::string, Member> members;
    std::vector<Partition> rows;
  };
  struct Stored {
    Epoch epoch;
    Incarnation incarnation;
    std::uint64_t id;
  };

  [[nodiscard]] bool IsRegistered(const Sender& sender) const;
  [[nodiscard]] Member RowOf(const std::string& name) const;
  void Raise(Partition& row, Epoch epoch);
  void Append(const Sender& sender, const DurableCommit& commit);

  State state_;
  std::vector<std::vector<Stored>> logs_;  // by partition
  std::deque<std::pair<Instant, State>> saved_;
  std::uint64_t timeline_ = 0;
  std::uint64_t claims_ = 0;
  std::string complaint_;
};

}  // namespace twofold::cluster
