#include "backend/agent.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "backend/glob.h"
#include "lib/common/arguments.h"

namespace twofold::backend {
namespace {

// A limit longer than this is none; keeps the sum with the clock in range.
constexpr std::uint64_t kLongestLimitNs = 1'000'000'000'000'000'000;

Duration LimitOf(const v1::JobOptions& options) {
  if (options.limit_ns() > kLongestLimitNs) return Duration::zero();
  return Duration(static_cast<Duration::rep>(options.limit_ns()));
}

AttemptEnd HandedBack(AttemptId id) {
  return {id, v1::OUTCOME_CANCELLED, Duration::zero(), true, {}};
}

AttemptEnd Unplannable(AttemptId id, const std::string& why) {
  return {id, v1::OUTCOME_FAILED, Duration::zero(), false,
          PlanError(why).report.SerializeAsString()};
}

}  // namespace

Agent::Agent(boost::asio::io_context& io, AgentOptions options, Workload& workload)
    : io_(io),
      options_(std::move(options)),
      suite_(workload.suite()),
      runner_(io, workload, options_.slots, options_.limit,
              [this](AttemptEnd end) { AttemptEnded(std::move(end)); }),
      link_(io, options_.link, options_.process_key, *this),
      drain_timer_(io) {}

void Agent::Start(std::function<void(int)> on_exit) {
  on_exit_ = std::move(on_exit);
  link_.Start();
}

v1::Hello Agent::MakeHello() {
  v1::Hello hello;
  hello.set_queue(options_.queue);
  hello.set_process_key(options_.process_key);
  hello.set_node(options_.node);
  hello.set_pod(options_.pod);
  hello.set_slots(options_.slots);
  hello.set_draining(draining_);
  hello.set_leave_when_empty(options_.leave_when_empty);
  const auto hold = [&hello](const AttemptId& id) {
    hello.add_held_jobs(id.job);
    hello.add_held_attempts(id.attempt);
  };
  for (const AttemptId& id : runner_.Held()) hold(id);
  for (const AttemptEnd& end : kept_) hold(end.id);
  return hello;
}

// ---- What the frontend says

void Agent::OnMessage(const v1::FrontendMessage& message) {
  if (leaving_) return;  // half-closed: what crossed it stays with the frontend
  if (message.has_welcome()) DeliverKept();
  if (message.has_assigns()) Assign(message.assigns());
  // Only what still runs: anything else has had its one answer, which is on its way.
  for (int i = 0; i < std::min(message.cancels().jobs_size(), message.cancels().attempts_size());
       ++i) {
    runner_.Stop({message.cancels().jobs(i), message.cancels().attempts(i)},
                 StopReason::kCancelled);
  }
  if (message.drain()) Drain();
  LeaveIfDone();
}

void Agent::Assign(const v1::AssignBatch& batch) {
  if (const Status status = rpc::Check(batch); !status.ok()) {
    return link_.Abandon(absl::InternalError(
        absl::StrCat("the frontend sent a broken batch: ", std::string(status.message()))));
  }
  rpc::ForEach(batch, [&](const rpc::AssignRow& row) {
    const auto option = static_cast<int>(row.option);
    AssignOne(batch.options().empty() ? v1::JobOptions::default_instance() : batch.options(option),
              row);
  });
}

void Agent::AssignOne(const v1::JobOptions& options, const rpc::AssignRow& row) {
  const AttemptId id{row.job, row.attempt};
  if (draining_) return AttemptEnded(HandedBack(id));
  if (runner_.full()) {
    spdlog::warn("the frontend sent more jobs than there are slots; handing one back");
    return AttemptEnded(HandedBack(id));
  }
  if (!options.suite().empty() && options.suite() != suite_) {
    return AttemptEnded(
        Unplannable(id, absl::StrCat("this worker runs the suite '", std::string(suite_),
                                     "', not '", options.suite(), "'")));
  }
  Run(options, row);
}

void Agent::Run(const v1::JobOptions& options, const rpc::AssignRow& row) {
  const AttemptId id{row.job, row.attempt};
  if (options_.ignore_arguments || row.spec.empty()) return runner_.Start(id, LimitOf(options), {});
  const std::string spec = options_.filename.empty()
                               ? std::string()
                               : ReplaceFilename(std::string(row.spec), options_.filename);
  const auto arguments = DecodeArguments(spec.empty() ? row.spec : std::string_view(spec));
  if (!arguments.ok()) {
    return AttemptEnded(Unplannable(id, "spec: " + std::string(arguments.status().message())));
  }
  runner_.Start(id, LimitOf(options), *arguments);
}

// ---- Results

void Agent::AttemptEnded(AttemptEnd end) {
  if (link_.up()) {
    Deliver(end);
  } else {
    kept_.push_back(std::move(end));
  }
  // Not at once: the batch at hand may have more to answer.
  if (draining_) boost::asio::post(io_, [this] { LeaveIfDone(); });
}

void Agent::Deliver(const AttemptEnd& end) {
  link_.Add([&](v1::WorkerMessage& message) {
    return rpc::Append(
        *message.mutable_results(),
        {end.id.job, end.id.attempt, end.outcome, static_cast<std::uint64_t>(end.run_time.count()),
         options_.device, end.handed_back, end.report});
  });
}

void Agent::DeliverKept() {
  for (const AttemptEnd& end : std::exchange(kept_, {})) Deliver(end);
}

// ---- Leaving

void Agent::Shutdown() {
  ++shutdowns_;
  if (shutdowns_ > 1) return Insist();
  spdlog::debug("taking no more jobs, finishing {}", runner_.running());
  drain_timer_.expires_after(options_.drain_limit);
  drain_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Insist();
  });
  Drain();
  LeaveIfDone();
}

void Agent::Drain() {
  if (std::exchange(draining_, true) || !link_.up()) return;
  link_.Add([](v1::WorkerMessage& message) {
    message.set_draining(true);
    return std::size_t{2};
  });
}

void Agent::Insist() {
  insisting_ = true;
  Drain();
  runner_.StopAll(StopReason::kHandBack);
  LeaveIfDone();
}

void Agent::LeaveIfDone() {
  if (leaving_ || !draining_ || runner_.running() > 0) return;
  if (link_.up()) {
    leaving_ = true;
    return link_.Close();
  }
  if (kept_.empty() || insisting_) {
    leaving_ = true;
    link_.Abandon(absl::OkStatus());
  }
}

// The link may also give up by itself, while jobs run: they end with the process.
void Agent::OnGone(const Status& status) {
  drain_timer_.cancel();
  leaving_ = true;
  const std::size_t lost = kept_.size() + runner_.running();
  if (!status.ok()) spdlog::error("{}", std::string(status.message()));
  if (lost > 0) spdlog::error("the frontend is away: results of {} jobs are lost", lost);
  on_exit_(status.ok() && lost == 0 ? 0 : 1);
}

}  // namespace twofold::backend
