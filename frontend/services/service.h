#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "frontend/services/claims.h"
#include "frontend/services/pulled_call.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/result.h"
#include "lib/rpc/service.h"

namespace twofold::frontend {

/// A service of the frontend. Its constructor is the table of its methods, and each row says how
/// calls are answered: Serve at once, on the thread of gRPC; Read on a thread of a pool; Wait
/// later; Pull by a stream of messages; Stream by an object of their own. All but the first kind
/// take a place among the open calls of their peer.
class Service : public rpc::Service {
 protected:
  /// Both outlive the calls. `refusal` if not OK is the answer to all calls that take a place.
  Service(std::string_view name, OpenCalls& calls, ReaderPool& readers, Status refusal = {})
      : rpc::Service(name), calls_(calls), readers_(readers), refusal_(std::move(refusal)) {}

  /// The pool whose threads may block on a request; nullptr: it does not take long, and is dealt
  /// with at once. No function: always the readers.
  template <typename Request>
  using PoolFor = std::function<ReaderPool*(const Request&)>;

  /// `read` may block, and may take long.
  template <typename Request, typename Reply>
  void Read(std::string_view method, std::function<Result<Reply>(const Request&)> read,
            PoolFor<Request> pool_for = {}) {
    const auto answer = [read = std::move(read)](const Request& request, const auto& call) {
      call->Answer(read(request));
    };
    Wait<Request, Reply>(method, answer, std::move(pool_for));
  }

  /// `answer` sees to it that the call is answered.
  template <typename Request, typename Reply>
  void Wait(std::string_view method, typename rpc::UnaryCall<Request, Reply>::Handler answer,
            PoolFor<Request> pool_for = {}) {
    using Call = rpc::UnaryCall<Request, Reply>;
    const auto handle = [this, answer = std::move(answer), pool_for = std::move(pool_for)](
                            const Request& request, const std::shared_ptr<Call>& call) {
      ReaderPool* const pool = pool_for ? pool_for(request) : &readers_;
      if (pool == nullptr) return answer(request, call);
      const bool posted = pool->Post([answer, request, call] { answer(request, call); });
      if (!posted) call->Fail(ReaderPool::Refusal());
    };
    Stream(method, [handle](auto*) { return std::make_shared<Call>(handle); });
  }

  /// `open` and what it returns are called on threads of the pool.
  template <typename Request, typename Message>
  void Pull(std::string_view method,
            std::function<Result<NextMessage<Message>>(const Request&)> open) {
    Stream(method, [this, open = std::move(open)](grpc::CallbackServerContext* context) {
      return std::make_shared<PulledCall<Request, Message>>(context, readers_, open);
    });
  }

  /// `make(context)` returns a shared pointer to a new rpc::ServerStream that has not been started.
  template <typename Make>
  void Stream(std::string_view method, Make make) {
    Serve(method, [this, make](grpc::CallbackServerContext* context) -> rpc::ByteStream* {
      auto place = calls_.Enter(context->peer());
      if (!place.ok()) return rpc::Refuse(rpc::ToGrpc(place.status()));
      if (!refusal_.ok()) return rpc::Refuse(rpc::ToGrpc(refusal_));
      const auto call = make(context);
      call->Hold(*std::move(place));
      call->Start();
      return call.get();
    });
  }

 private:
  OpenCalls& calls_;
  ReaderPool& readers_;
  const Status refusal_;
};

}  // namespace twofold::frontend
