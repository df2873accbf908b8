#pragma once

#include <memory>
#include <string_view>

#include "lib/rpc/awaited_messages.h"
#include "lib/rpc/outgoing_call.h"

namespace twofold::rpc {

/// The caller's end of a call that a coroutine makes: after Start it writes, reads until there are
/// no further messages, and then asks how the call ended.
///
/// Create with std::make_shared.
///
/// Threads  See AwaitedMessages. Whoever waits goes on on the loop's thread.
class AwaitedCall final : public OutgoingCall, public AwaitedMessages {
 public:
  /// The server may still answer. After what was written.
  void HalfClose() {
    Carry([this] {
      half_closed_ = true;
      if (stream() != nullptr) stream()->HalfClose();
    });
  }

  // ---- when there are no further messages

  /// The server's details are in the trailers: see WithDetails.
  [[nodiscard]] const Status& status() const { return status_; }
  /// Whether that is the server's own word.
  [[nodiscard]] bool is_servers_word() const { return is_servers_word_; }
  [[nodiscard]] const h2::Metadata& trailers() const { return trailers_; }

 private:
  void OnBegin() override { half_closed_ ? stream()->HalfClose() : stream()->WantPull(); }

  // One at a time.
  void OnMessage(std::string_view bytes) override {
    stream()->Pause();
    Put(bytes);
  }
  void Pull(h2::MessageWriter& out) override { PullNext(out); }

  void OnOver(const Status& status, const h2::Metadata& trailers) override {
    status_ = status;
    trailers_ = trailers;
    is_servers_word_ = has_status();
    EndAll();
  }

  void OrderRead() override {
    Carry([this] {
      if (stream() != nullptr) stream()->Resume();
    });
  }
  void OrderPull() override {
    Carry([this] {
      if (stream() != nullptr) stream()->WantPull();
    });
  }

  std::shared_ptr<void> Keep() override { return shared_from_this(); }

  bool half_closed_ = false;  // the loop's thread only

  // Set before whoever reads hears of the end.
  Status status_;
  h2::Metadata trailers_;
  bool is_servers_word_ = false;
};

}  // namespace twofold::rpc
