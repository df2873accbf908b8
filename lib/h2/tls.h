#pragma once

#include <memory>
#include <string>

#include "lib/common/result.h"
#include "lib/h2/transport.h"
#include "lib/security/tls_material.h"

namespace twofold::h2 {

/// Whether callers have to show a server their certificates.
enum class CallersCertificates { kNotAsked, kRequired };

/// What one side shows and demands in handshakes: TLS 1.2 or 1.3, HTTP/2 by ALPN, no renegotiation,
/// no resumption.
///
/// Threads  Any; each transport belongs to one.
class Tls {
 public:
  virtual ~Tls() = default;
  /// A connection over `socket`, which does not block and outlives it. What it cannot begin for
  /// want of memory fails in the handshake.
  [[nodiscard]] virtual std::unique_ptr<Transport> Over(int socket) const = 0;
};

/// `material` has certificate and key; its authorities have signed callers' certificates.
///
/// Errors   kInvalidArgument: what is wrong with the texts. kInternal: OpenSSL has no room.
Result<std::shared_ptr<const Tls>> ServersTls(const security::TlsMaterial& material,
                                              CallersCertificates callers);

/// The server has to show a certificate for `name` (a name or an IP address), signed by the
/// authorities of `material`, or by the system's if it has none. Shows a certificate if `material`
/// has one.
///
/// Errors   kInvalidArgument: what is wrong with the texts or the name. kInternal: OpenSSL has no
///          room.
Result<std::shared_ptr<const Tls>> CallersTls(const security::TlsMaterial& material,
                                              const std::string& name);

}  // namespace twofold::h2
