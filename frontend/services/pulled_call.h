#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "frontend/services/patience.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/common/task.h"
#include "lib/rpc/awaited_stream.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/parse.h"
#include "lib/rpc/unary.h"

namespace twofold::frontend {

/// Makes the messages of a stream, one a call; nullopt: that was all.
template <typename Message>
using NextMessage = std::function<Result<std::optional<Message>>()>;

/// A call that answers one request by a stream of messages. Each is made when the one before was
/// taken, so a slow reader costs no more memory. One that takes nothing for so long as `patience`
/// is broken off.
///
/// Threads  `open`, and the NextMessage that it returns, are called on threads of the pool, one
///          call at a time.
template <typename Request, typename Message>
class PulledCall final : public rpc::AwaitedStream {
 public:
  using Open = std::function<Result<NextMessage<Message>>(const Request&)>;

  PulledCall(ReaderPool& readers, Open open, Duration patience = rpc::kCallerPatience)
      : readers_(readers),
        open_(std::move(open)),
        patience_(
            *this, [this] { BreakOff(); }, patience) {}

 private:
  void Serve() override { Run(shared_from_this()); }

  Detached Run(std::shared_ptr<void> /*self*/) {
    const std::optional<std::string> asked = co_await Read();
    if (!asked) co_return Finish(rpc::NoRequest());
    Request request;
    if (const Status bad = rpc::Parse(*asked, request); !bad.ok()) co_return Finish(bad);
    OnPool pool(&readers_);
    const Status entered = co_await pool;
    if (!entered.ok()) co_return Finish(entered);
    const Result<NextMessage<Message>> next = open_(request);
    if (!next.ok()) co_return Finish(next.status());
    co_await SendAll(*next);
  }

  Task<> SendAll(const NextMessage<Message>& next) {
    for (;;) {
      const Result<std::optional<Message>> message = next();
      if (!message.ok() || !*message) {
        patience_.Start();  // until the last message has left
        co_return Finish(message.status());
      }
      std::string bytes = (*message)->SerializeAsString();
      patience_.Start();
      const bool is_taken = co_await Write(bytes);
      patience_.Stop();
      if (!is_taken) co_return;
      OnPool pool = OnPool::Again(readers_);
      const Status entered = co_await pool;
      if (!entered.ok()) co_return Finish(entered);
    }
  }

  ReaderPool& readers_;
  const Open open_;
  Patience patience_;
};

}  // namespace twofold::frontend
