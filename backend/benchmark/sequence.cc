#include "backend/benchmark/sequence.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace twofold::backend {

using suite::Phase;

StageSequence::StageSequence(std::span<const suite::Stage> stages, bool barrier)
    : stages_(stages),
      order_(stages.size()),
      states_(stages.size(), State::kPending),
      gone_(!barrier) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    return stages_[a].phase < stages_[b].phase;
  });
}

StageSequence::Step StageSequence::Next() {
  if (closing_) return NextToStop();
  if (busy_) return {};
  const bool left = started_ < order_.size();
  if (!left || stages_[order_[started_]].phase == Phase::kRun) {
    if (!std::exchange(told_ready_, true)) return {Do::kTellReady};
    if (!gone_) return {};
  }
  if (left) {
    const std::size_t stage = order_[started_++];
    states_[stage] = State::kRunning;
    busy_ = true;
    return {Do::kStart, stage};
  }
  if (std::exchange(told_measured_, true)) return {};
  return {Do::kTellMeasured};
}

StageSequence::Step StageSequence::NextToStop() {
  const auto running = std::find(states_.begin(), states_.end(), State::kRunning);
  if (running != states_.end()) {
    *running = State::kStopping;
    return {Do::kStop, static_cast<std::size_t>(running - states_.begin())};
  }
  if (told_over_ || std::find(states_.begin(), states_.end(), State::kStopping) != states_.end()) {
    return {};
  }
  told_over_ = true;
  return {Do::kTellOver};
}

void StageSequence::Ready(std::size_t stage) {
  if (states_[stage] == State::kRunning) busy_ = false;
}

void StageSequence::Ended(std::size_t stage, const StageEnd& end) {
  states_[stage] = State::kEnded;
  if (closing_) return;
  const suite::Stage& plan = stages_[stage];
  if (plan.phase == Phase::kServe) return ServerEnded(stage, end);
  busy_ = false;
  if (end.how == StageEnd::How::kWell || plan.goes_on) return;
  const bool last = started_ == order_.size();
  const bool judged_by_output =
      plan.phase == Phase::kRun && last && end.how == StageEnd::How::kBadly;
  if (!judged_by_output) Fail(stage, end.why);
}

void StageSequence::ServerEnded(std::size_t stage, const StageEnd& end) {
  const bool in_time = gone_ && !(busy_ && order_[started_ - 1] == stage);
  if (stages_[stage].may_end && in_time && end.how == StageEnd::How::kWell) return;
  Fail(stage, end.how == StageEnd::How::kWell ? "it ended before the job was over" : end.why);
}

void StageSequence::Fail(std::size_t stage, const std::string& reason) {
  failure_ = {stages_[stage].name, reason};
  closing_ = true;
}

}  // namespace twofold::backend
