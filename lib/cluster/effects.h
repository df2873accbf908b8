#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "lib/cluster/view.h"

/// What an Ownership asks its shell to do, in this order.
///
/// Each write is one transaction that checks its condition and writes atomically: it locks the rows
/// that the condition reads. "Me" is the name and incarnation of OwnershipOptions; a claim and a
/// release have the further condition that the row of my name has my incarnation. A request that
/// is not answered is given up after some time: the shell may stop waiting for it, and must never
/// send it again.
namespace twofold::cluster::effect {

// ---- Requests to the database

/// Read both tables in one snapshot, from the primary. Answered by Looked or LookFailed.
struct Look {
  std::uint64_t number;

  friend bool operator==(const Look&, const Look&) = default;
};

/// Write my row (incarnation, beat, draining), if the row of my name has the incarnation `expected`
/// (0: there is no such row). Answered by Beaten.
///
/// The shell leaves out a beat while a queue hangs, so that a frontend that hangs looks dead.
struct Beat {
  std::uint64_t beat;
  Incarnation expected;
  bool draining;

  friend bool operator==(const Beat&, const Beat&) = default;
};

/// Make me the owner, with `epoch` and no next owner, if the row has the epoch `expected` and,
/// unless `dead.name` is empty, the row of that member still has this incarnation and beat (0 and
/// 0: there is no such row). Answered by Claimed.
struct Claim {
  PartitionNumber partition;
  Epoch expected;
  Epoch epoch;
  Member dead;  ///< the owner before

  friend bool operator==(const Claim&, const Claim&) = default;
};

/// Leave the partition without owner, with `epoch` and the next owner, if the row has the epoch
/// `expected`. Sent when what Close asks for has been done. Answered by Released.
struct Release {
  PartitionNumber partition;
  Epoch expected;
  Epoch epoch;
  std::string next;  ///< empty: anybody

  friend bool operator==(const Release&, const Release&) = default;
};

/// Write `losses` into the partition's row, if the row has a lower number. Not answered: the next
/// look shows it.
struct Mark {
  PartitionNumber partition;
  std::uint64_t losses;

  friend bool operator==(const Mark&, const Mark&) = default;
};

// ---- To the queues

/// Load the partition from the database and serve it. Each durable commit is fenced by `epoch` and
/// my incarnation. Durable work, and any work of a queue whose limits are strict, waits for Resume.
struct Open {
  PartitionNumber partition;
  Epoch epoch;

  friend bool operator==(const Open&, const Open&) = default;
};

/// Let durable and strict work begin, or go on.
struct Resume {
  PartitionNumber partition;

  friend bool operator==(const Resume&, const Resume&) = default;
};

/// Stop durable and strict work: somebody else may have the partition soon, or commits are lost.
/// Volatile work goes on.
struct Suspend {
  PartitionNumber partition;

  friend bool operator==(const Suspend&, const Suspend&) = default;
};

/// Stop serving the partition, and send its streams on to the new owner.
struct Close {
  PartitionNumber partition;
  Epoch epoch;

  friend bool operator==(const Close&, const Close&) = default;
};

// ---- To people and the process

/// The database has gone back: it had `known` and now has `found`. Log it and count it.
struct Lost {
  PartitionNumber partition;
  Epoch known_epoch;
  std::uint64_t known_version;
  Epoch found_epoch;
  std::uint64_t found_version;

  friend bool operator==(const Lost&, const Lost&) = default;
};

/// All partitions are handed over.
struct Drained {
  friend bool operator==(const Drained&, const Drained&) = default;
};

/// Another process has registered under this name. All is closed, and Step does nothing any more:
/// end the process.
struct Replaced {
  friend bool operator==(const Replaced&, const Replaced&) = default;
};

}  // namespace twofold::cluster::effect

namespace twofold::cluster {

using Effect = std::variant<effect::Look, effect::Beat, effect::Claim, effect::Release,
                            effect::Mark, effect::Open, effect::Resume, effect::Suspend,
                            effect::Close, effect::Lost, effect::Drained, effect::Replaced>;

}  // namespace twofold::cluster
