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
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (current_) ConnectionTable::BreakOff(current_->about);
  }
  changed_.notify_one();
  thread_.join();
}

bool HandOver::IsFull() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() >= kMostWaiting;
}

void HandOver::Add(int listener, Descriptor connection, ConnectionTable::Talker about) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({listener, std::move(connection), std::move(about)});
  }
  changed_.notify_one();
}

bool HandOver::BreakOffIfLate(Instant now) {
  const std::lock_guard lock(mutex_);
  if (!current_ || now - current_->since < kPatience) return false;
  ConnectionTable::BreakOff(current_->about);
  return true;
}

void HandOver::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    Item item = std::move(waiting_.front());
    waiting_.pop_front();
    current_ = {item.about, Now()};
    lock.unlock();
    give_(item.listener, item.connection.Release());
    lock.lock();
    current_.reset();
  }
}

}  // namespace twofold::rpc
