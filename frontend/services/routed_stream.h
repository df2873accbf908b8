#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "frontend/cluster/peers.h"
#include "lib/common/mutex.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/unary.h"

namespace twofold::frontend {

/// A call that brings one request and gets a stream of replies from the frontend that serves a
/// queue: this one, or another one, whose replies are passed on.
///
/// Threads  See rpc::ServerStream. Here comes once, OnLeft at any moment after Route, maybe twice.
template <typename Request, typename Reply>
class RoutedStream : public rpc::OneRequestCall<Request, Reply> {
 protected:
  /// `method` as "/twofold.v1.Clients/FollowJob"; `peers` nullptr: there are no other frontends.
  RoutedStream(std::string method, Peers* peers, Caller caller)
      : method_(std::move(method)), peers_(peers), caller_(std::move(caller)) {}

  /// Finds who serves the queue; empty: this frontend answers, as it does if the caller is one.
  void Route(const std::string& queue, const Request& request) {
    if (queue.empty() || peers_ == nullptr || caller_.is_forwarded) return BeginHere();
    peers_->Find(queue, caller_.epoch, [self = Self(), request](const Result<Peers::Place>& place) {
      if (!place.ok()) return self->Close(place.status());
      place->address.empty() ? self->BeginHere() : self->BeginThere(place->address, request);
    });
  }

  /// This frontend serves the queue.
  virtual void Here() = 0;
  /// What Here has begun is over; maybe it has begun nothing.
  virtual void OnLeft() = 0;
  virtual void PassOn(const Reply& reply) = 0;

 private:
  std::shared_ptr<RoutedStream> Self() {
    return std::static_pointer_cast<RoutedStream>(this->shared_from_this());
  }

  void BeginHere() {
    Here();
    if (IsGone()) OnLeft();  // the caller may have gone before
  }

  void BeginThere(const std::string& address, const Request& request) {
    auto cancel = peers_->template Stream<Request, Reply>(
        address, method_, request, caller_,
        [self = Self()](const Reply& reply) { self->PassOn(reply); },
        [self = Self()](const grpc::Status& status) { self->Close(rpc::FromGrpc(status)); });
    {
      const MutexLock lock(mutex_);
      if (!gone_) {
        cancel_ = std::move(cancel);
        return;
      }
    }
    cancel();
  }

  void OnGone() final {
    std::function<void()> cancel;
    {
      const MutexLock lock(mutex_);
      gone_ = true;
      cancel.swap(cancel_);
    }
    if (cancel) cancel();
    OnLeft();
  }

  bool IsGone() {
    const MutexLock lock(mutex_);
    return gone_;
  }

  const std::string method_;
  Peers* const peers_;
  const Caller caller_;
  Mutex mutex_;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
  std::function<void()> cancel_ ABSL_GUARDED_BY(mutex_);  // what is passed on
};

}  // namespace twofold::frontend
