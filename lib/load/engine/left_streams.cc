#include "lib/load/engine/left_streams.h"

#include <algorithm>
#include <utility>

namespace twofold::load {

void LeftStreams::Add(Stream stream, std::optional<Instant> give_up) {
  left_.push_back({std::move(stream), give_up});
}

std::optional<Instant> LeftStreams::Tend(Instant now,
                                         absl::FunctionRef<bool(const Stream&)> can_drop) {
  std::optional<Instant> next;
  if (left_.empty()) return next;
  const auto drop = [&](const Left& left) { return can_drop(left.stream); };
  left_.erase(std::remove_if(left_.begin(), left_.end(), drop), left_.end());
  if (left_.size() > kMost) left_.front().give_up = Instant();
  for (Left& left : left_) {
    if (left.give_up && *left.give_up <= now) {
      left.stream->Cancel();
      left.give_up.reset();
    }
    if (left.give_up && (!next || *left.give_up < *next)) next = left.give_up;
  }
  return next;
}

void LeftStreams::Close() const {
  for (const Left& left : left_) left.stream->Close();
}

void LeftStreams::Cancel() const {
  for (const Left& left : left_) left.stream->Cancel();
}

}  // namespace twofold::load
