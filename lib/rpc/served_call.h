#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/h2/message.h"
#include "lib/h2/stream.h"
#include "lib/rpc/byte_stream.h"
#include "lib/rpc/loop_thread.h"

namespace twofold::rpc {

/// A call on a stream of HTTP/2: between the stream, which belongs to the loop, and the service,
/// which may give orders from any thread.
///
/// Lives as long as the stream, or whoever keeps the service's ByteStream.
class ServedCall final : public h2::End,
                         public Wire,
                         public std::enable_shared_from_this<ServedCall> {
 public:
  /// On the loop's thread. `thread` and `stream` belong to each other. `open`: everybody may make
  /// such a call, so its messages do not make a connection one of use.
  ServedCall(const std::shared_ptr<LoopThread>& thread, h2::Stream& stream, bool open)
      : thread_(thread), id_(thread.get()), open_(open), stream_(&stream) {}

  /// `service` serves the call from now on.
  void Begin(std::shared_ptr<ByteStream> service);

  void Read() override;
  void WantPull() override;
  void Finish(Status status, h2::Metadata trailers) override;
  void BreakOff() override;
  void After(Duration pause, std::function<void()> task) override;
  void HandOver(std::shared_ptr<ByteStream> next, std::optional<std::string> first) override;

 private:
  void OnMessage(std::string_view bytes) override;
  void OnHalfClosed() override;
  void Pull(h2::MessageWriter& out) override;
  void OnEnd(const Status& status, const h2::Metadata& trailers) override;

  /// Runs `order()` on the loop's thread, now or soon, unless the call is over.
  template <typename Order>
  void Carry(Order order) {
    if (LoopOwner::Current() == id_) {
      if (stream_ != nullptr) order();
    } else if (const auto thread = thread_.lock()) {
      thread->Post([self = shared_from_this(), order = std::move(order)]() mutable {
        if (self->stream_ != nullptr) order();
      });
    }
  }

  // Weak: what posts to a thread must not keep it, as its last holder must not be that thread.
  const std::weak_ptr<LoopThread> thread_;
  const LoopOwner* const id_;  // compared only
  const bool open_;

  // The loop's thread only.
  h2::Stream* stream_;                   // null: the call is over
  std::shared_ptr<ByteStream> service_;  // the same
  std::optional<std::string> again_;     // was read by a service that has handed the call over
  bool reading_ = false;
  bool keeps_ = false;  // the service has not read on, and may keep the message
  bool half_closed_ = false;
};

}  // namespace twofold::rpc
