#pragma once

#include <string>

namespace CLI {
class App;
}

/// The security options that all command lines share; docs/security.md explains them to users.
namespace twofold::security {

/// PEM files; empty: none.
struct TlsPaths {
  std::string prefix;  ///< of the flags: "" for --tls-cert, "http-" for --http-tls-cert
  std::string cert;    ///< what to show peers: a certificate, then intermediate ones
  std::string key;     ///< its private key
  std::string ca;      ///< CAs of the certificates that peers must show
};

/// Of a program that serves. All empty: plain text, and everybody may call everything.
struct ServerOptions : TlsPaths {
  std::string token_file;  ///< lines of ROLE NAME TOKEN; empty: no token is required
};

/// Of a program that connects. All empty: plain text, no token, no proxy. `ca` turns TLS on.
struct ClientOptions : TlsPaths {
  std::string server_name;  ///< in the certificate, if it is not the host in the address
  std::string token_file;   ///< a file with one token; empty: $TWOFOLD_TOKEN, if it is set
  std::string proxy = {};   ///< http://host:port
};

/// Declares --tls-cert, --tls-key, --tls-ca and --token-file, each with `prefix` after the dashes.
/// A program that also connects uses "http-" for the flags of its server.
void Declare(CLI::App& app, ServerOptions& options, const std::string& prefix = "");

/// Declares only --tls-cert and --tls-key, for a program whose pages are all open.
void DeclareCertificate(CLI::App& app, ServerOptions& options, const std::string& prefix);

/// Declares --tls-ca, --tls-cert, --tls-key, --tls-server-name, --token-file and --proxy.
void Declare(CLI::App& app, ClientOptions& options);

}  // namespace twofold::security
