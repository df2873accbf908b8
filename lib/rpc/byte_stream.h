#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/h2/message.h"
#include "lib/h2/metadata.h"

namespace twofold::rpc {

/// What a caller said when it began a call. Valid while the call is begun; take copies.
struct CallInfo {
  const std::string& path;  ///< "/package.Service/Method"
  const h2::Metadata& metadata;
  const std::string& host;  ///< where the caller is, see h2::HostOf
  /// time_point::max(): the caller waits for ever.
  std::chrono::system_clock::time_point deadline;
};

class ByteStream;

/// The wire's side of a call that this server serves: carries out what the service's side orders.
///
/// Threads  Safe. Orders that come when the call is over do nothing.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void Read() = 0;
  virtual void WantPull() = 0;
  virtual void Finish(Status status, h2::Metadata trailers) = 0;
  virtual void BreakOff() = 0;
  virtual void After(Duration pause, std::function<void()> task) = 0;
  /// Reactions come to `next` from now on, which begins, and whose first message is `first`. If the
  /// call is over it neither begins nor ends.
  virtual void HandOver(std::shared_ptr<ByteStream> next, std::optional<std::string> first) = 0;
};

/// The service's side of a call, whatever the kind of its method: all calls look the same on the
/// wire (messages one way, messages and a status the other), so they have one lifecycle.
///
/// Messages are pulled: the wire asks for them when the peer has room, at the end of a turn of its
/// loop, so what all of a turn makes ready goes out together. When a call is over, a read that is
/// under way fails, and OnDone comes.
///
/// Threads  Orders from any thread. Reactions (the On... methods) come one at a time, on the thread
///          of the connection's loop, maybe before the order that caused them has returned; they
///          must not block, as all connections wait meanwhile.
class ByteStream : public std::enable_shared_from_this<ByteStream> {
 public:
  virtual ~ByteStream() = default;

  /// Keeps `place` as long as the call goes on. Call it before the call begins.
  void Hold(std::shared_ptr<void> place) { place_ = std::move(place); }

  /// The call begins here. Once.
  void Begin(std::shared_ptr<Wire> wire);

  /// The call is over: OnDone, and its place is free.
  void End() {
    OnDone();
    place_.reset();
  }

  // ---- orders, from OnBegin on

  /// OnRead or OnReadEnd follows.
  void StartRead() { wire_->Read(); }
  /// There is something to send: Pull follows.
  void WantPull() { wire_->WantPull(); }
  /// `task` runs on the loop's thread when `pause` has passed, unless the call is over by then.
  void RunAfter(Duration pause, std::function<void()> task) {
    wire_->After(pause, std::move(task));
  }
  /// Ends the call with `status` after all that is ready: Pull is called until it adds nothing, if
  /// WantPull ever was. Also before OnBegin. The first call wins.
  /// A payload of `status` named h2::kStatusDetails goes along as its details.
  void Finish(Status status, h2::Metadata trailers = {});
  /// Ends the call at once, whatever waits to be sent; the caller sees CANCELLED. Also before
  /// OnBegin.
  void BreakOff();

  // ---- reactions

  virtual void OnBegin() = 0;
  /// A message; `bytes` are valid during the call.
  virtual void OnRead(std::string_view bytes) = 0;
  /// There are no further messages: the caller has sent its last one, or the call is over.
  virtual void OnReadEnd() = 0;
  /// The peer takes more, and all that was added before is on its way: adds the messages that are
  /// ready. Adds nothing: it is asked again after WantPull.
  virtual void Pull(h2::MessageWriter& out) = 0;
  /// The caller took the call back or is gone, its time is over, or it broke the protocol.
  virtual void OnCancel() {}
  /// The last reaction.
  virtual void OnDone() = 0;

  /// Bytes that wait in this process, until the peer takes more or, of what it has sent, for
  /// whoever they are passed on to. The connection is charged for them. Asked on the loop's thread:
  /// with WantPull and Pull, after an OnRead that does not read on, and when that is made up for.
  [[nodiscard]] virtual std::size_t waiting_bytes() const { return 0; }

 protected:
  /// For whoever hands the call on to another one: Begin it with this.
  [[nodiscard]] const std::shared_ptr<Wire>& wire() const { return wire_; }

 private:
  /// Whether the call has begun. If not, `end` is kept until it does.
  bool HasBegun(const Status& end);

  std::shared_ptr<void> place_;
  std::shared_ptr<Wire> wire_;  // set before OnBegin, and not again
  Mutex mutex_;
  bool begun_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Status> early_end_ ABSL_GUARDED_BY(mutex_);  // before it has begun
};

}  // namespace twofold::rpc
