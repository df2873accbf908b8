#include "frontend/convert.h"

#include <absl/strings/str_cat.h>

#include <limits>

#include "lib/rpc/limits.h"

namespace twofold::frontend {
namespace {

// The core counts from 0, the contract from 1 (0 is "unspecified" there).
static_assert(static_cast<int>(queue::Outcome::kSucceeded) + 1 == v1::OUTCOME_SUCCEEDED);
static_assert(static_cast<int>(queue::Outcome::kAbandoned) + 1 == v1::OUTCOME_ABANDONED);

std::uint64_t Ns(Duration duration) { return static_cast<std::uint64_t>(duration.count()); }

void SetWorker(v1::Job& job, const WorkerIdentity* worker, std::string_view device) {
  if (worker == nullptr) return;
  job.mutable_worker()->set_node(worker->node);
  job.mutable_worker()->set_pod(worker->pod);
  job.mutable_worker()->mutable_device()->assign(device);
}

}  // namespace

v1::Outcome ToProto(queue::Outcome outcome) {
  return static_cast<v1::Outcome>(static_cast<int>(outcome) + 1);
}

queue::Outcome FromProto(v1::Outcome outcome) {
  return static_cast<queue::Outcome>(static_cast<int>(outcome) - 1);
}

Status CheckReported(v1::Outcome outcome) {
  switch (outcome) {
    case v1::OUTCOME_SUCCEEDED:
    case v1::OUTCOME_FAILED:
    case v1::OUTCOME_TIMED_OUT:
    case v1::OUTCOME_CANCELLED:
      return absl::OkStatus();
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("outcomes: a worker cannot report ", v1::Outcome_Name(outcome)));
  }
}

Result<std::shared_ptr<const queue::JobOptions>> FromProto(const v1::JobOptions& options) {
  if (options.suite().size() > rpc::kMaxNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat("suite has ", options.suite().size(),
                                                   " bytes; at most ", rpc::kMaxNameBytes,
                                                   " are allowed"));
  }
  if (options.limit_ns() > std::uint64_t{std::numeric_limits<Duration::rep>::max()}) {
    return absl::InvalidArgumentError(absl::StrCat("limit_ns is ", options.limit_ns(),
                                                   ", more than 292 years; 0 means no limit"));
  }
  if (options.priority() < queue::kLowestPriority || options.priority() > queue::kHighestPriority) {
    return absl::InvalidArgumentError(absl::StrCat("priority is ", options.priority(),
                                                   "; allowed are ", queue::kLowestPriority, " to ",
                                                   queue::kHighestPriority));
  }
  auto result = std::make_shared<queue::JobOptions>();
  result->suite = options.suite();
  result->limit = Duration(static_cast<Duration::rep>(options.limit_ns()));
  result->priority = options.priority();
  result->max_attempts = std::max(1U, options.max_attempts());
  return result;
}

v1::JobOptions ToProto(const queue::JobOptions& options) {
  v1::JobOptions result;
  result.set_suite(options.suite);
  result.set_limit_ns(Ns(options.limit));
  result.set_priority(options.priority);
  result.set_max_attempts(options.max_attempts);
  return result;
}

v1::Job ToProto(const queue::Reply& reply, const WorkerIdentity* worker) {
  v1::Job job;
  job.set_id(static_cast<std::uint64_t>(reply.job));
  job.set_suite(reply.options->suite);
  job.set_priority(reply.options->priority);
  job.set_state(v1::JOB_STATE_FINISHED);
  job.set_attempts(reply.attempts);
  job.set_wait_ns(Ns(reply.wait));
  job.set_run_ns(Ns(reply.run_time));
  SetWorker(job, worker, reply.device);
  job.set_outcome(ToProto(reply.outcome));
  // A worker that sends something else than a Report spoils its own result only.
  if (!job.mutable_report()->ParseFromArray(reply.report.data(),
                                            static_cast<int>(reply.report.size()))) {
    job.mutable_report()->set_error("the worker's report cannot be read");
  }
  if (!reply.reason.empty()) job.mutable_report()->mutable_error()->assign(reply.reason);
  return job;
}

v1::Job ToProto(const queue::JobView& view, const std::string& queue,
                const WorkerIdentity* worker) {
  v1::Job job;
  job.set_id(static_cast<std::uint64_t>(view.job));
  job.set_queue(queue);
  job.set_suite(view.options->suite);
  job.set_priority(view.options->priority);
  job.set_state(view.running ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_WAITING);
  job.set_attempts(view.attempt);
  job.set_wait_ns(Ns(view.wait));
  job.set_run_ns(Ns(view.run_time));
  job.set_spec_bytes(view.spec_size);
  if (view.running) SetWorker(job, worker, {});
  return job;
}

v1::Queue ToProto(const QueueHost& host, const QueueHost::Snapshot& snapshot) {
  const queue::QueueStats& stats = snapshot.stats;
  v1::Queue result;
  result.set_name(host.name());
  result.set_paused(stats.paused);
  result.set_draining(stats.draining);
  result.set_waiting(stats.waiting);
  result.set_running(stats.running);
  result.set_oldest_waiting_ns(Ns(snapshot.oldest_waiting));
  result.set_workers_idle(stats.workers_idle);
  result.set_workers_busy(stats.workers_busy);
  result.set_workers_draining(stats.workers_draining);
  result.set_worker_processes(stats.processes);
  for (int i = 0; i < queue::kOutcomes; ++i) {
    const std::string name(queue::Name(static_cast<queue::Outcome>(i)));
    (*result.mutable_finished())[name] = stats.finished[static_cast<std::size_t>(i)];
  }
  result.set_requeued(stats.requeued);
  result.set_refused_results(stats.refused_results);
  result.set_limit(host.limit());
  return result;
}

std::string ErrorReport(std::string_view error) {
  v1::Report report;
  report.mutable_error()->assign(error);
  return report.SerializeAsString();
}

}  // namespace twofold::frontend
