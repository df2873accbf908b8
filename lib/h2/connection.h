#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/common/descriptors.h"
#include "lib/common/result.h"
#include "lib/h2/account.h"
#include "lib/h2/closing.h"
#include "lib/h2/limits.h"
#include "lib/h2/loop.h"
#include "lib/h2/session.h"
#include "lib/h2/tls.h"
#include "lib/h2/transport.h"

namespace twofold::h2 {

/// A session on a socket of a loop.
///
/// Threads  The loop's.
/// Errors   What breaks the connection ends each call and is told to `on_closed`, once.
/// Memory   What the socket does not take is some Limits::write_bytes at most, and is charged.
class Connection final : public Loop::Source {
 public:
  struct Options {
    const Limits& limits;                      ///< outlives the connection
    Duration age{};                            ///< of this one, instead of Limits::age; 0: any
    Ledger& ledger;                            ///< outlives the connection
    std::string peer;                          ///< the peer's host, to which the memory is charged
    Session::Serve serve;                      ///< empty: a caller's side
    std::shared_ptr<const Tls> tls = nullptr;  ///< null: plain text
    /// Whether a handshake may go on in this turn; empty: always.
    std::function<bool()> may_shake = {};
    /// The handshake is done.
    std::function<void(Connection&)> on_ready = {};
    std::function<void(PeerNews)> on_news = {};  ///< see Session::Options
    bool keep_frames = false;                    ///< the last ones, for Closing::frames
    /// Says why the connection is over in the words of its owner: calls and `on_closed` hear these.
    /// Empty: they hear `why` as it is.
    std::function<std::string(std::string_view why)> explain = {};
    /// The connection is over and may be retired, not destroyed.
    std::function<void(Connection&, const Closing&)> on_closed = {};
  };

  /// `socket` does not block. Begins to read.
  ///
  /// Errors   kResourceExhausted: no room for another one.
  static Result<std::unique_ptr<Connection>> Make(Loop& loop, Descriptor socket, Options options);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// REQUIRES: it is open.
  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] const std::string& peer() const { return options_.peer; }
  [[nodiscard]] bool open() const { return socket_.get() >= 0; }

  /// Ends all calls and closes the socket. Not to be called by an End. Does nothing the second
  /// time.
  void Close(Cause cause, std::string_view why);

 private:
  Connection(Loop& loop, Descriptor socket, Options options);
  Status Start();

  void OnReady(std::uint32_t events) override;
  void OnFlush() override;
  bool Shake();
  void Stop(const Moved& moved);
  [[nodiscard]] Cause CauseOf(const Moved& moved) const;
  void Shut(std::string_view why);
  void Read();
  struct Share;
  [[nodiscard]] const Share& share() const;
  bool Pace(Duration took, const Share& share);
  bool Write(std::string_view bytes);
  void WriteRest();
  void Watch();
  void OnDue();
  void OnAge();
  void Arm();

  Loop& loop_;
  const Options options_;
  Descriptor socket_;
  std::optional<Account> account_;  // while it is open, as is the session
  std::unique_ptr<Session> session_;
  Timer timer_;
  std::string rest_;  // what the socket has not taken
  const std::unique_ptr<Transport> transport_;
  std::size_t read_bytes_ = 16 << 10;  // at most, by how long it took to serve those before
  std::uint32_t watched_ = 0;          // epoll's events
  bool ready_ = false;                 // the handshake is done
  bool blocked_ = false;               // until the socket takes more
  Instant blocked_since_;
  Instant age_due_ = Instant::max();
  bool aged_ = false;        // and was told so
  bool must_write_ = false;  // TLS has to, before it can go on
};

}  // namespace twofold::h2
