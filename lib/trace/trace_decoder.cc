#include "lib/trace/trace_decoder.h"

#include <chrono>

#include "lib/trace/record.h"
#include "lib/trace/take.h"

namespace twofold::queue::trace {
namespace {

// Uptimes are shorter, and the core adds to instants.
constexpr Duration kLatest = std::chrono::hours(24 * 365 * 50);

bool CanBe(Instant instant) {
  const Duration since = instant.time_since_epoch();
  return -kLatest <= since && since <= kLatest;
}

/// What the frontend has checked before it gave a job to the core.
bool CanBe(const JobOptions& options) {
  return kLowestPriority <= options.priority && options.priority <= kHighestPriority &&
         1 <= options.weight && options.weight <= kHighestWeight && 1 <= options.gang.size &&
         options.gang.size <= kLargestGang;
}

Instant Later(Instant instant, std::int64_t nanoseconds) {
  // Without a sign, as a wrong number may not fit; CanBe then finds it.
  const auto sum = static_cast<std::uint64_t>(instant.time_since_epoch().count()) +
                   static_cast<std::uint64_t>(nanoseconds);
  return Instant(Duration(static_cast<std::int64_t>(sum)));
}

}  // namespace

/// The record that is being decoded.
class TraceDecoder::Body {
 public:
  Body(std::string_view body, std::vector<std::unique_ptr<TracedLine>>& queues)
      : from_(body), queues_(queues) {}

  Event Decode() {
    switch (static_cast<RecordKind>(from_.Number())) {
      case RecordKind::kQueue:
        return Checked(TakeQueue());
      case RecordKind::kOptions:
        return Checked(TakeOptions());
      case RecordKind::kStep:
        return TakeStep();
      case RecordKind::kEnd:
        return Checked(TraceEnds{});
    }
    from_.Fail();
    return TraceEnds{};
  }

  [[nodiscard]] bool ok() const { return from_.ok(); }

 private:
  /// Nothing may be left over.
  Event Checked(Event event) {
    if (!from_.left().empty()) from_.Fail();
    return event;
  }

  QueueBegins TakeQueue() {
    const std::uint64_t number = from_.Number();
    if (number >= kMostQueues || number != queues_.size()) from_.Fail();
    auto line = std::make_unique<TracedLine>();
    line->name = from_.Bytes();
    Take take(from_, line->table);
    VisitFields(take, line->options);
    if (from_.ok()) queues_.push_back(std::move(line));
    return {number};
  }

  OptionsBegin TakeOptions() {
    const std::uint64_t queue = TakeQueueNumber();
    const std::uint64_t number = from_.Number();
    if (!ok()) return {};
    OptionsTable& table = queues_[queue]->table;
    auto options = std::make_shared<JobOptions>();
    Take take(from_, table);
    VisitFields(take, *options);
    if (!CanBe(*options)) from_.Fail();
    if (ok() && table.Add(options, table.DigestOf(*options)) != number) from_.Fail();
    return {queue, number};
  }

  Step TakeStep() {
    Step step{};
    step.queue = TakeQueueNumber();
    if (!ok()) return step;
    TracedLine& line = *queues_[step.queue];
    step.now = Later(line.last, from_.Signed());
    if (!CanBe(step.now)) from_.Fail();
    TakeRow(from_, line.table, step.input);
    if (const auto* restore = std::get_if<input::Restore>(&step.input)) {
      if (!CanBe(restore->restored.accepted)) from_.Fail();
    }
    if (ok()) line.last = step.now;
    step.outputs = from_.left();
    return step;
  }

  std::uint64_t TakeQueueNumber() {
    const std::uint64_t number = from_.Number();
    if (number >= queues_.size()) from_.Fail();
    return number;
  }

  Decoder from_;
  std::vector<std::unique_ptr<TracedLine>>& queues_;
};

Result<Event> TraceDecoder::Decode(std::string_view bytes) {
  Body body(bytes, queues_);
  Event event = body.Decode();
  if (!body.ok()) return absl::InvalidArgumentError("the record has values that cannot be");
  return event;
}

}  // namespace twofold::queue::trace
