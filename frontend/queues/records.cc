#include "frontend/queues/records.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "frontend/queues/convert.h"
#include "frontend/queues/job_options.h"

namespace twofold::frontend {
namespace {

std::uint64_t Number(queue::JobId job) { return static_cast<std::uint64_t>(job); }

/// When something happened that was at `then_ns` by the wall clock. Never in the future: a clock
/// that was set back must not make jobs younger than they can be.
Instant InstantOf(std::int64_t then_ns, Instant now, std::int64_t unix_now_ns) {
  return now - Duration(std::max<std::int64_t>(unix_now_ns - then_ns, 0));
}

}  // namespace

results::JobAccepted Accepted(const std::string& queue, queue::JobId job,
                              const queue::JobOptions& options, const v1::RunPlace& place,
                              std::string_view spec) {
  return {.id = Number(job),
          .queue = queue,
          .run = options.run,
          .place = options.run.empty() ? v1::RunPlace{} : place,
          .suite = options.suite,
          .priority = options.priority,
          .options = ToProto(options).SerializeAsString(),
          .spec = std::string(spec),
          .accepted_unix_ns = UnixNowNs()};
}

results::JobAccepted LeftBehind(const std::string& queue, const queue::Restored& job, Instant now) {
  results::JobAccepted left = Accepted(queue, job.job, *job.options, {}, job.spec);
  left.run.clear();
  left.accepted_unix_ns -= (now - (job.accepted - job.options->delay)).count();
  return left;
}

results::AttemptStarted Started(queue::JobId job, const queue::Assign& assign,
                                const std::vector<Runner>& runners) {
  results::AttemptStarted started{.job = Number(job),
                                  .attempt = assign.attempt,
                                  .lost_attempts = assign.lost_attempts,
                                  .started_unix_ns = UnixNowNs(),
                                  .members = {}};
  for (const Runner& runner : runners) {
    started.members.push_back({.member_job = Number(runner.member),
                               .process_key = static_cast<std::uint64_t>(runner.process),
                               .node = runner.identity->node,
                               .pod = runner.identity->pod,
                               .device = runner.identity->device});
  }
  return started;
}

results::AttemptGivenUp GivenUp(const queue::Requeued& requeued) {
  return {Number(requeued.job), requeued.attempts, requeued.lost_attempts};
}

results::JobEnded Ended(const queue::Reply& reply, const WorkerIdentity* worker) {
  return {.job = Number(reply.job),
          .outcome = reply.outcome,
          .attempts = reply.attempts,
          .wait = reply.wait,
          .run_time = reply.run_time,
          .total = reply.total,
          .node = worker == nullptr ? std::string() : worker->node,
          .pod = worker == nullptr ? std::string() : worker->pod,
          .device = std::string(reply.device),
          .report = reply.reason.empty() ? ReportFor(reply) : std::string(reply.report),
          .reason = std::string(reply.reason),
          .ended_unix_ns = UnixNowNs()};
}

Result<queue::Restored> ToRestored(const results::StoredJob& job, Instant now,
                                   std::int64_t unix_now_ns) {
  v1::JobOptions stored;
  if (!stored.ParseFromString(job.accepted.options)) {
    return absl::DataLossError(
        absl::StrCat("job ", job.accepted.id, ": its options cannot be read"));
  }
  stored.set_durable(queue::IsDurable(queue::JobId{job.accepted.id}));
  auto options = FromProto(stored);
  if (!options.ok()) return options.status();
  queue::Restored restored{.job = queue::JobId{job.accepted.id},
                           .options = *std::move(options),
                           .spec = job.accepted.spec,
                           .spec_elsewhere = job.spec_left,
                           .accepted = InstantOf(job.accepted.accepted_unix_ns, now, unix_now_ns),
                           .members = {}};
  restored.accepted += restored.options->delay;
  if (const auto* waiting = std::get_if<results::Waiting>(&job.state)) {
    restored.attempts = waiting->attempts;
    restored.lost_attempts = waiting->lost_attempts;
  } else if (const auto* started = std::get_if<results::AttemptStarted>(&job.state)) {
    restored.attempts = started->attempt;
    restored.lost_attempts = started->lost_attempts;
    restored.handed_out = InstantOf(started->started_unix_ns, now, unix_now_ns);
    // A job that is handed out at once is recorded as accepted a moment later, and clocks are set.
    restored.accepted = std::min(restored.accepted, restored.handed_out);
    for (const results::Member& member : started->members) {
      restored.members.push_back(
          {queue::ProcessKey{member.process_key}, queue::JobId{member.member_job}});
    }
  }
  return restored;
}

}  // namespace twofold::frontend
