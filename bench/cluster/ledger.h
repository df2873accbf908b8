#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::scale {

/// What happened in a World since it was last observed.
struct Ledger {
  explicit Ledger(std::size_t frontends) : connect_cpu(frontends), load_cpu(frontends) {}

  // Of queues that changed hands, or came back
  std::vector<Duration> owned;   ///< from the end of serving to the claim
  std::vector<Duration> served;  ///< ... to the first job that can be handed out

  // Of workers that were away
  std::vector<Duration> back;    ///< from the end of serving to the queue's having them again
  std::uint64_t dials = 0;       ///< tries to connect
  std::uint64_t unanswered = 0;  ///< of these, to an address behind which nobody is

  // By frontend
  std::vector<Duration> connect_cpu;
  std::vector<Duration> load_cpu;

  // Jobs and leases
  std::uint64_t heartbeats = 0;
  std::uint64_t ended = 0;
  std::uint64_t second_tries = 0;  ///< assignments that are not a job's first
  std::uint64_t given_up = 0;      ///< attempts that came to nothing: lease or grace period over
  std::uint64_t cancelled = 0;     ///< attempts that a worker had to drop
  std::uint64_t lost = 0;          ///< jobs that ended otherwise than by success

  // While durable work is suspended
  std::vector<Instant> suspended;
  std::vector<Instant> resumed;
  std::uint64_t results_waiting = 0;  ///< for the database, now
  std::uint64_t most_results_waiting = 0;
  Instant last_result;  ///< when the last of them was stored
};

}  // namespace twofold::scale
