#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/queues/endpoints.h"
#include "frontend/queues/queue_host.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/queue/queue.h"
#include "lib/queue/types.h"
#include "lib/results/store.h"
#include "lib/rpc/batches.h"
#include "twofold/v1/queue.pb.h"

/// Where proto meets the core's types; options of jobs are in job_options.h.
namespace twofold::frontend {

/// As the fields that end in _ns have it.
inline std::uint64_t Ns(Duration duration) { return static_cast<std::uint64_t>(duration.count()); }

v1::Outcome ToProto(queue::Outcome outcome);

/// REQUIRES: one that a worker may report (rpc::Check has passed and CheckReported says so).
queue::Outcome FromProto(v1::Outcome outcome);

/// Whether a worker may end an attempt so; kInvalidArgument names the outcome.
Status CheckReported(v1::Outcome outcome);

/// A finished job, without `queue`.
v1::Job ToProto(const queue::Reply& reply, const WorkerIdentity* worker);

/// A durable job as the store has it. What a benchmark has measured is in its report again.
v1::Job ToProto(const results::StoredJob& stored);

/// A waiting or running job.
v1::Job ToProto(const queue::JobView& view, const std::string& queue, const WorkerIdentity* worker);

void SetProgress(v1::Job& job, const JobProgress* progress);

v1::Queue ToProto(const QueueHost& host, const QueueHost::Snapshot& snapshot);

v1::Worker ToProto(const QueueHost::Turn::WorkerView& worker, const std::string& queue);

v1::WaitReason ToProto(queue::WaitReason reason);

/// A serialized Report that has only an error.
std::string ErrorReport(std::string_view error);

/// The serialized Report that the submitter gets: the worker's own, unless the core has a reason;
/// of a gang's member it says which.
std::string ReportFor(const queue::Reply& reply);

}  // namespace twofold::frontend
