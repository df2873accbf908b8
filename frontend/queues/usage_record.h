#pragma once

#include <optional>

#include "frontend/queues/queue_host.h"
#include "lib/common/instant.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// The newest usage of one worker process, and how much of it counts for its queue.
///
/// A process says what it has used since it started. After a restart of the frontend, a part of
/// that was before: of the first report the share counts that the process has spent here, by its
/// uptime. So counters do not jump when a frontend returns to workers that have run for days.
///
/// Threads  Not thread-safe.
class UsageRecord {
 public:
  /// The process has joined; it may have been here before.
  void Joined(Instant now) {
    if (!joined_) joined_ = now;
  }

  /// What is new since the last report. What went down, or is absurd, counts as nothing.
  WorkerUsage Take(const v1::Usage& usage, Instant now);

  /// nullptr: there was no report.
  [[nodiscard]] const v1::Usage* newest() const { return newest_ ? &*newest_ : nullptr; }

 private:
  std::optional<Instant> joined_;
  std::optional<v1::Usage> newest_;
};

}  // namespace twofold::frontend
