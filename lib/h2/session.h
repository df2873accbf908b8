#pragma once

#include <absl/container/flat_hash_map.h>
#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/h2/account.h"
#include "lib/h2/closing.h"
#include "lib/h2/counted_memory.h"
#include "lib/h2/last_frames.h"
#include "lib/h2/limits.h"
#include "lib/h2/metadata.h"
#include "lib/h2/purse.h"
#include "lib/h2/stream.h"

namespace twofold::h2 {

/// Buffers that the sessions of one loop share, so that a connection at rest has none.
struct Outgoing {
  std::string bytes;  ///< what is to be written
  std::string spare;
};

/// What a peer has said of the whole connection.
enum class PeerNews {
  kGreeted,  ///< it speaks HTTP/2: its SETTINGS came
  kDrains,   ///< it takes no further calls
  kOfUse     ///< a server's: a service says so, see Stream::SetOfUse
};

/// A call to be begun.
struct CallOptions {
  std::string path;  ///< "/package.Service/Method"
  std::string authority = "localhost";
  std::string scheme = "http";
  Metadata metadata =
      {};  ///< lower-case names that are not IsReserved; printable ASCII unless IsBinary
  std::optional<Instant> deadline = {};  ///< the call ends then with kDeadlineExceeded
};

/// An HTTP/2 connection that carries gRPC's wire, without the connection: bytes come in, bytes go
/// out, time is an argument.
///
/// What streams have ready is gathered when it is collected, so all that one turn of a loop made
/// ready goes out together.
///
/// Time     Callers pass `now`; the session reads no clock.
/// Threads  Not thread-safe: one loop.
/// Errors   Receive, Collect and OnDue make a session broken, once and for all, when the peer broke
///          the protocol or a limit: write what Collect still has, then Close. Errors of a call end
///          that call.
/// Memory   What the peer makes this session hold, nghttp2's allocations included, is charged to
///          `account`; when that is overdrawn, the session breaks.
/// Source   RFC 9113; gRPC's PROTOCOL-HTTP2.md.
class Session {
 public:
  /// Says who serves a call. An error is the call's status.
  using Serve = std::function<Result<std::shared_ptr<End>>(Stream&)>;

  struct Options {
    const Limits& limits;  ///< outlives the session, as do the others
    Account& account;
    std::function<void()> on_output;  ///< there is something to collect; not called again before
    Serve serve;                      ///< a server's; empty: a client's session
    std::function<void(PeerNews)> on_news = {};  ///< each at most once
    bool keep_frames = false;                    ///< the last ones, for last_frames()
  };

  /// Errors   kResourceExhausted: the account has no room.
  static Result<std::unique_ptr<Session>> Make(Options options, Instant now);
  ~Session();  ///< REQUIRES: Close was called, or there are no streams
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Takes what came. Calls Ends.
  Status Receive(std::string_view bytes, Instant now);

  /// Appends what is to be written, some Limits::write_bytes at most. Pulls streams. True: there
  /// may be more.
  bool Collect(Outgoing& out, Instant now);

  /// When OnDue has something to do, unless something happens before; Instant::max(): never.
  [[nodiscard]] Instant NextDue() const;
  void OnDue(Instant now);

  /// The connection is gone, or is to be: every call ends, a client's with kUnavailable and `why`.
  void Close(std::string_view why);

  /// Why the connection has to end; kOk: it goes on.
  [[nodiscard]] const Status& broken() const { return broken_; }
  /// The same, for those who count.
  [[nodiscard]] Cause cause() const { return cause_; }
  /// See LastFrames::Text; "": they are not kept.
  [[nodiscard]] std::string last_frames() const {
    return frames_ == nullptr ? "" : frames_->Text();
  }
  /// Nothing is left to be read or written: close the connection.
  [[nodiscard]] bool over() const;

  /// Begins a call, also before the connection is there. A client's.
  ///
  /// Errors   kUnavailable: this connection takes no calls any more. `end` is not called then.
  Result<Stream*> Call(const CallOptions& options, std::shared_ptr<End> end, Instant now);

  /// The peer has said, or was told, that the connection takes no further calls.
  [[nodiscard]] bool drains() const { return drains_ != Drains::kNo || peer_drains_; }

  /// No further calls; over() when those that there are have ended. A server says so twice, so that
  /// no call that is under way is lost: first that it will end, then with which call.
  void Drain(Instant now);

