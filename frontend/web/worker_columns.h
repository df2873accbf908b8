#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/web/stragglers.h"
#include "lib/common/instant.h"

namespace twofold::frontend {

/// All worker processes as columns, for a page that shows a cell for each: who they are, which
/// changes seldom, apart from what they do. Both texts are one line of JSON:
///
///   Names   {"version", "left_out", "slow_rule": what makes a worker slow, for people,
///            "queue": [...], "node", "pod", "device", "slots"}
///   States  {"version", "busy": [slots that have a job, ...], "state": "ibbi..."}
///
/// States of one version belong to the names of that version. A state is a letter: i idle, b busy,
/// d draining, p paused, a away (its connection is gone, its jobs are its own for the grace
/// period), s silent (its lease ran out), z busy and much slower than the others (Stragglers).
///
/// Threads  Used on the thread of the HTTP server.
/// Cost     One walk in turns of 200 processes for both at the same instant.
class WorkerColumns {
 public:
  static constexpr std::size_t kMostWorkers = 20'000;  ///< the rest are counted in "left_out"

  /// Names of a set that keeps changing are made again no sooner: they may be a megabyte.
  static constexpr Duration kNamesPeriod = std::chrono::seconds(2);

  explicit WorkerColumns(const QueueSet& queues) : queues_(queues) {}

  /// nullopt: the set is the same as in the last names, or it is too early to tell.
  std::optional<std::string> Names(Instant now);

  /// nullopt: they are of a set whose names were not told yet.
  std::optional<std::string> States(Instant now);

 private:
  struct Identities {
    std::vector<std::string> queue, node, pod, device;
    std::vector<std::uint32_t> slots;
  };
  void Walk(Identities* names);
  void LookAt(const QueueHost::Turn::WorkerView& worker, std::size_t queue);

  const QueueSet& queues_;

  // As of the last walk.
  Instant walked_at_{};
  std::size_t set_ = 0;  // a digest of who is there
  std::size_t left_out_ = 0;
  std::string letters_;
  std::vector<std::uint64_t> busy_;
  std::vector<WorkDone> done_;

  Stragglers stragglers_;

  // As of the last names.
  std::uint64_t version_ = 0;
  std::size_t named_set_ = 0;
  Instant named_at_{};
};

}  // namespace twofold::frontend
