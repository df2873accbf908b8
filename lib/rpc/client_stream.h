#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "lib/rpc/channel.h"
#include "lib/rpc/outbox.h"
#include "lib/rpc/outgoing_call.h"
#include "lib/rpc/parse.h"
#include "lib/rpc/status_details.h"

namespace twofold::rpc {

/// The caller's end of a bidirectional stream: reads one message after the other, writes through an
/// outbox, and reports once how the stream ended.
///
/// What is added before the connection is there leaves with it.
///
/// Threads  Add, Flush and Close from any thread, after Start. `on_reply`, for one message at a
///          time, and `on_end` after the last one come on the loop's thread; neither may block.
template <typename Request, typename Reply>
class ClientStream final : public OutgoingCall {
 public:
  using OnReply = std::function<void(const Reply&)>;
  using OnStreamEnd = std::function<void(const Status&)>;

  ClientStream(OnReply on_reply, OnStreamEnd on_end)
      : on_reply_(std::move(on_reply)), on_end_(std::move(on_end)) {}

  template <typename Fill>
  bool Add(Fill&& fill) {
    return outbox_.Add(std::forward<Fill>(fill));
  }

  void Flush() {
    if (!outbox_.Flush()) return;
    Carry([this] {
      if (stream() != nullptr) stream()->WantPull();
    });
  }

  [[nodiscard]] std::size_t waiting_bytes() const { return outbox_.waiting_bytes(); }

  /// Half-closes after all messages added so far: the peer may still answer.
  void Close() {
    outbox_.Close();
    Carry([this] {
      if (stream() != nullptr) stream()->HalfClose();
    });
  }

 private:
  void OnBegin() override {
    outbox_.Belong();
    outbox_.closing() ? stream()->HalfClose() : stream()->WantPull();
  }

  void OnMessage(std::string_view bytes) override {
    if (const Status bad = Parse(bytes, reply_); !bad.ok()) {
      return stream()->Cancel(absl::InternalError(bad.message()));
    }
    on_reply_(reply_);
    Reuse(reply_, bytes.size());
  }

  void Pull(h2::MessageWriter& out) override {
    while (!out.full() && outbox_.Take()) {
      const Request& message = outbox_.Taken();
      out.Add(message.ByteSizeLong(), [&message](char* to) {
        message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(to));
      });
    }
  }

  void OnOver(const Status& status, const h2::Metadata& trailers) override {
    outbox_.Abort();
    std::exchange(on_end_, nullptr)(WithDetails(status, trailers));
  }

  const OnReply on_reply_;
  OnStreamEnd on_end_;
  Outbox<Request> outbox_;
  Reply reply_;  // the loop's thread only
};

}  // namespace twofold::rpc
