#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "frontend/services/patience.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/result.h"
#include "lib/rpc/unary.h"

namespace twofold::frontend {

/// Makes the messages of a stream, one a call; nullopt: that was all.
template <typename Message>
using NextMessage = std::function<Result<std::optional<Message>>()>;

/// A call that answers one request by a stream of messages. Each is made when the one before has
/// been taken, so a slow reader costs no more memory. One that takes nothing for
/// rpc::kCallerPatience is broken off.
///
/// Threads  `open`, and the NextMessage that it returns, are called on threads of the pool, one
///          call at a time.
template <typename Request, typename Message>
class PulledCall final : public rpc::OneRequestCall<Request, Message> {
 public:
  using Open = std::function<Result<NextMessage<Message>>(const Request&)>;

  PulledCall(ReaderPool& readers, Open open)
      : readers_(readers), open_(std::move(open)), patience_(*this, [this] { this->BreakOff(); }) {}

 private:
  void OnRequest(const Request& request) override {
    const bool posted = readers_.Post([this, self = this->shared_from_this(), request] {
      auto next = open_(request);
      if (!next.ok()) return this->Close(next.status());
      next_ = *std::move(next);
      MakeNext();
    });
    if (!posted) this->Close(ReaderPool::Refusal());
  }

  void MakeNext() {
    Result<std::optional<Message>> next = next_();
    if (!next.ok()) return this->Close(next.status());
    if (!*next) return this->Close(absl::OkStatus());
    const bool open = this->Add([&](Message& message) {
      message = **std::move(next);
      return message.ByteSizeLong();
    });
    if (!open) return;
    patience_.Start();
    this->Flush();
  }

  void OnSent() override {
    patience_.Stop();
    readers_.Continue([this, self = this->shared_from_this()] { MakeNext(); });
  }

  ReaderPool& readers_;
  const Open open_;
  NextMessage<Message> next_;
  Patience patience_;
};

}  // namespace twofold::frontend
