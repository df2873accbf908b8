#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/result.h"
#include "lib/h2/session.h"
#include "lib/h2/stream.h"
#include "lib/rpc/loop_owner.h"

namespace twofold::rpc {

class Channel;

/// A call of this process to a server. Keeps its channel until it is over.
///
/// Create with std::make_shared.
///
/// Threads  Start once, and then Cancel, from any thread. All that a derived class overrides comes
///          on the loop's thread, and must not block.
class OutgoingCall : public h2::End, public std::enable_shared_from_this<OutgoingCall> {
 public:
  /// Begins the call on `channel`, which fills in authority and scheme.
  void Start(std::shared_ptr<Channel> channel, h2::CallOptions options);

  /// Breaks the call off; it ends with kCancelled, unless it ended before.
  void Cancel();

  /// Gives its channel up, when the loop may take no further turn: each would keep the other one.
  /// The end of the loop may tell it that it is over. On the loop's thread, or after it.
  void Abandon();

 protected:
  /// The call has begun: stream() is there.
  virtual void OnBegin() = 0;
  /// How the call ended, also if it never began. Once, and last of all.
  virtual void OnOver(const Status& status, const h2::Metadata& trailers) = 0;

  /// Whether the status is the server's own word; in OnOver.
  [[nodiscard]] bool has_status() const { return has_status_; }

  /// The loop's thread only. Null: the call has not begun, or is over.
  [[nodiscard]] h2::Stream* stream() const { return stream_; }

  /// Runs `order` on the loop's thread, now or soon.
  template <typename Order>
  void Carry(Order order) {
    if (owner_->IsHere()) return order();
    owner_->Post([self = shared_from_this(), order = std::move(order)] { order(); });
  }

 private:
  friend class Channel;
  void Begin(h2::Stream& stream);
  void OnEnd(const Status& status, const h2::Metadata& trailers) final;

  LoopOwner* owner_ = nullptr;  // from Start on

  // The loop's thread only, from Start on.
  std::shared_ptr<Channel> channel_;  // null: it is over
  h2::Stream* stream_ = nullptr;
  bool taken_back_ = false;  // before it has begun
  bool has_status_ = false;
};

/// A call with one request and one reply, as bytes.
class UnaryRequest final : public OutgoingCall {
 public:
  /// `status` has the details that the server gave (h2::kStatusDetails).
  using Done = std::function<void(Result<std::string> reply)>;

  /// `done` comes once, on the loop's thread.
  UnaryRequest(std::string request, Done done)
      : request_(std::move(request)), done_(std::move(done)) {}

 private:
  void OnBegin() override { stream()->HalfClose(); }
  void OnMessage(std::string_view bytes) override { reply_ = bytes; }
  void Pull(h2::MessageWriter& out) override;
  void OnOver(const Status& status, const h2::Metadata& trailers) override;

  std::string request_;
  Done done_;
  bool asked_ = false;
  std::string reply_;
};

}  // namespace twofold::rpc
