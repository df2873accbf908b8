#include "lib/h2/connection_count.h"

#include <algorithm>
#include <utility>

namespace twofold::h2 {

std::variant<std::shared_ptr<ConnectionCount::Ticket>, Closing> ConnectionCount::Add(
    const std::string& host) {
  const MutexLock lock(mutex_);
  const auto known = hosts_.find(host);
  if (known != hosts_.end() && known->second.held >= of_host_) {
    if (!MakeRoom(known)) return Closing{Cause::kTooMany, "their host has as many as it may"};
  } else if (all_ >= most_) {
    if (!MakeRoom(HostWithMost())) return Closing{Cause::kNoRoom, "there are as many as may be"};
  }
  auto ticket = std::make_shared<Ticket>(shared_from_this(), host);
  Host& its = hosts_[host];
  ticket->listed_ = its.of_no_use.insert(its.of_no_use.end(), ticket.get());
  ++its.held;
  ++all_;
  return ticket;
}

bool ConnectionCount::MakeRoom() {
  const MutexLock lock(mutex_);
  return leaving_ > 0 || MakeRoom(HostWithMost());
}

/// The host may be gone then.
bool ConnectionCount::MakeRoom(Hosts::iterator host) {
  if (host == hosts_.end() || host->second.of_no_use.empty() || leaving_ == kMostLeaving) {
    return false;
  }
  Ticket& oldest = *host->second.of_no_use.front();
  host->second.of_no_use.pop_front();
  oldest.state_ = Ticket::State::kLeaving;
  if (oldest.close_) oldest.close_();
  ++leaving_;
  Discount(host);
  return true;
}

ConnectionCount::Hosts::iterator ConnectionCount::HostWithMost() {
  return std::max_element(hosts_.begin(), hosts_.end(), [](const auto& one, const auto& other) {
    return one.second.of_no_use.size() < other.second.of_no_use.size();
  });
}

void ConnectionCount::Discount(Hosts::iterator host) {
  --all_;
  if (--host->second.held == 0) hosts_.erase(host);
}

ConnectionCount::Ticket::~Ticket() {
  SetOfUse();
  const MutexLock lock(count_->mutex_);
  if (state_ == State::kLeaving) {
    --count_->leaving_;
  } else {
    count_->Discount(count_->hosts_.find(host_));
  }
}

void ConnectionCount::Ticket::SetClose(std::function<void()> close) {
  const MutexLock lock(count_->mutex_);
  close_ = std::move(close);
  if (state_ == State::kLeaving) close_();
}

void ConnectionCount::Ticket::SetOfUse() {
  const MutexLock lock(count_->mutex_);
  if (state_ != State::kOfNoUse) return;
  state_ = State::kOfUse;
  close_ = nullptr;
  count_->hosts_.find(host_)->second.of_no_use.erase(listed_);
}

}  // namespace twofold::h2
