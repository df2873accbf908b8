#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/common/result.h"

/// Words of the cluster: several frontends that share one database. Plain values: no I/O, no clock.
namespace twofold::cluster {

/// Names a partition: a queue, or a shard of one. The top 8 bits of its jobs' ids.
using PartitionNumber = std::uint8_t;

/// Fences commits: each new hold on a partition has a higher one. 0: nobody has had it yet.
using Epoch = std::uint64_t;

/// One life of a frontend: random, made once at its start. 0: none.
using Incarnation = std::uint64_t;

inline constexpr std::size_t kMostMembers = 256;
inline constexpr std::size_t kMostPartitions = 256;
inline constexpr std::size_t kLongestName = 253;  ///< bytes, as of a DNS name
/// Epochs, beats and versions stay below: the sums of a sane number of them fit into an int8 of
/// SQL.
inline constexpr std::uint64_t kHighestNumber = std::uint64_t{1} << 62;

/// A row of the table of frontends.
struct Member {
  std::string name;
  Incarnation incarnation = 0;
  std::uint64_t beat = 0;  ///< changes about once a second while the frontend lives
  bool draining = false;   ///< hands its partitions over and takes no others

  friend bool operator==(const Member&, const Member&) = default;
};

/// A row of the table of partitions.
struct Partition {
  PartitionNumber number = 0;
  Epoch epoch = 0;
  std::string owner = {};             ///< a member's name; empty: nobody
  Incarnation owner_incarnation = 0;  ///< the owner's life that claimed `epoch`
  std::string next = {};              ///< whom the owner before has named; empty: anybody
  std::uint64_t version = 0;          ///< rises with each durable commit
  /// Rises with each loss of acknowledged commits and each acceptance of one. Odd: durable work
  /// waits for an admin.
  std::uint64_t losses = 0;

  friend bool operator==(const Partition&, const Partition&) = default;
};

/// Whether commits are lost, and no admin has accepted it yet.
constexpr bool IsLost(std::uint64_t losses) { return losses % 2 != 0; }

/// What one Look shows: one snapshot of both tables.
struct View {
  std::vector<Member> members = {};
  std::vector<Partition> partitions = {};
};

/// kInvalidArgument: a limit above is exceeded, or a name or number is there twice. The message
/// names the row and the field. O(n log n).
Status Check(const View& view);

}  // namespace twofold::cluster
