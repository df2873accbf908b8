#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/http/message.h"
#include "lib/security/tls_material.h"

namespace twofold::http {

/// Which servers a client believes.
enum class Trust {
  kCa,      ///< those with a certificate of the CAs in the TlsMaterial
  kSystem,  ///< those with a certificate of the CAs of this system
  kAnybody,
};

/// A program that connects us to others, by CONNECT.
struct Proxy {
  HostPort address;
  std::string authorization;  ///< the header Proxy-Authorization; empty: none
};

/// A server to connect to.
struct Upstream {
  HostPort address;
  std::shared_ptr<const security::TlsMaterial> tls;  ///< null: plain text
  Trust trust = Trust::kCa;
  std::string server_name = {};  ///< in its certificate; empty: the host of `address`
  std::optional<Proxy> proxy = {};
};

/// A request as it is sent; Content-Length is added.
struct Outgoing {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;  ///< Host among them
  std::string body;
};

/// The head of an answer.
struct Head {
  int status = 0;
  Params headers;   ///< names in lower case
  Instant arrived;  ///< when its first bytes came from the socket
};

/// A part of an answer's body.
struct Piece {
  bool last = false;
  Instant arrived;  ///< when it came from the socket
};

/// One connection to a server, kept for as many requests as both sides like.
///
/// A request is Send, ReceiveHead, and ReceiveBody until the last piece. After an error, and when
/// the server wants so, the connection is closed; open it again.
///
/// Threads  Blocks; one caller at a time, but Interrupt comes from any thread.
/// Errors   kDeadlineExceeded; kCancelled: interrupted; kInvalidArgument: certificates that OpenSSL
///          cannot use; kUnavailable: all else, as the system or the peer says it. None names the
///          server: the caller does.
class ClientConnection {
 public:
  ClientConnection();
  ~ClientConnection();
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  /// Connects, closing what was open. The deadline does not cover looking up a name.
  Status Open(const Upstream& server, Instant deadline);
  [[nodiscard]] bool is_open() const;

  /// Whether it is open and fit for the next request, as far as can be seen: the last answer has
  /// been read to its end, and the server has not closed it meanwhile.
  [[nodiscard]] bool is_idle() const;
  void Close();

  Status Send(const Outgoing& request, Instant deadline);
  Result<Head> ReceiveHead(Instant deadline);

  /// Appends what comes next to `body`; waits for one byte at least, or the end.
  Result<Piece> ReceiveBody(std::string& body, Instant deadline);

  /// Ends the operation in progress and all later ones.
  void Interrupt();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace twofold::http
