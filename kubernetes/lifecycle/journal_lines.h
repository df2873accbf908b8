#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/moments/said.h"
#include "kubernetes/lifecycle/submitter.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "lib/common/result.h"

/// The lines of a journal: JSON objects, `t` in Unix nanoseconds. The first has the run's record,
/// each other one what the Observer was told, or what is known beside it. Pure.
namespace twofold::lifecycle {

/// What a report needs and no Observer knows.
struct Tally {
  SubmitCounts sending;
  std::uint64_t breaks = 0;             ///< of watches
  std::uint64_t resumed = 0;            ///< processes that went on where one had ended
  std::set<std::string> watchers = {};  ///< hosts on which they ran
  bool full = false;                    ///< the journal has come to its limit

  friend bool operator==(const Tally&, const Tally&) = default;
};

/// `record`: the ConfigMap as the server has it.
std::string HeadLine(const Object& record);

/// The record. Errors   kInvalidArgument: it is no head, or that of another version.
Result<Object> ReadHead(const Object& line);

/// Objects are trimmed to what `kind` reads.
std::string LineOf(const Said& said, const Kind& kind, const Anchor& anchor);
std::string LineOf(const Tally& tally, std::int64_t unix_ns);

/// Says that nothing more was written, as there was no room.
std::string FullLine();

/// What lines say that are not for the Observer.
struct Aside {
  Tally tally;     ///< the last one
  Instant latest;  ///< when that was
};

/// Tells a line to the observer, or keeps it in `aside`.
/// Errors   kInvalidArgument, names the field; those of the Observer.
Status TakeLine(const Object& line, const Anchor& anchor, Observer& observer, Aside& aside);

}  // namespace twofold::lifecycle
