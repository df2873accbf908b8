#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kubernetes/api/call.h"
#include "kubernetes/api/config.h"
#include "lib/common/instant.h"
#include "lib/common/interruption.h"
#include "lib/common/result.h"
#include "lib/http/client_connection.h"
#include "lib/http/url.h"

namespace twofold::kube {

class Credentials;
struct Proof;

/// An API server and an identity, which connections share.
struct Access {
  Config config;
  std::shared_ptr<Credentials> credentials;
};

/// Says loudly (in the log) if anybody may be the server.
Access Open(Config config);

/// FindConfig and Open.
Result<Access> OpenAccess(const ConfigSources& sources);

struct ConnectionOptions {
  Duration timeout = std::chrono::seconds(30);  ///< a call, with waits and repeats
  std::size_t max_reply = 256 << 20;            ///< bytes, unpacked
  int max_throttled =
      10;  ///< tries of a call that end in 429 or 503 with Retry-After, as client-go
};

/// What a server has done with a call.
struct Reply {
  int status = 0;
  Json body;              ///< null for an empty body
  std::size_t bytes = 0;  ///< of the body's text, unpacked
  Instant sent;           ///< before its first byte went to the socket, the last time
  Instant first_byte;     ///< when the first bytes of the answer came from the socket
  int throttled = 0;      ///< as in ConnectionCounts, of this call
  bool repeated = false;  ///< sent again after the connection had broken
};

/// Whose limit a call met, by the API server's flow control: uids of its objects.
struct Flow {
  std::string priority_level;
  std::string schema;

  auto operator<=>(const Flow&) const = default;
};

/// Sums over all calls, failed ones too.
struct ConnectionCounts {
  std::uint64_t calls = 0;
  std::uint64_t connects = 0;
  std::uint64_t repeats = 0;
  std::uint64_t throttled = 0;                      ///< answers 429, and others that ask to wait
  Duration throttled_time{};                        ///< waited for that
  std::map<Flow, std::uint64_t> throttled_by = {};  ///< those that say it; at most 64 flows
};

/// One connection to the API server, kept from call to call. A new one is made when it has broken,
/// and what may be repeated is (Repeat). Keep one a worker; each watch has its own (watch.h).
///
/// Threads  Blocks; one call at a time. Interrupt may come from any thread.
/// Errors   ErrorOf, for all but status 200 to 299; kDeadlineExceeded: no answer within the
/// timeout;
///          kUnavailable: nobody there, TLS, a broken connection, an answer that is no JSON or too
///          long; kCancelled: interrupted. All name the call.
class Connection {
 public:
  explicit Connection(Access access, ConnectionOptions options = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Result<Reply> Do(const Call& call);

  /// The same for an answer that is text: a log, a page through a proxy.
  Result<std::string> GetText(const Call& call);

  [[nodiscard]] const ConnectionCounts& counts() const { return counts_; }

  /// Ends the call in progress, if any, and refuses all later ones.
  void Interrupt();

  /// Begins a call whose answer comes bit by bit, as that of a watch. What came before the first
  /// ReadStream is kept for it. The instant at which the answer began.
  Result<Instant> OpenStream(const Call& call);

  /// Appends what comes next to `to`, waiting for one byte at least. The instant at which it came
  /// from the socket; nullopt: the stream has ended as it should.
  Result<std::optional<Instant>> ReadStream(std::string& to, Duration timeout);

  /// Waits, unless interrupted: false.
  bool Sleep(Duration wait);

 private:
  struct Answer;
  struct Tries;

  Result<Answer> Ask(const Call& call, bool whole, Tries& tries);
  Result<Answer> Try(const Call& call, bool whole, Instant deadline);
  Status Connect(const Proof& proof, Instant deadline);
  Status ReceiveAll(Answer& answer, Instant deadline);
  bool MayRepeat(const Call& call, const Status& status, Tries& tries, Instant deadline);
  bool MayRetry(const Answer& answer, Tries& tries, Instant deadline);
  [[nodiscard]] http::Outgoing MakeRequest(const Call& call, bool whole, const Proof& proof) const;
  static Status Refusal(const Call& call, const Answer& answer);

  const Access access_;
  const ConnectionOptions options_;
  ConnectionCounts counts_;
  http::ClientConnection http_;
  std::optional<http::Url> url_;
  std::shared_ptr<const Proof> proof_;                // of the present try
  std::shared_ptr<const security::TlsMaterial> tls_;  // of the open connection
  bool sent_ = false;                                 // a part of the request, in the present try
  Interruption interruption_;
};

}  // namespace twofold::kube
