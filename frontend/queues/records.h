#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/queues/endpoints.h"
#include "lib/queue/queue.h"
#include "lib/results/records.h"
#include "lib/results/store.h"

/// From what the core decides about durable jobs to the store's records, and back. Volatile jobs
/// are there only while they wait for the next frontend of their queue.
namespace twofold::frontend {

/// Who runs a member.
struct Runner {
  queue::JobId member;
  queue::ProcessKey process;
  const WorkerIdentity* identity;
};

/// `place` counts only if the options name a run.
results::JobAccepted Accepted(const std::string& queue, queue::JobId job,
                              const queue::JobOptions& options, const v1::RunPlace& place,
                              std::string_view spec);
/// Of a volatile job that waits. It is in no run there: nobody is to look it up in the store.
results::JobAccepted LeftBehind(const std::string& queue, const queue::Restored& job, Instant now);
results::AttemptStarted Started(queue::JobId job, const queue::Assign& assign,
                                const std::vector<Runner>& runners);
results::AttemptGivenUp GivenUp(const queue::Requeued& requeued);
results::JobEnded Ended(const queue::Reply& reply, const WorkerIdentity* worker);

/// The job as the core takes it in again. Times of an earlier life are known by the wall clock
/// only, and only as exactly as that went on.
///
/// Errors   kDataLoss: the stored options cannot be read.
Result<queue::Restored> ToRestored(const results::StoredJob& job, Instant now,
                                   std::int64_t unix_now_ns);

}  // namespace twofold::frontend
