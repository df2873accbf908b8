#pragma once

#include <google/protobuf/message_lite.h>

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

/// The wire's side of a call that this server serves: carries out what the service's side orders.
///
/// Threads  Safe. Orders that come when the call is over do nothing.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void Read() = 0;
  virtual void Write(const google::protobuf::MessageLite& message) = 0;
  virtual void Write(const std::string& bytes) = 0;
  virtual void Finish(Status status, h2::Metadata trailers) = 0;
  virtual void BreakOff() = 0;
  virtual void Charge(std::size_t bytes) = 0;
  virtual void After(Duration pause, std::function<void()> task) = 0;
};

/// The service's side of a call, whatever the kind of its method: all calls look the same on the
/// wire (messages one way, messages and a status the other), so they have one lifecycle.
///
/// A read and a write may be under way at once, one of each. When a call is over, what is under way
/// fails, and OnDone comes.
///
/// Threads  Orders from any thread. Reactions (the On... methods) come one at a time, on the thread
///          of the connection's loop, maybe before the order that caused them has returned; they
///          must not block, as all connections wait meanwhile.
class ByteStream : public std::enable_shared_from_this<ByteStream> {
 public:
  virtual ~ByteStream() = default;

  /// The call begins here. Once.
  void Begin(std::shared_ptr<Wire> wire);

  // ---- orders, from OnBegin on

  /// OnRead or OnReadEnd follows.
  void StartRead() { wire_->Read(); }
  /// OnWritten follows; `message` stays as it is until then.
  void StartWrite(const google::protobuf::MessageLite& message) { wire_->Write(message); }
  void StartWrite(const std::string& bytes) { wire_->Write(bytes); }
  /// So many bytes wait in this process until the peer takes more, beside what is being written;
  /// they are charged to the connection, if there is one yet. Replaces what was said before.
  void Charge(std::size_t bytes) {
    if (wire_ != nullptr) wire_->Charge(bytes);
  }
  /// `task` runs on the loop's thread when `pause` has passed, unless the call is over by then.
  void RunAfter(Duration pause, std::function<void()> task) {
    wire_->After(pause, std::move(task));
  }
  /// Ends the call when all that was written has gone; also before OnBegin. The first call wins.
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
  /// The peer takes more. False: the call is over.
  virtual void OnWritten(bool ok) = 0;
  /// The caller took the call back or is gone, its time is over, or it broke the protocol.
  virtual void OnCancel() {}
  /// The last reaction.
  virtual void OnDone() = 0;

 private:
  /// Whether the call has begun. If not, `end` is kept until it does.
  bool HasBegun(const Status& end);

  std::shared_ptr<Wire> wire_;  // set before OnBegin, and not again
  Mutex mutex_;
  bool begun_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Status> early_end_ ABSL_GUARDED_BY(mutex_);  // before it has begun
};

}  // namespace twofold::rpc
