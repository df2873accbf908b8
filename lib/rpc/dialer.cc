#include "lib/rpc/dialer.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

namespace twofold::rpc {
namespace {

// How often who waits for a connection looks whether another channel is due.
constexpr Duration kSlice = std::chrono::milliseconds(100);

// Between the beginnings of two tries.
constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(1);

}  // namespace

Dialer::Dialer(LoopOwner& owner, std::string address, security::Client security)
    : owner_(owner),
      address_(std::move(address)),
      security_(std::move(security)),
      pause_(kFirstPause, kLongestPause, std::random_device{}()),
      patience_(kConnectPatience, kConnectPatience, std::random_device{}()) {}

std::shared_ptr<Channel> Dialer::Get() {
  auto tls = security_.Tls();
  const Instant now = Now();
  const MutexLock lock(mutex_);
  if (channel_ != nullptr && tls == tls_ && IsOfUse(now)) return channel_;
  tls_ = std::move(tls);
  next_try_ = now + pause_.Next();
  channel_ =
      Channel::Connect(owner_, address_, {.security = security_, .patience = patience_.Next()});
  return channel_;
}

bool Dialer::IsOfUse(Instant now) {
  if (channel_->was_ready()) pause_.Reset();
  if (channel_->state() <= Channel::State::kReady) return true;
  return !channel_->was_ready() && now < next_try_;
}

std::shared_ptr<Channel> Dialer::Connected(Duration timeout) {
  const Instant end = Now() + timeout;
  for (;;) {
    auto channel = Get();
    const Duration left = end - Now();
    const Channel::State state = channel->Await(std::min(left, kSlice));
    if (state == Channel::State::kReady) return channel;
    if (left <= Duration(0)) return nullptr;
    if (state > Channel::State::kReady) std::this_thread::sleep_for(std::min(left, kSlice / 10));
  }
}

}  // namespace twofold::rpc