  [[nodiscard]] bool serves() const { return static_cast<bool>(options_.serve); }
  [[nodiscard]] std::size_t streams() const { return streams_.size(); }
  [[nodiscard]] const Account& account() const { return options_.account; }
  [[nodiscard]] Instant heard() const { return heard_; }

 private:
  friend class Stream;
  friend struct SessionCallbacks;
  enum class Drains { kNo, kNoticed, kDone };
  using Streams = absl::flat_hash_map<std::int32_t, std::unique_ptr<Stream>>;
  using Deadlines = std::set<std::pair<Instant, std::int32_t>>;

  Session(Options options, Instant now);
  Status Start();
  [[nodiscard]] const Limits& limits() const { return options_.limits; }
  [[nodiscard]] Stream* Find(std::int32_t id) const;
  Stream& Add(std::int32_t id);
  void SetDeadline(Stream& stream, std::optional<Instant> deadline);
  /// Tells the stream's end, and destroys the stream.
  void EndStream(Stream& stream);

  void MarkDirty();
  void Break(Cause cause, Status why, std::uint32_t code);
  /// A result of nghttp2's: what cannot be mended breaks the session.
  void Check(int result);
  /// What a callback returns to nghttp2: an error once the session is broken, or has no room.
  int GoOn();
  void Tell(PeerNews news) {
    if (options_.on_news) options_.on_news(news);
  }
  /// Takes what a frame costs from the peer's purse.
  int Pay(double cost);

  // What comes, by nghttp2's callbacks. They return 0 or an error of nghttp2.
  int OnBeginFrame(const nghttp2_frame_hd& head);
  int OnBeginHeaders(const nghttp2_frame& frame);
  int OnHeader(std::int32_t id, std::string_view name, std::string_view value);
  void KeepHeader(Stream& stream, std::string_view name, std::string_view value);
  int OnFrame(const nghttp2_frame& frame);
  void OnSettings(bool acknowledge_ours);
  void OnStreamFrame(Stream& stream, const nghttp2_frame& frame);
  int OnInvalidFrame(const nghttp2_frame& frame, int error);
  int OnChunk(std::int32_t id, std::string_view bytes);
  int OnStreamClosed(std::int32_t id, std::uint32_t code);
  void OnRequest(Stream& stream);
  void OnResponse(Stream& stream);
  void OnTrailers(Stream& stream);

  // What goes.
  [[nodiscard]] std::size_t write_bytes() const;
  void Answer(Stream& stream);
  void AnswerAlone(Stream& stream);
  void AnswerInHttp(Stream& stream, std::string_view status);
  void Resume(Stream& stream);
  void SendTrailers(Stream& stream);
  void Reset(Stream& stream, std::uint32_t code);
  void OnSent(const nghttp2_frame& frame);
  void OnGoodbye(const nghttp2_goaway& goaway);
  void OnNotSent(const nghttp2_frame& frame);
  void EndTakenBack();
  ssize_t DataLength(std::int32_t id, std::int32_t window, std::uint32_t frame_bytes);
  ssize_t ReadData(std::int32_t id, std::size_t size, std::uint32_t& flags);
  int SendData(std::int32_t id, std::string_view head, std::size_t size);

  void SayLastCall();
  void OnPong(std::string_view opaque);
  void OnDeadline(Stream& stream);
  [[nodiscard]] bool TakesStatus(const Stream& stream) const;

  const Options options_;
  CountedMemory memory_;
  nghttp2_session* session_ = nullptr;
  Streams streams_;
  Deadlines deadlines_;
  std::vector<std::int32_t> unfinished_;  // a client's: the server has ended these before us
  std::vector<std::int32_t> taken_back_;  // a client's: calls that had not left
  Outgoing* out_ = nullptr;               // during Collect
  bool dirty_ = false;
  bool closed_ = false;
  Status broken_;
  Cause cause_ = Cause::kInOrder;
  const std::unique_ptr<LastFrames> frames_;  // null: they are not kept

  Instant now_;
  Instant heard_;
  Instant idle_since_;
  Instant greeting_due_;
  Instant header_due_ = Instant::max();
  Instant sign_due_ = Instant::max();  // the peer was asked for a sign of life
  Instant last_calls_due_ = Instant::max();
  bool settings_came_ = false;
  bool settings_acknowledged_ = false;
  Drains drains_ = Drains::kNo;
  bool peer_drains_ = false;
  std::uint32_t glitches_ = 0;
  Purse purse_;
};

}  // namespace twofold::h2
