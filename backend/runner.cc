#include "backend/runner.h"

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

// Stopped runs end the way they were stopped, whatever the workload made of it.
void Overrule(StopReason reason, Duration limit, AttemptEnd& end, v1::Report& report) {
  if (reason == StopReason::kNone) return;
  end.handed_back = reason == StopReason::kHandBack;
  end.outcome = reason == StopReason::kLimit ? v1::OUTCOME_TIMED_OUT : v1::OUTCOME_CANCELLED;
  report.set_error(reason == StopReason::kLimit
                       ? absl::StrCat("ran past its limit of ", ToSeconds(limit), " s")
                       : "stopped");
}

}  // namespace

Runner::Runner(boost::asio::io_context& io, Workload& workload, std::uint32_t slots, Duration limit,
               OnEnd on_end)
    : workload_(workload),
      limit_(limit),
      on_end_(std::move(on_end)),
      runs_(slots),
      free_(slots),
      limits_(io, [this](Slot slot, Instant) { StopSlot(slot, StopReason::kLimit); }) {
  std::generate(free_.begin(), free_.end(), [slot = slots]() mutable { return --slot; });
  workload_.SetOnEnd(
      [this](Slot slot, Instant now, RunEnd end) { Ended(slot, now, std::move(end)); });
}

void Runner::Start(AttemptId id, Duration limit, std::span<const std::string_view> arguments) {
  const Slot slot = free_.back();
  free_.pop_back();
  by_id_.emplace(id, slot);
  const Instant now = Now();
  runs_[slot] = {id, now, Smaller(limit_, limit), StopReason::kNone};
  if (runs_[slot].limit > Duration::zero()) limits_.Set(slot, now + runs_[slot].limit);
  workload_.Start(slot, now, arguments);
}

void Runner::Stop(AttemptId id, StopReason reason) {
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

void Runner::StopSlot(Slot slot, StopReason reason) {
  if (runs_[slot].stop != StopReason::kNone) return;
  runs_[slot].stop = reason;
  workload_.Stop(slot);
}

void Runner::Ended(Slot slot, Instant now, RunEnd end) {
  const Run run = runs_[slot];
  limits_.Clear(slot);
  by_id_.erase(run.id);
  free_.push_back(slot);
  AttemptEnd attempt{run.id, end.outcome, now - run.start, false, {}};
  Overrule(run.stop, run.limit, attempt, end.report);
  attempt.report = end.report.SerializeAsString();
  on_end_(std::move(attempt));
}

}  // namespace twofold::backend
