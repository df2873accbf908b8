#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "lib/cluster/view.h"

/// All that can happen to an Ownership, as values.
///
/// Answers may come late, twice or never: each names its request, and one that is not waited for
/// any more changes nothing.
namespace twofold::cluster {

/// What came of a conditional write.
enum class Verdict : std::uint8_t {
  kDone,     ///< committed, and where the database has a synchronous standby, there as well
  kRefused,  ///< not carried out: its condition does not hold
  kInDoubt,  ///< anything else: a broken connection, a timeout, a notice on COMMIT
};

namespace input {

/// The answer to effect::Look. Step returns Check(view) of it; a view that fails is not used.
struct Looked {
  std::uint64_t number;
  View view;
};

/// The Look failed.
struct LookFailed {
  std::uint64_t number;
};

/// The answer to effect::Beat.
struct Beaten {
  std::uint64_t beat;
  Verdict verdict;
};

/// The answer to effect::Claim. `version` and `losses` are the row's, read by the claim.
struct Claimed {
  PartitionNumber partition;
  Epoch epoch;
  Verdict verdict;
  std::uint64_t version = 0;
  std::uint64_t losses = 0;
};

/// The answer to effect::Release.
struct Released {
  PartitionNumber partition;
  Epoch epoch;
  Verdict verdict;
};

/// The database has acknowledged a durable commit; after it the row's version is `version`, or
/// higher.
struct Committed {
  PartitionNumber partition;
  std::uint64_t version;
};

/// The database has refused a durable commit of this epoch, or no longer has the newest one that it
/// acknowledged (which the shell looks for before its first commit on a new connection).
struct Deposed {
  PartitionNumber partition;
  Epoch epoch;
};

// ---- Admin

/// Hands all partitions over, one by one, and takes no others. It ends with effect::Drained.
struct Drain {};

/// Hands a partition over to a member. It is an error unless this frontend has the partition open
/// (kFailedPrecondition names the owner to ask) and the member is alive and not draining.
struct Move {
  PartitionNumber partition;
  std::string to;
};

/// Lets durable work go on with what the database still has. kFailedPrecondition: nothing is lost.
struct Accept {
  PartitionNumber partition;
};

/// Somebody says that rows have changed: look soon.
struct LookAgain {};

/// Does what is due, see Ownership::NextDeadline.
struct Tick {};

}  // namespace input

using Input = std::variant<input::Looked, input::LookFailed, input::Beaten, input::Claimed,
                           input::Released, input::Committed, input::Deposed, input::Drain,
                           input::Move, input::Accept, input::LookAgain, input::Tick>;

}  // namespace twofold::cluster
