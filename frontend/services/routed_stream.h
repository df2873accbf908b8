#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/cluster/peers.h"
#include "lib/common/mutex.h"
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

  /// Finds who serves the queue; empty: this frontend answers. A frontend that calls has found it
  /// to be this one, from an epoch on; without one it asks for what this one has itself.
  void Route(const std::string& queue, const Request& request) {
    request_ = request;
    const bool asks_me = caller_.is_forwarded && caller_.epoch == 0;
    if (queue.empty() || peers_ == nullptr || asks_me) return BeginHere();
    peers_->Find(queue, caller_.epoch, [self = Self()](const Result<Peers::Answerer>& answerer) {
      if (!answerer.ok()) return self->Close(answerer.status());
      if (answerer->address.empty()) return self->BeginHere();
      if (!self->caller_.is_forwarded) return self->BeginThere(answerer->address, answerer->epoch);
      self->Close(absl::UnavailableError("its queue is served elsewhere, ask again"));
    });
  }

  /// This frontend serves the queue.
  virtual void Here() = 0;
  /// What Here has begun is over; maybe it has begun nothing.
  virtual void OnLeft() = 0;
  virtual void PassOn(const Reply& reply) = 0;
  /// Whether other frontends may have what the one that serves the queue does not find.
  [[nodiscard]] virtual bool MayBeElsewhere() const { return false; }

  /// Closes the call with the answer of one frontend, unless the next one is to be asked.
  void End(const Status& status) {
    if (!absl::IsNotFound(status) || !MayBeElsewhere() || peers_ == nullptr) {
      return this->Close(status);
    }
    if (!was_here_) return BeginHere();
    if (!others_) others_ = caller_.is_forwarded ? std::vector<Peer>() : peers_->Others();
    if (others_->empty()) return this->Close(status);
    const std::string address = others_->back().client_address;
    others_->pop_back();
    BeginThere(address, 0);
  }

 private:
  std::shared_ptr<RoutedStream> Self() {
    return std::static_pointer_cast<RoutedStream>(this->shared_from_this());
  }

  void BeginHere() {
    was_here_ = true;
    Here();
    if (IsGone()) OnLeft();  // the caller may have gone before
  }

  void BeginThere(const std::string& address, std::uint64_t epoch) {
    Caller caller = caller_;
    caller.epoch = epoch;
    auto cancel = peers_->template Stream<Request, Reply>(
        address, method_, request_, caller,
        [self = Self()](const Reply& reply) { self->PassOn(reply); },
        [self = Self()](const Status& status) { self->End(status); });
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
  Request request_;
  bool was_here_ = false;
  std::optional<std::vector<Peer>> others_;  // that are still to be asked; one at a time is
  Mutex mutex_;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
  std::function<void()> cancel_ ABSL_GUARDED_BY(mutex_);  // what is passed on
};

}  // namespace twofold::frontend
