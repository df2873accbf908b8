#pragma once

#include <memory>
#include <string>

#include "lib/common/result.h"
#include "lib/security/options.h"
#include "lib/security/reloaded.h"
#include "lib/security/tls_material.h"

namespace twofold::security {

/// The environment variable with the token of a program that has no --token-file.
inline constexpr const char* kTokenVariable = "TWOFOLD_TOKEN";

/// Removes kTokenVariable from the environment and from /proc/PID/environ.
///
/// Threads  Call it before there are others.
void ForgetTokenVariable();

/// The certificate and token that a connecting program shows, and the CA that it trusts, reloaded
/// when their files change; and the proxy that it asks. A default Client means plain text without a
/// token and a proxy.
///
/// Threads  Safe to share; copies share the same files.
class Client {
 public:
  Client() = default;

  /// Errors   kInvalidArgument: one line that names the flag, the file and what is wrong.
  static Result<Client> Open(const ClientOptions& options);

  /// Plain text with this token, which must be fit for a header (CheckToken).
  static Client WithToken(std::string token);

  /// A copy without the token, for a server whose address somebody else may have written.
  [[nodiscard]] Client WithoutToken() const;

  /// A copy without the server's name, for an address that a trusted server named: the certificate
  /// there must be for the host of that address. CA, own certificate and token stay.
  [[nodiscard]] Client WithoutServerName() const;

  /// The CA and the certificate; null: plain text. The same pointer until a file changes.
  [[nodiscard]] std::shared_ptr<const TlsMaterial> Tls() const {
    return tls_ == nullptr ? nullptr : tls_->Get();
  }
  [[nodiscard]] bool has_tls() const { return tls_ != nullptr; }

  /// The server's name in its certificate; empty: the host of its address.
  [[nodiscard]] const std::string& server_name() const { return server_name_; }

  /// The header `authorization` of every call; empty: none.
  [[nodiscard]] std::string Authorization() const;

  /// The proxy for a connection to `address` (host:port), http://host:port; empty: it goes direct.
  [[nodiscard]] std::string ProxyTo(const std::string& address) const;

 private:
  std::shared_ptr<Reloaded<TlsMaterial>> tls_;
  std::string server_name_;
  std::shared_ptr<Reloaded<std::string>> token_file_;
  std::string token_;     // if there is no file
  std::string proxy_;     // http://host:port
  std::string no_proxy_;  // as GoesDirect takes it
};

/// Why a connection to `address` (host:port) fails, if TLS is the reason: only one side uses TLS,
/// or a certificate is missing or not trusted. Empty: there is another reason. gRPC itself says
/// only that the connection was closed. Through a proxy nothing is found out.
///
/// Threads  Blocks for at most about a second, plus the time to look up a name.
std::string DiagnoseTls(const std::string& address, const Client& client);

}  // namespace twofold::security
