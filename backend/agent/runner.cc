#include "backend/agent/runner.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

namespace twofold::backend {
namespace {

// The smaller of two limits, where 0 is none.
Duration Smaller(Duration a, Duration b) {
  if (a == Duration::zero()) return b;
  if (b == Duration::zero()) return a;
  return std::min(a, b);
}

std::string PastLimit(const std::string& part, Duration limit) {
  return absl::StrCat(part, part.empty() ? "" : ": ", "ran past its limit of ", ToSeconds(limit),
                      " s");
}

std::string NotReady(std::uint32_t rank, const std::string& part, Duration limit) {
  return absl::StrCat("rank ", rank, " of the gang was not ready within ", ToSeconds(limit), " s",
                      part.empty() ? " (a program says so with a line to the descriptor "
                                     "TWOFOLD_READY_FD)"
                                   : ": it was at " + part);
}

std::string EndedEarly(std::uint32_t rank, bool ready, const std::string& why) {
  return absl::StrCat("rank ", rank, " of the gang ended before ",
                      ready ? "the gang started" : "it was ready", why.empty() ? "" : ": ", why);
}

}  // namespace

Runner::Runner(boost::asio::io_context& io, Workload& workload, RunnerOptions options,
               Listener& listener)
    : workload_(workload),
      options_(options),
      listener_(listener),
      runs_(options.slots),
      free_(options.slots),
      limits_(io, [this](Slot slot, Instant) { LimitPassed(slot); }) {
  std::generate(free_.begin(), free_.end(), [slot = options.slots]() mutable { return --slot; });
  workload_.SetListener(*this);
}

void Runner::Start(const Job& job, Duration limit) {
  const Slot slot = free_.back();
  free_.pop_back();
  by_id_.emplace(job.id, slot);
  const Instant now = Now();
  Run& run = runs_[slot] = {job.id, now, Smaller(options_.limit, limit)};
  if (job.gang != nullptr) {
    run.phase = Phase::kPreparing;
    run.is_member = true;
    run.rank = job.gang->rank;
  }
  const Duration deadline = job.gang != nullptr ? ReadyLimit(run) : run.limit;
  if (deadline > Duration::zero()) limits_.Set(slot, now + deadline);
  workload_.Start(slot, now, job);
}

void Runner::Go(const AttemptId& id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  const Slot slot = found->second;
  Run& run = runs_[slot];
  if (run.phase != Phase::kReady || run.stop != StopReason::kNone) return;
  run.phase = Phase::kRunning;
  run.start = Now();
  if (run.limit > Duration::zero()) limits_.Set(slot, run.start + run.limit);
  workload_.Go(slot, run.start);
}

void Runner::Follow(const AttemptId& id, bool on) {
  const auto found = by_id_.find(id);
  if (found != by_id_.end()) workload_.Follow(found->second, on);
}

void Runner::Stop(const AttemptId& id, StopReason reason) {
  const auto found = by_id_.find(id);
  if (found != by_id_.end()) StopSlot(found->second, reason);
}

void Runner::StopAll(StopReason reason) {
  // A run may end inside Stop: take the list first.
  for (const AttemptId& id : Held()) Stop(id, reason);
}

std::vector<AttemptId> Runner::Held() const {
  std::vector<AttemptId> held;
  held.reserve(by_id_.size());
  for (const auto& [id, slot] : by_id_) held.push_back(id);
  return held;
}

std::vector<AttemptId> Runner::Ready() const {
  std::vector<AttemptId> ready;
  for (const auto& [id, slot] : by_id_) {
    if (runs_[slot].is_member && runs_[slot].phase != Phase::kPreparing) ready.push_back(id);
  }
  return ready;
}

Duration Runner::ReadyLimit(const Run& run) const {
  return Smaller(options_.ready_limit, run.limit);
}

void Runner::LimitPassed(Slot slot) {
  const bool preparing = runs_[slot].phase == Phase::kPreparing;
  StopSlot(slot, preparing ? StopReason::kNotReady : StopReason::kLimit);
}

void Runner::StopSlot(Slot slot, StopReason reason) {
  if (runs_[slot].stop != StopReason::kNone) return;
  runs_[slot].stop = reason;
  workload_.Stop(slot);
}

void Runner::OnReady(Slot slot) {
  Run& run = runs_[slot];
  if (run.phase != Phase::kPreparing || run.stop != StopReason::kNone) return;
  limits_.Clear(slot);
  run.phase = Phase::kReady;
  listener_.OnReady(run.id);
}

void Runner::OnProgress(Slot slot, process::ProgressLine line) {
  listener_.OnProgress(runs_[slot].id, std::move(line));
}

void Runner::OnOutput(Slot slot, std::string_view bytes) {
  listener_.OnOutput(runs_[slot].id, bytes);
}

void Runner::OnEnd(Slot slot, Instant now, RunEnd end) {
  const Run run = runs_[slot];
  limits_.Clear(slot);
  by_id_.erase(run.id);
  free_.push_back(slot);
  Overrule(run, end);
  AttemptEnd attempt{run.id, end.outcome, Duration::zero(), run.stop == StopReason::kHandBack, {}};
  if (run.phase == Phase::kRunning) attempt.run_time = now - run.start;
  if (end.report) attempt.report = end.report->SerializeAsString();
  listener_.OnEnd(std::move(attempt));
}

// Stopped runs end the way they were stopped, whatever the workload made of it; and without its
// start the member of a gang cannot have succeeded.
void Runner::Overrule(const Run& run, RunEnd& end) const {
  switch (run.stop) {
    case StopReason::kNone:
      if (run.phase == Phase::kRunning) return;
      return end.Set(v1::OUTCOME_FAILED, EndedEarly(run.rank, run.phase == Phase::kReady,
                                                    end.report ? end.report->error() : ""));
    case StopReason::kLimit:
      return end.Set(v1::OUTCOME_TIMED_OUT, PastLimit(end.stopped_in, run.limit));
    case StopReason::kNotReady:
      return end.Set(v1::OUTCOME_FAILED, NotReady(run.rank, end.stopped_in, ReadyLimit(run)));
    case StopReason::kCancelled:
    case StopReason::kHandBack:
      return end.Set(v1::OUTCOME_CANCELLED, "stopped");
  }
}

}  // namespace twofold::backend
