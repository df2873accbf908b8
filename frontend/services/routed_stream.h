#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "frontend/cluster/peers.h"
#include "lib/common/task.h"
#include "lib/rpc/unary.h"

namespace twofold::frontend {

/// A call that brings one request and gets a stream of replies from the frontend that serves a
/// queue: this one, or another one, whose replies are passed on.
///
/// Threads  See rpc::ServerStream. Here begins on any thread.
template <typename Request, typename Reply>
class RoutedStream : public rpc::OneRequestCall<Request, Reply> {
 protected:
  /// `method` as "/twofold.v1.Clients/FollowJob"; `peers` nullptr: there are no other frontends.
  RoutedStream(std::string method, Peers* peers, Caller caller)
      : method_(std::move(method)), peers_(peers), caller_(std::move(caller)) {}

  /// Answers the call, from its request to its end. Without a queue this frontend does.
  Detached Answer(Request request, std::string queue) {
    const auto self = this->shared_from_this();
    const Status status = co_await AnswerOf(request, queue);
    this->Close(status);
  }

  /// This frontend serves the queue: replies, and gives back how the call ends. What lasts until
  /// something happens awaits `over_`.
  virtual Task<Status> Here(const Request& request) = 0;
  virtual void PassOn(const Reply& reply) = 0;
  /// Whether other frontends may have what the one that serves the queue does not find.
  [[nodiscard]] virtual bool MayBeElsewhere() const { return false; }

  Once<> over_;  ///< given by a derived class, and when the caller goes

 private:
  Task<Status> AnswerOf(const Request& request, const std::string& queue) {
    const Result<Peers::Answerer> owner = co_await OwnerOf(queue);
    if (!owner.ok()) co_return owner.status();
    if (!owner->address.empty()) {
      const Status status = co_await There(*owner, request);
      if (!IsToBeSought(status)) co_return status;
    }
    Status status = co_await Here(request);
    if (!IsToBeSought(status) || caller_.is_forwarded) co_return status;
    for (const Peer& other : peers_->Others()) {
      const Peers::Answerer for_itself{.address = other.client_address};
      status = co_await There(for_itself, request);
      if (!IsToBeSought(status)) break;
    }
    co_return status;
  }

  /// A frontend that calls has found the owner to be this one, from an epoch on; without one it
  /// asks for what this one has itself.
  Task<Result<Peers::Answerer>> OwnerOf(const std::string& queue) {
    const bool asks_me = caller_.is_forwarded && caller_.epoch == 0;
    if (queue.empty() || peers_ == nullptr || asks_me) co_return Peers::Answerer();
    const Later<Peers::Answerer> search = peers_->Find(queue, caller_.epoch);
    const Result<Peers::Answerer> owner = co_await search;
    if (owner.ok() && !owner->address.empty() && caller_.is_forwarded) {
      co_return absl::UnavailableError("its queue is served elsewhere, ask again");
    }
    co_return owner;
  }

  /// A caller that goes ends the call there.
  Task<Status> There(const Peers::Answerer& answerer, const Request& request) {
    return peers_->template Stream<Request, Reply>(answerer, method_, request, caller_,
                                                   gone_.get_token(),
                                                   [this](const Reply& reply) { PassOn(reply); });
  }

  bool IsToBeSought(const Status& status) const {
    return absl::IsNotFound(status) && MayBeElsewhere() && peers_ != nullptr;
  }

  void OnGone() final {
    over_.Give(absl::CancelledError("the caller has gone"));
    gone_.request_stop();
  }

  const std::string method_;
  Peers* const peers_;
  const Caller caller_;
  std::stop_source gone_;  // the caller
};

}  // namespace twofold::frontend
