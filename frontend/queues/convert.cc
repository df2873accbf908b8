#include "frontend/queues/convert.h"

#include <absl/strings/str_cat.h>

namespace twofold::frontend {
namespace {

// The core counts from 0, the contract from 1 (0 is "unspecified" there).
static_assert(static_cast<int>(queue::Outcome::kSucceeded) + 1 == v1::OUTCOME_SUCCEEDED);
static_assert(static_cast<int>(queue::Outcome::kAbandoned) + 1 == v1::OUTCOME_ABANDONED);

void SetOptions(v1::Job& job, const queue::JobOptions& options) {
  job.set_suite(options.suite);
  job.set_priority(options.priority);
  job.set_run(options.run);
  job.set_durable(options.durable);
  job.set_dedup_key(options.dedup_key);
  if (options.gang.size > 1) job.set_gang_size(options.gang.size);
}

// A worker that sends something else than a Report spoils its own result only.
v1::Report ParseReport(std::string_view bytes) {
  v1::Report report;
  if (!report.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    report.Clear();
    report.set_error("the worker's report cannot be read");
  }
  return report;
}

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

v1::Job ToProto(const queue::Reply& reply, const WorkerIdentity* worker) {
  v1::Job job;
  job.set_id(static_cast<std::uint64_t>(reply.job));
  SetOptions(job, *reply.options);
  job.set_state(v1::JOB_STATE_FINISHED);
  job.set_attempts(reply.attempts);
  job.set_wait_ns(Ns(reply.wait));
  job.set_run_ns(Ns(reply.run_time));
  job.set_total_ns(Ns(reply.total));
  SetWorker(job, worker, reply.device);
  job.set_outcome(ToProto(reply.outcome));
  *job.mutable_report() = ParseReport(ReportFor(reply));
  return job;
}

v1::Job ToProto(const queue::JobView& view, const std::string& queue,
                const WorkerIdentity* worker) {
  v1::Job job;
  job.set_id(static_cast<std::uint64_t>(view.job));
  job.set_queue(queue);
  SetOptions(job, *view.options);
  job.set_state(view.running ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_WAITING);
  job.set_attempts(view.attempt);
  job.set_wait_ns(Ns(view.wait));
  job.set_run_ns(Ns(view.run_time));
  job.set_spec_bytes(view.spec_size);
  if (view.running) SetWorker(job, worker, {});
  return job;
}

v1::Job ToProto(const results::StoredJob& stored) {
  v1::Job job;
  job.set_id(stored.accepted.id);
  job.set_queue(stored.accepted.queue);
  job.set_suite(stored.accepted.suite);
  job.set_priority(stored.accepted.priority);
  job.set_run(stored.accepted.run);
  job.set_durable(true);
  v1::JobOptions options;
  if (options.ParseFromString(stored.accepted.options)) {
    job.set_gang_size(options.gang().size());
    job.set_dedup_key(options.dedup_key());
  }
  job.set_spec_bytes(stored.accepted.spec.size());
  job.set_accepted_unix_ns(stored.accepted.accepted_unix_ns);
  job.set_requeued_as(stored.requeued_as);
  if (!stored.accepted.run.empty()) *job.mutable_place() = stored.accepted.place;
  if (const auto* waiting = std::get_if<results::Waiting>(&stored.state)) {
    job.set_state(v1::JOB_STATE_WAITING);
    job.set_attempts(waiting->attempts);
  } else if (const auto* started = std::get_if<results::AttemptStarted>(&stored.state)) {
    job.set_state(v1::JOB_STATE_RUNNING);
    job.set_attempts(started->attempt);
  } else if (const auto* ended = std::get_if<results::JobEnded>(&stored.state)) {
    job.set_state(v1::JOB_STATE_FINISHED);
    job.set_attempts(ended->attempts);
    job.set_wait_ns(Ns(ended->wait));
    job.set_run_ns(Ns(ended->run_time));
    job.set_total_ns(Ns(ended->total));
    if (!ended->node.empty() || !ended->pod.empty()) {
      const WorkerIdentity worker{ended->node, ended->pod};
      SetWorker(job, &worker, ended->device);
    }
    job.set_outcome(ToProto(ended->outcome));
    *job.mutable_report() = ParseReport(ended->report);
    if (!ended->reason.empty()) job.mutable_report()->set_error(ended->reason);
    if (const v1::BenchmarkResult* benchmark = ended->benchmark.get()) {
      job.mutable_report()->set_data(benchmark->SerializeAsString());
    }
    job.set_data_refused(ended->refused);
  }
  return job;
}

void SetProgress(v1::Job& job, const JobProgress* progress) {
  if (progress == nullptr) return;
  job.set_progress(progress->fraction);
  job.set_progress_line(progress->line);
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
  result.set_waiting_bytes(stats.waiting_bytes);
  result.set_limit_bytes(host.limit_bytes());
  result.set_durable(host.durable());
  result.set_delayed(stats.delayed);
  result.set_key_limited(stats.key_limited);
  result.set_gangs_waiting(stats.gangs_waiting);
  result.set_workers_reserved(stats.workers_reserved);
  result.set_wanted_workers(stats.wanted_workers);
  result.set_workers_paused(stats.workers_paused);
  result.set_epoch(snapshot.epoch);
  result.set_store_trouble(StoreTrouble(snapshot));
  return result;
}

v1::Worker ToProto(const QueueHost::Turn::WorkerView& worker, const std::string& queue) {
  const queue::Process& process = worker.process;
  v1::Worker result;
  result.set_queue(queue);
  result.set_node(worker.identity.node);
  result.set_pod(worker.identity.pod);
  result.set_device(worker.identity.device);
  result.set_address(worker.identity.address);
  result.mutable_labels()->insert(worker.identity.labels.begin(), worker.identity.labels.end());
  result.set_slots(process.slots);
  result.set_busy(static_cast<std::uint32_t>(process.busy()));
  result.set_connected(process.presence != queue::Presence::kAway);
  result.set_silent(process.presence == queue::Presence::kSilent);
  result.set_paused(process.paused);
  result.set_draining(process.draining);
  if (worker.usage != nullptr) *result.mutable_usage() = *worker.usage;
  return result;
}

v1::WaitReason ToProto(queue::WaitReason reason) {
  switch (reason) {
    case queue::WaitReason::kNotWaiting:
      return v1::WAIT_REASON_NOT_WAITING;
    case queue::WaitReason::kDelayed:
      return v1::WAIT_REASON_DELAYED;
    case queue::WaitReason::kKeyLimit:
      return v1::WAIT_REASON_KEY_LIMIT;
    case queue::WaitReason::kHeld:
      return v1::WAIT_REASON_STORE;
    case queue::WaitReason::kKeyHeld:
      return v1::WAIT_REASON_KEY_HELD;
    case queue::WaitReason::kPaused:
      return v1::WAIT_REASON_PAUSED;
    case queue::WaitReason::kNoWorker:
      return v1::WAIT_REASON_NO_WORKER;
    case queue::WaitReason::kNoSuitableWorker:
      return v1::WAIT_REASON_NO_SUITABLE_WORKER;
    case queue::WaitReason::kGangShort:
      return v1::WAIT_REASON_GANG_SHORT;
    case queue::WaitReason::kBehind:
      return v1::WAIT_REASON_BEHIND;
  }
  return v1::WAIT_REASON_UNSPECIFIED;
}

std::string ReportFor(const queue::Reply& reply) {
  if (!reply.reason.empty()) return ErrorReport(reply.reason);
  if (reply.rank == 0) return std::string(reply.report);
  v1::Report report = ParseReport(reply.report);
  report.set_error(absl::StrCat("rank ", reply.rank, ": ", report.error()));
  return report.SerializeAsString();
}

std::string ErrorReport(std::string_view error) {
  v1::Report report;
  report.mutable_error()->assign(error);
  return report.SerializeAsString();
}

}  // namespace twofold::frontend
