#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/queue/queue.h"

namespace twofold::scale {

/// A queue that frontends hand on: its core while one serves it, and what the database keeps of it
/// while none does. All jobs are durable, and what the core knows is in the database (commits are
/// counted, not simulated), so a core that ends leaves all of it behind.
class StoredQueue {
 public:
  /// `number` is that of the partition; `grace` as QueueOptions::grace.
  StoredQueue(std::uint8_t number, Duration grace) : number_(number), grace_(grace) {}

  /// A core that has read the jobs.
  void Load(Instant now, queue::Effects& effects);
  /// The core ends.
  void Drop(Instant now);

  [[nodiscard]] bool is_served() const { return core_ != nullptr; }
  queue::Queue& core() { return *core_; }

  /// A job without an end of its own: whoever runs it says when it ends. REQUIRES: is_served().
  void Submit(Instant now, queue::Effects& effects);

  /// Jobs that wait or run.
  [[nodiscard]] std::size_t unfinished() const;

  /// How often it was loaded.
  [[nodiscard]] std::uint32_t lives() const { return lives_; }

 private:
  [[nodiscard]] queue::Restored Read(Instant now, const queue::JobView& job) const;

  const std::uint8_t number_;
  const Duration grace_;
  std::unique_ptr<queue::Queue> core_;
  std::vector<queue::Restored> stored_;  // while there is no core
  std::uint64_t next_sequence_ = 1;
  std::uint32_t lives_ = 0;
};

}  // namespace twofold::scale
