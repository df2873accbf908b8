#include "backend/workload/deadlines.h"

namespace twofold::backend {
namespace {

constexpr Instant kNone = Instant::max();

}  // namespace

void Deadlines::Set(Slot slot, Instant deadline) {
  if (slot >= by_slot_.size()) by_slot_.resize(slot + 1, kNone);
  by_slot_[slot] = deadline;
  by_time_.emplace(deadline, slot);
  Arm();
}

void Deadlines::Clear(Slot slot) {
  if (slot >= by_slot_.size() || by_slot_[slot] == kNone) return;
  by_time_.erase({by_slot_[slot], slot});
  by_slot_[slot] = kNone;
  if (by_time_.empty() && armed_) {
    timer_.cancel();  // a timer for nobody would keep the io_context running
    armed_.reset();
  }
}

// Only ever towards earlier: a timer that comes too early finds nothing due and is set again.
void Deadlines::Arm() {
  if (by_time_.empty()) return;
  const Instant first = by_time_.begin()->first;
  if (armed_ && *armed_ <= first) return;
  armed_ = first;
  timer_.expires_at(first);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) FireDue();
  });
}

void Deadlines::FireDue() {
  armed_.reset();
  const Instant now = Now();
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const Slot slot = by_time_.begin()->second;
    by_time_.erase(by_time_.begin());
    by_slot_[slot] = kNone;
    on_due_(slot, now);
  }
  Arm();
}

}  // namespace twofold::backend
