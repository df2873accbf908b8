#include "kubernetes/lifecycle/replay.h"

#include <algorithm>

namespace twofold::lifecycle {

Status Replay::Take(const Object& line) {
  if (!observed_) return TakeHead(line);
  return observed_->With(
      [&](Observer& observer) { return TakeLine(line, anchor_, observer, aside_); });
}

Status Replay::TakeHead(const Object& line) {
  const auto record = ReadHead(line);
  if (!record.ok()) return record.status();
  record_ = ReadRecord(*record);
  const auto kind = FindKind(record_.kind);
  if (!kind.ok()) return kind.status();
  observed_ = std::make_unique<Observed>(**kind, record_.run, anchor_);
  return absl::OkStatus();
}

Instant Replay::Latest() {
  const Instant seen = observed_->With([](Observer& observer) { return observer.latest(); });
  return std::max(seen, aside_.latest);
}

}  // namespace twofold::lifecycle
