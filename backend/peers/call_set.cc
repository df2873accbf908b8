#include "backend/peers/call_set.h"

#include <utility>

namespace twofold::backend {

std::shared_ptr<void> CallSet::Enter(std::function<void()> end) {
  const MutexLock lock(state_->mutex);
  if (state_->closed || state_->calls.size() >= state_->most) return nullptr;
  const std::uint64_t number = ++state_->last;
  state_->calls.emplace(number, std::move(end));
  const auto leave = [state = state_, number](void*) {
    const MutexLock leaving(state->mutex);
    state->calls.erase(number);
  };
  return {state_.get(), leave};
}

void CallSet::EndAll() {
  std::map<std::uint64_t, std::function<void()>> calls;
  {
    const MutexLock lock(state_->mutex);
    state_->closed = true;
    calls = state_->calls;
  }
  for (const auto& [number, end] : calls) end();
}

}  // namespace twofold::backend
