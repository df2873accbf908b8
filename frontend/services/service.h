#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "frontend/services/open_calls.h"
#include "frontend/services/pulled_call.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/result.h"
#include "lib/rpc/service.h"

namespace twofold::frontend {

/// A service of the frontend. Its constructor is the table of its methods, and each row says how
/// calls are answered: Serve at once, on the thread of gRPC; Read on a thread of the pool; Wait
/// later; Pull by a stream of messages; Stream by an object of their own. All but the first kind
/// take a place among the open calls of their peer.
class Service : public rpc::Service {
 protected:
  /// Both outlive the calls.
  Service(std::string_view name, OpenCalls& calls, ReaderPool& readers)
      : rpc::Service(name), calls_(calls), readers_(readers) {}

  /// `read` may block, and may take long.
  template <typename T, typename Request, typename Reply>
  void Read(std::string_view method, Result<Reply> (T::*read)(const Request&)) {
    AddUnary<Request, Reply>(method, [this, read](const Request& request, const auto& call) {
      OnReader(call, [this, read, request, call] {
        call->Answer((static_cast<T*>(this)->*read)(request));
      });
    });
  }

  /// `answer` must not block; it sees to it that the call is answered.
  template <typename T, typename Request, typename Reply>
  void Wait(std::string_view method,
            void (T::*answer)(const Request&,
                              const std::shared_ptr<rpc::UnaryCall<Request, Reply>>&)) {
    AddUnary<Request, Reply>(method, [this, answer](const Request& request, const auto& call) {
      (static_cast<T*>(this)->*answer)(request, call);
    });
  }

  /// `open` and what it returns are called on threads of the pool.
  template <typename T, typename Request, typename Message>
  void Pull(std::string_view method, Result<NextMessage<Message>> (T::*open)(const Request&)) {
    using Call = PulledCall<Request, Message>;
    const auto opened = [this, open](const Request& request) {
      return (static_cast<T*>(this)->*open)(request);
    };
    Add(method, [this, opened](grpc::CallbackServerContext* context) {
      return Result<std::shared_ptr<Call>>(std::make_shared<Call>(context, readers_, opened));
    });
  }

  /// `make` returns a new rpc::ServerStream that has not been started, or why there is none.
  template <typename T, typename Call>
  void Stream(std::string_view method, Result<std::shared_ptr<Call>> (T::*make)()) {
    Add(method, [this, make](auto*) { return (static_cast<T*>(this)->*make)(); });
  }

  /// Runs `task` on a thread of the pool, or fails the call for want of room.
  template <typename Call, typename Task>
  void OnReader(const std::shared_ptr<Call>& call, Task&& task) {
    if (!readers_.Post(std::forward<Task>(task))) call->Fail(ReaderPool::Refusal());
  }

  ReaderPool& readers() { return readers_; }

 private:
  template <typename Make>
  void Add(std::string_view method, const Make& make) {
    Serve(method, [this, make](grpc::CallbackServerContext* context) -> rpc::ByteStream* {
      auto place = calls_.Enter(context->peer());
      if (place == nullptr) return rpc::Refuse(calls_.Refusal());
      const auto call = make(context);
      if (!call.ok()) return rpc::Refuse(rpc::ToGrpc(call.status()));
      (*call)->Hold(std::move(place));
      (*call)->Start();
      return call->get();
    });
  }

  template <typename Request, typename Reply, typename Handler>
  void AddUnary(std::string_view method, const Handler& handler) {
    using Call = rpc::UnaryCall<Request, Reply>;
    Add(method, [handler](grpc::CallbackServerContext*) {
      return Result<std::shared_ptr<Call>>(std::make_shared<Call>(handler));
    });
  }

  OpenCalls& calls_;
  ReaderPool& readers_;
};

}  // namespace twofold::frontend
