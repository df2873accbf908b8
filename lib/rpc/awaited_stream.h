#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/rpc/awaited_messages.h"
#include "lib/rpc/byte_stream.h"

namespace twofold::rpc {

/// The server's end of a call that a coroutine serves, from Serve to Finish.
///
/// Create with std::make_shared.
///
/// Threads  See AwaitedMessages, and ByteStream for orders and reactions.
class AwaitedStream : public ByteStream, public AwaitedMessages {
 protected:
  /// The call begins: begins the coroutine, which keeps this object as long as it goes on.
  virtual void Serve() = 0;
  /// The call is over, whoever ended it. What waits for messages goes on after that.
  virtual void OnGone() {}

  /// The call goes on with `next`, which gets what was not read yet, and `first` before that: the
  /// message that was read last, if there was one. This object stays as long as the call.
  void HandOver(const std::shared_ptr<ByteStream>& next, std::optional<std::string> first) {
    next->Hold(shared_from_this());
    wire()->HandOver(next, std::move(first));
  }

 private:
  void OnBegin() final { Serve(); }
  void OnRead(std::string_view bytes) final { Put(bytes); }
  void OnReadEnd() final { EndRead(); }
  void Pull(h2::MessageWriter& out) final { PullNext(out); }
  void OnDone() final {
    OnGone();
    EndAll();
  }
  [[nodiscard]] std::size_t waiting_bytes() const final { return held_bytes(); }

  void OrderRead() final { StartRead(); }
  void OrderPull() final { WantPull(); }
  std::shared_ptr<void> Keep() final { return shared_from_this(); }
};

}  // namespace twofold::rpc
