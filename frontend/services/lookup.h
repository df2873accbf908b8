#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

/// Queues, workers and jobs as people ask for them. A job may be in a queue, among the last
/// finished ones, or in the store.
///
/// Threads  Safe. Cost: a lock; for a durable job that has ended, a read of the store.
namespace twofold::frontend {

v1::ListQueuesReply ListQueues(const QueueSet& queues);

/// Adds what one shard of a queue has to what those before have.
void AddShard(v1::Queue& sum, const v1::Queue& shard);

/// Requests about a queue, one for each of its shards, with the name of it. Errors: kNotFound.
template <typename Request>
Result<std::vector<std::pair<std::string, Request>>> ByShard(const QueueSet& queues,
                                                             const Request& request) {
  const auto shards = queues.FindAll(request.queue());
  if (!shards.ok()) return shards.status();
  std::vector<std::pair<std::string, Request>> requests;
  for (const QueueHost* const shard : *shards) {
    Request& of_shard = requests.emplace_back(shard->name(), request).second;
    of_shard.set_queue(queues.ExactName(*shard));
  }
  return requests;
}

/// The worker processes that `request` asks for, queue by queue, in short turns.
/// Errors   kNotFound: there is no such queue.
Result<v1::ListWorkersReply> ListWorkers(const QueueSet& queues, const v1::WorkersRequest& request);

/// Errors   kNotFound: there is no such job, or none any more.
Result<v1::Job> FindJob(const QueueSet& queues, std::uint64_t id);

/// Why a job waits. Errors   kNotFound.
Result<v1::Explanation> ExplainJob(const QueueSet& queues, std::uint64_t id);

/// A waiting or running job. Call it in the turn that found it.
v1::Job Describe(const QueueHost::Turn& turn, const QueueHost& host, const queue::JobView& view);

/// The queue whose frontend makes the page that is asked for; empty: any does.
std::string QueueOfList(const QueueSet& queues, const v1::ListJobsRequest& request);

/// Whether the page that is asked for is read from the store.
bool ListReadsStore(const v1::ListJobsRequest& request);

/// The most that a page may have.
inline constexpr std::size_t kMostJobsAPage = 1000;

/// One page. Finished durable jobs come first if they are asked for; of those it has about a MiB at
/// most, however many it may have.
/// Errors   kInvalidArgument: the page token, a state, an outcome; kNotFound: the queue; those of
///          the store.
/// Cost     A few ns for each job that waits or runs, wanted or not; of those that have ended, a
///          read of all that came before the last one of the page.
Result<v1::ListJobsReply> ListJobs(const QueueSet& queues, const v1::ListJobsRequest& request);

}  // namespace twofold::frontend
