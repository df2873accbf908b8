#include "lib/rpc/loop_owner.h"

namespace twofold::rpc {
namespace {

thread_local const LoopOwner* current = nullptr;

}  // namespace

void LoopOwner::PostAfter(Duration pause, std::function<void()> task) {
  Post([this, at = Now() + pause, task = std::move(task)] { loop().RunAt(at, task); });
}

const LoopOwner* LoopOwner::Current() { return current; }

LoopOwner::TakesTurns::TakesTurns(const LoopOwner* owner)
    : before_(std::exchange(current, owner)) {}

LoopOwner::TakesTurns::~TakesTurns() { current = before_; }

}  // namespace twofold::rpc
