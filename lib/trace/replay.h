#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::queue::trace {

struct ReplayOptions {
  std::string queue = {};   ///< only this one; empty: all
  std::uint64_t until = 0;  ///< the last input to replay; 0 = all
  /// Gets the trace as text, line by line, as far as it has been reproduced, and the call that
  /// differs; empty: nobody wants it.
  std::function<void(const std::string&)> print = {};
};

/// Where a replay came out otherwise than what was recorded.
struct Difference {
  std::uint64_t input;  ///< from 1, over all queues of the file
  Duration time;        ///< since the first input of the file
  std::string queue;
  std::string call;
  std::vector<std::string> expected;  ///< effects and result as recorded
  std::vector<std::string> got;
};

/// How a trace ends.
enum class TraceEnd : std::uint8_t {
  kStopped,  ///< in order
  kKilled,   ///< between two records: the program was killed, or could not go on writing
  kCut,      ///< the same, within a record
  kNotRead,  ///< the replay ended before
};

struct ReplayReport {
  std::uint64_t inputs = 0;   ///< that were reproduced
  std::uint64_t effects = 0;  ///< that these have led to
  std::uint64_t queues = 0;
  TraceEnd end = TraceEnd::kNotRead;
  std::uint64_t cut_at = 0;  ///< the byte where a cut record begins
  std::optional<Difference> difference;
};

/// Runs the inputs of a trace through fresh queues and compares what comes of each with what was
/// recorded, byte for byte. Ends at the first difference.
///
/// Errors   InvalidArgument: no trace, another version, damaged (where, and how many inputs before
///          it were reproduced). NotFound: it has no queue of this name.
/// Cost     Memory of the queues and one record, whatever the size of the file.
Result<ReplayReport> Replay(std::istream& in, const ReplayOptions& options);

/// The report for people, a few lines.
std::string Text(const ReplayReport& report);

}  // namespace twofold::queue::trace
