#include "lib/rpc/dialer.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "lib/rpc/tcp_keepalive.h"

namespace twofold::rpc {
namespace {

// How often who waits for a connection looks whether another channel is due.
constexpr Duration kSlice = std::chrono::milliseconds(100);

// A server that is away hears from us no more often than from one channel.
constexpr Duration kPauseOfLaterChannels = std::chrono::seconds(1);

std::chrono::system_clock::time_point After(Duration duration) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::milliseconds>(duration);
}

}  // namespace

Dialer::Dialer(std::string address, security::Client security)
    : address_(std::move(address)),
      security_(std::move(security)),
      jitter_(kConnectPatience, kConnectPatience, std::random_device{}()) {}

std::shared_ptr<grpc::Channel> Dialer::Channel() {
  auto tls = security_.Tls();
  const Instant now = Now();
  const MutexLock lock(mutex_);
  if (channel_ != nullptr && tls == tls_ && IsOfUse(now)) return channel_;
  tls_ = std::move(tls);
  channel_ = channel_ == nullptr
                 ? Connect(address_, security_)
                 : Connect(address_, security_, Liveness::kPings, kPauseOfLaterChannels);
  last_good_ = now;
  patience_ = jitter_.Next();
  return channel_;
}

// Who calls seldom has not seen how long it was away, and gets a new one at once.
bool Dialer::IsOfUse(Instant now) {
  if (channel_->GetState(false) == GRPC_CHANNEL_READY) last_good_ = now;
  return now - last_good_ < patience_;
}

std::shared_ptr<grpc::Channel> Dialer::Connected(Duration timeout) {
  const Instant end = Now() + timeout;
  for (;;) {
    auto channel = Channel();
    const Duration left = end - Now();
    if (channel->WaitForConnected(After(std::min(left, kSlice)))) {
      KeepTcpAlive();
      return channel;
    }
    if (left <= kSlice) return nullptr;
  }
}

}  // namespace twofold::rpc
