#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/rpc/byte_stream.h"
#include "lib/rpc/dialer.h"
#include "lib/rpc/message_slot.h"
#include "lib/rpc/outgoing_call.h"

namespace twofold::frontend {

/// A caller's stream that goes on at another frontend: passes messages on as bytes, unread, in both
/// directions, and then how the stream ended. A message is read when the one before has been passed
/// on, so whoever does not read slows down whoever writes, and no more than two are held.
///
/// Threads  What is public is called on the loop of the caller's connection, one at a time. All
///          else is on the loop of `way`, which may be another one.
class RelayedStream final : public rpc::OutgoingCall {
 public:
  /// `loop` is that of `way`. `options` are those of the call there.
  RelayedStream(rpc::LoopOwner& loop, std::shared_ptr<rpc::Dialer> way, h2::CallOptions options)
      : loop_(loop), way_(std::move(way)), options_(std::move(options)) {}

  /// `caller` is given orders from now on; `first` is the message that was read.
  void Begin(std::shared_ptr<rpc::ByteStream> caller, std::string first);

  // ---- reactions of the caller's stream (rpc::ByteStream)

  void OnRead(std::string_view bytes);
  void OnReadEnd();
  void PullDown(h2::MessageWriter& out);
  /// Its call is over.
  void OnCallerGone();
  [[nodiscard]] std::size_t waiting_bytes() const { return upwards_bytes_ + downwards_.bytes(); }

 private:
  void OnBegin() override;
  void OnMessage(std::string_view bytes) override;
  void Pull(h2::MessageWriter& out) override;
  void Do(std::function<void()> task);
  void OnOver(const Status& status, const h2::Metadata& trailers) override;

  rpc::LoopOwner& loop_;
  const std::shared_ptr<rpc::Dialer> way_;
  const h2::CallOptions options_;

  // The loop's thread only.
  std::shared_ptr<rpc::ByteStream> caller_;  // null: it has not begun, or is over
  bool gone_ = false;                        // the caller
  bool half_closed_ = false;                 // by the caller
  std::optional<std::string> upwards_;       // from the caller, who is read when it has left

  std::atomic<std::size_t> upwards_bytes_ = 0;  // on their way there, or there
  rpc::MessageSlot downwards_;  // to the caller; the next one is read when it has left
};

}  // namespace twofold::frontend
