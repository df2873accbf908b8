#include "lib/rpc/hand_over.h"

#include <utility>

namespace twofold::rpc {
namespace {

// It takes far less than a millisecond, on a busy machine some.
constexpr Duration kPatience = std::chrono::seconds(1);

}  // namespace

HandOver::HandOver(Give give) : give_(std::move(give)), thread_([this] { Run(); }) {}

HandOver::~HandOver() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    if (current_) ConnectionTable::BreakOff(current_->about);
  }
  changed_.NotifyOne();
  thread_.join();
}

bool HandOver::IsFull() const {
  const MutexLock lock(mutex_);
  return waiting_.size() >= kMostWaiting;
}

void HandOver::Add(int listener, Descriptor connection, ConnectionTable::Talker about) {
  {
    const MutexLock lock(mutex_);
    waiting_.push_back({listener, std::move(connection), std::move(about)});
  }
  changed_.NotifyOne();
}

bool HandOver::BreakOffIfLate(Instant now) {
  const MutexLock lock(mutex_);
  if (!current_ || now - current_->since < kPatience) return false;
  ConnectionTable::BreakOff(current_->about);
  return true;
}

void HandOver::Run() {
  while (std::optional<Item> item = Take()) {
    give_(item->listener, item->connection.Release());
    const MutexLock lock(mutex_);
    current_.reset();
  }
}

std::optional<HandOver::Item> HandOver::Take() {
  const MutexLock lock(mutex_);
  while (!ending_ && waiting_.empty()) changed_.Wait(mutex_);
  if (ending_) return std::nullopt;
  Item item = std::move(waiting_.front());
  waiting_.pop_front();
  current_ = {item.about, Now()};
  return item;
}

}  // namespace twofold::rpc
