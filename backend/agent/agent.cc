#include "backend/agent/agent.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "backend/workload/after.h"
#include "lib/common/arguments.h"

namespace twofold::backend {
namespace {

// Output of jobs waits while so much waits to be written: what else there is to say goes first.
constexpr std::size_t kBusyBytes = 128 << 10;

constexpr std::size_t kAttemptBytes = 12;  // of a message, roughly

constexpr Duration kUsagePeriod = std::chrono::seconds(1);

AttemptEnd HandedBack(AttemptId id) {
  return {id, v1::OUTCOME_CANCELLED, Duration::zero(), true, {}};
}

AttemptEnd Unplannable(AttemptId id, const std::string& why) {
  return {id, v1::OUTCOME_FAILED, Duration::zero(), false,
          Failed("plan: " + why).report->SerializeAsString()};
}

AttemptId IdOf(const rpc::AttemptRow& row) { return {row.job, row.attempt}; }

// Those on the command line hold before those that the workload has found.
AgentOptions WithLabels(AgentOptions options, Labels found) {
  options.labels.merge(found);
  return options;
}

}  // namespace

std::string ReplaceFilename(std::string text, const std::string& filename) {
  return absl::StrReplaceAll(text, {{"FILENAME", filename}});
}

Agent::Agent(boost::asio::io_context& io, rpc::LoopOwner& loop, AgentOptions options,
             Workload& workload)
    : io_(io),
      options_(WithLabels(std::move(options), workload.labels())),
      suites_(workload.suites()),
      runner_(io, workload, {options_.slots, options_.limit, options_.ready_limit}, *this),
      link_(io, loop, options_.link, options_.process_key, *this),
      progress_(io, [this](const AttemptId& id,
                           const process::ProgressLine& line) { SendProgress(id, line); }),
      output_(io,
              {.ready = [this] { return link_.up() && link_.waiting_bytes() < kBusyBytes; },
               .send = [this](const AttemptId& id,
                              OutputBacklog::Chunk chunk) { SendOutput(id, std::move(chunk)); }}),
      stage_timer_(io) {}

void Agent::Start(std::function<void(int)> on_exit) {
  on_exit_ = std::move(on_exit);
  link_.Start();
}

v1::Hello Agent::MakeHello() {
  output_.UnfollowAll();  // who followed did so on the stream before
  v1::Hello hello;
  hello.set_queue(options_.queue);
  hello.set_process_key(options_.process_key);
  hello.set_node(options_.node);
  hello.set_pod(options_.pod);
  hello.set_device(options_.device);
  hello.set_address(options_.address);
  hello.set_peers_port(options_.peers_port);
  hello.mutable_labels()->insert(options_.labels.begin(), options_.labels.end());
  hello.set_slots(options_.slots);
  hello.set_draining(draining_);
  hello.set_leave_when_empty(options_.leave_when_empty);
  const auto hold = [&hello](const AttemptId& id) {
    hello.add_held_jobs(id.job);
    hello.add_held_attempts(id.attempt);
  };
  for (const AttemptId& id : runner_.Held()) hold(id);
  for (const AttemptEnd& end : held_.All()) hold(end.id);
  return hello;
}

// ---- What the frontend says

void Agent::OnMessage(const v1::FrontendMessage& message) {
  if (leaving_) return;  // half-closed: what crossed it stays with the frontend
  if (message.has_welcome()) Welcomed();
  if (message.has_assigns()) Assign(message.assigns());
  rpc::ForEach(message.cancels(), [this](const rpc::AttemptRow& row) { Cancel(IdOf(row)); });
  if (message.drain()) Drain();
  rpc::ForEach(message.go(), [this](const rpc::AttemptRow& row) { runner_.Go(IdOf(row)); });
  rpc::ForEach(message.kept(), [this](const rpc::AttemptRow& row) { held_.Kept(IdOf(row)); });
  rpc::ForEach(message.follow(), [this](const rpc::AttemptRow& row) { Follow(IdOf(row)); });
  rpc::ForEach(message.unfollow(), [this](const rpc::AttemptRow& row) { Unfollow(IdOf(row)); });
  LeaveIfDone();
}

bool Agent::HoldsAttempts() const { return runner_.running() + held_.unkept() > 0; }

void Agent::Welcomed() {
  for (const AttemptEnd& end : held_.TakeForStream()) Deliver(end);
  for (const AttemptId& id : runner_.Ready()) OnReady(id);
}

void Agent::Assign(const v1::AssignBatch& batch) {
  Status status = rpc::Check(batch);
  const Result<GangRows> gangs = GangRows::Of(batch);
  status.Update(gangs.status());
  if (!status.ok()) {
    return link_.Abandon(absl::InternalError(
        absl::StrCat("the frontend sent a broken batch: ", std::string(status.message()))));
  }
  std::uint32_t number = 0;
  rpc::ForEach(batch, [&](const rpc::AssignRow& row) {
    const auto option = static_cast<int>(row.option);
    AssignOne(batch.options().empty() ? v1::JobOptions::default_instance() : batch.options(option),
              row, gangs->At(number++));
  });
}

void Agent::AssignOne(const v1::JobOptions& options, const rpc::AssignRow& row,
                      const GangSeat* gang) {
  const AttemptId id{row.job, row.attempt};
  if (options.durable()) held_.MakeDurable(id);
  if (draining_) return OnEnd(HandedBack(id));
  if (runner_.full()) {
    spdlog::warn("the frontend sent more jobs than there are slots; handing one back");
    return OnEnd(HandedBack(id));
  }
  if (!options.suite().empty() &&
      std::find(suites_.begin(), suites_.end(), options.suite()) == suites_.end()) {
    return OnEnd(Unplannable(
        id, absl::StrCat("this worker runs the suite '", absl::StrJoin(suites_, "' or '"),
                         "', not '", options.suite(), "'")));
  }
  Run(options, row, gang);
}

void Agent::Run(const v1::JobOptions& options, const rpc::AssignRow& row, const GangSeat* gang) {
  const AttemptId id{row.job, row.attempt};
  if (options_.ignore_arguments || row.spec.empty()) {
    return runner_.Start({id, {}, gang, options.suite()}, BoundedNs(options.limit_ns()));
  }
  const std::string spec = options_.filename.empty()
                               ? std::string()
                               : ReplaceFilename(std::string(row.spec), options_.filename);
  const auto arguments = DecodeArguments(spec.empty() ? row.spec : std::string_view(spec));
  if (!arguments.ok()) {
    return OnEnd(Unplannable(id, "spec: " + std::string(arguments.status().message())));
  }
  runner_.Start({id, *arguments, gang, options.suite()}, BoundedNs(options.limit_ns()));
}

// Only what still runs, or what the frontend may have lost: anything else has had its one answer,
// which is on its way.
void Agent::Cancel(const AttemptId& id) {
  if (const AttemptEnd* end = held_.Find(id)) return Deliver(*end);
  runner_.Stop(id, StopReason::kCancelled);
}

void Agent::Follow(const AttemptId& id) {
  if (!runner_.Runs(id) || output_.follows(id)) return;
  output_.Follow(id);
  runner_.Follow(id, true);
}

void Agent::Unfollow(const AttemptId& id) {
  output_.Unfollow(id);
  runner_.Follow(id, false);
}

// ---- What the attempts say

void Agent::OnEnd(AttemptEnd end) {
  progress_.Forget(end.id);
  output_.Finish(end.id);
  held_.Add(end, link_.up());
  if (link_.up()) Deliver(end);
  // Not at once: the batch at hand may have more to answer.
  if (draining_) boost::asio::post(io_, [this] { LeaveIfDone(); });
}

void Agent::OnReady(const AttemptId& id) {
  if (!link_.up()) return;
  link_.Add([&](v1::WorkerMessage& message) {
    message.mutable_ready()->add_jobs(id.job);
    message.mutable_ready()->add_attempts(id.attempt);
    return kAttemptBytes;
  });
}

void Agent::OnProgress(const AttemptId& id, process::ProgressLine line) {
  progress_.Update(id, std::move(line));
}

void Agent::OnOutput(const AttemptId& id, std::string_view bytes) { output_.Append(id, bytes); }

// ---- What the frontend hears

void Agent::Deliver(const AttemptEnd& end) {
  link_.Add([&](v1::WorkerMessage& message) {
    return rpc::Append(
        *message.mutable_results(),
        {end.id.job, end.id.attempt, end.outcome, static_cast<std::uint64_t>(end.run_time.count()),
         options_.device, end.handed_back, end.report});
  });
}

void Agent::OnFlush() {
  const Instant now = Now();
  if (!options_.cpu_use || now < usage_due_) return;
  usage_due_ = now + kUsagePeriod;
  link_.Add([use = options_.cpu_use(), uptime = now - started_](v1::WorkerMessage& message) {
    v1::Usage& usage = *message.mutable_usage();
    usage.Clear();
    usage.set_cpu_ns(static_cast<std::uint64_t>(use.cpu.count()));
    if (use.throttled) usage.set_throttled_ns(static_cast<std::uint64_t>(use.throttled->count()));
    if (use.quota) usage.set_cpu_quota(*use.quota);
    usage.set_uptime_ns(static_cast<std::uint64_t>(uptime.count()));
    return usage.ByteSizeLong();
  });
}

void Agent::OnSilence() {
  if (options_.self_fence == SelfFence::kOff) return;
  std::size_t stopped = 0;
  for (const AttemptId& id : runner_.Held()) {
    if (options_.self_fence == SelfFence::kDurable && !held_.IsDurable(id)) continue;
    runner_.Stop(id, StopReason::kHandBack);
    ++stopped;
  }
  if (stopped == 0) return;
  spdlog::warn(
      "the frontend has not heard this worker for too long: {} jobs are stopped, as others "
      "may have them (--self-fence)",
      stopped);
}

void Agent::SendProgress(const AttemptId& id, const process::ProgressLine& line) {
  if (!link_.up()) return;
  link_.Add([&](v1::WorkerMessage& message) {
    v1::Progress& progress = *message.add_progress();
    progress.set_job(id.job);
    progress.set_attempt(id.attempt);
    progress.set_fraction(line.fraction);
    progress.set_line(line.text);
    return progress.ByteSizeLong();
  });
}

void Agent::SendOutput(const AttemptId& id, OutputBacklog::Chunk chunk) {
  if (!link_.up()) return;
  link_.Add([&](v1::WorkerMessage& message) {
    v1::Output& output = *message.add_output();
    output.set_job(id.job);
    output.set_attempt(id.attempt);
    output.set_missed(chunk.missed);
    output.set_data(std::move(chunk.data));
    return output.ByteSizeLong();
  });
}

// ---- Leaving

void Agent::Shutdown() {
  ++shutdowns_;
  if (shutdowns_ > 1) return Insist();
  spdlog::debug("taking no more jobs, finishing {}", runner_.running());
  LimitStage();
  Drain();
  LeaveIfDone();
}

void Agent::LimitStage() {
  After(stage_timer_, options_.drain_limit, [this] { Insist(); });
}

void Agent::Drain() {
  if (std::exchange(draining_, true) || !link_.up()) return;
  link_.Add([](v1::WorkerMessage& message) {
    message.set_draining(true);
    return std::size_t{2};
  });
}

// With jobs to stop there is a stage to come: their results have to reach the frontend.
void Agent::Insist() {
  giving_up_ = insisting_ || runner_.running() == 0;
  insisting_ = true;
  Drain();
  runner_.StopAll(StopReason::kHandBack);
  if (!giving_up_) LimitStage();
  LeaveIfDone();
}

void Agent::LeaveIfDone() {
  if (leaving_ || !draining_ || runner_.running() > 0) return;
  if (held_.unkept() > 0 && !giving_up_) return;
  if (held_.unsent() > 0 && !insisting_) return;
  leaving_ = true;
  link_.Close();
}

// The link may also give up by itself, while jobs run: they end with the process.
void Agent::OnGone(const Status& status) {
  stage_timer_.cancel();
  leaving_ = true;
  const std::size_t lost = held_.unsent() + runner_.running();
  if (!status.ok()) spdlog::error("{}", std::string(status.message()));
  if (lost > 0) spdlog::error("the frontend is away: results of {} jobs are lost", lost);
  if (held_.unkept() > 0) {
    spdlog::error("the frontend has not kept the results of {} durable jobs", held_.unkept());
  }
  on_exit_(status.ok() && lost + held_.unkept() == 0 ? 0 : 1);
}

}  // namespace twofold::backend
