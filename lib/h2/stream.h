#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/h2/message.h"
#include "lib/h2/metadata.h"

namespace twofold::h2 {

class Session;

/// Who uses a stream: a service, or a caller. The session calls it on the loop's thread, and holds
/// it until OnEnd has returned. Each call may use its stream and others, and begin new ones.
class End {
 public:
  virtual ~End() = default;

  /// A message; `bytes` are valid during the call.
  virtual void OnMessage(std::string_view bytes) = 0;

  /// A service's: the caller has sent its last message.
  virtual void OnHalfClosed() {}

  /// The peer takes more, and all that was added before is on its way: adds the messages that are
  /// ready. Adds nothing: it is asked again after Stream::WantPull.
  virtual void Pull(MessageWriter& out) = 0;

  /// The last call; the stream is gone when it returns. A caller's: how the call ended, and the
  /// server's trailers. A service's: kOk if the answer is on its way, kDeadlineExceeded,
  /// kCancelled (the caller took the call back, or is gone), or what the caller broke.
  virtual void OnEnd(const Status& status, const Metadata& trailers) = 0;
};

/// One call, of the server's or the client's side. Lives until its End::OnEnd returns.
///
/// Threads  The loop's.
/// Errors   Calls that come too late (the status was given, the peer has reset the stream) do
///          nothing: OnEnd is on its way.
class Stream {
 public:
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // ---- the call

  [[nodiscard]] std::int32_t id() const { return id_; }
  [[nodiscard]] Session& session() const { return session_; }
  /// "/package.Service/Method"
  [[nodiscard]] const std::string& path() const { return path_; }
  /// A service's: what the caller said.
  [[nodiscard]] const Metadata& metadata() const { return metadata_; }
  /// nullopt: the caller waits for ever.
  [[nodiscard]] std::optional<Instant> deadline() const { return deadline_; }

  // ---- both sides

  /// There is something to send: End::Pull is called at the end of this turn, or later, when the
  /// peer takes more. Within Pull it is called again at once.
  void WantPull();

  /// OnMessage is not called until Resume. The peer may send on, as much as a stream's window.
  void Pause() { paused_ = true; }
  /// May call OnMessage and OnHalfClosed before it returns.
  void Resume();

  /// What the service holds for this call, in bytes; replaces what was said before. It is charged
  /// to the connection.
  void Hold(std::size_t bytes);

  /// Ends the call at once: the peer sees kCancelled, this side's OnEnd `status`.
  void Cancel(Status status = absl::CancelledError("cancelled"));

  // ---- a service's

  /// The caller's connection is of use from now on: others end before it when memory or
  /// connections are short (Ledger, ConnectionCount). For services that not everybody may use.
  void SetOfUse();

  /// Ends the call with `status` after all that is ready: Pull is called until it adds nothing if
  /// WantPull was ever called, else the status goes alone. What the caller sends on is dropped.
  void Finish(Status status, Metadata trailers = {});

  // ---- a caller's

  /// Whether the server has said how the call ended.
  [[nodiscard]] bool has_status() const { return has_status_; }

  /// The last message is the one that Pull adds last.
  void HalfClose();

 private:
  friend class Session;
  Stream(Session& session, std::int32_t id);

  // What comes.
  void Deliver(std::string_view chunk);
  void TakeMessages();
  std::size_t TakeFrom(std::string_view bytes);
  void Consume(std::size_t bytes);
  void OnPeerDone();
  void Drop();
  [[nodiscard]] std::size_t unread() const { return in_.size() - taken_; }

  // What goes.
  void Refill(std::string& spare);
  void OnDrained(std::string& spare);
  [[nodiscard]] std::size_t unsent() const { return out_.size() - sent_; }

  /// The peer broke the call, or its time is over: a service's `status` goes alone or after what
  /// was pulled, a caller's call is reset.
  void Fail(const Status& status);
  void Recount();

  Session& session_;
  const std::int32_t id_;
  std::shared_ptr<End> end_;  // null: not served yet, or refused
  std::string path_;
  Metadata metadata_;
  std::optional<Instant> deadline_;
  std::optional<Instant> due_;  // the deadline, while it is waited for

  Metadata block_;                // headers that come
  std::size_t header_bytes_ = 0;  // of the block, as HTTP/2 counts them

  std::string in_;              // begins with a message that is not whole, or waits for Resume
  std::size_t taken_ = 0;       // of in_
  std::size_t unconsumed_ = 0;  // bytes that the peer's window does not have back
  bool paused_ = false;
  bool dropped_ = false;  // nobody wants further messages
  bool delivering_ = false;
  bool has_status_ = false;
  bool peer_done_ = false;  // END_STREAM came
  bool told_done_ = false;

  std::string out_;  // pulled
  std::size_t sent_ = 0;
  bool answered_ = false;    // headers are on their way
  bool wants_pull_ = false;  // since the last Pull began
  bool finishing_ = false;   // HalfClose or Finish was called
  bool pulled_all_ = false;  // out_ has the last message
  bool trailers_sent_ = false;
  bool reset_ = false;  // by this side
  Status status_;      // a service's, to be sent
  Metadata trailers_;  // a service's, to be sent; a caller's, that came

  std::optional<Status> outcome_;  // what OnEnd tells, if it is known
  bool closed_ = false;            // HTTP/2's stream is gone; messages may wait to be read

  std::size_t service_bytes_ = 0;
  std::size_t charged_ = 0;
};

}  // namespace twofold::h2
