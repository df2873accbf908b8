#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/common/result.h"
#include "lib/queue/queue.h"
#include "lib/trace/options_table.h"

namespace twofold::queue::trace {

/// One queue, as far as its trace has been read.
struct TracedLine {
  std::string name;
  QueueOptions options;
  OptionsTable table;
  Instant last{};  ///< time of its last step
};

/// A queue begins.
struct QueueBegins {
  std::uint64_t queue;
};

/// Options that jobs use from now on.
struct OptionsBegin {
  std::uint64_t queue;
  std::uint64_t number;
};

/// A call, and what came of it. Valid until the next record is decoded.
struct Step {
  std::uint64_t queue;
  Instant now;
  Input input;
  std::string_view outputs;
};

/// The frontend has stopped in order.
struct TraceEnds {};

using Event = std::variant<QueueBegins, OptionsBegin, Step, TraceEnds>;

/// Says what the records mean, in order.
///
/// Errors   InvalidArgument: values that no frontend writes.
class TraceDecoder {
 public:
  /// What the event has points into `body`.
  Result<Event> Decode(std::string_view body);

  /// REQUIRES: the queue has begun.
  [[nodiscard]] const TracedLine& queue(std::uint64_t number) const { return *queues_[number]; }

 private:
  class Body;

  std::vector<std::unique_ptr<TracedLine>> queues_;
};

}  // namespace twofold::queue::trace
