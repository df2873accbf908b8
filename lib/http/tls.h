#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <mutex>

#include "lib/security/reloaded.h"
#include "lib/security/tls_material.h"

/// OpenSSL contexts made of checked PEM texts: TLS 1.2 or newer. Private to lib/http.
namespace twofold::http {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

/// Shows the certificate in `material` and checks peers with its CAs. A client's server must have a
/// certificate signed by one of them; a server asks its peers for one, but accepts peers without,
/// as health checks have none. Throws system_error if OpenSSL cannot use `material`.
TlsContext MakeContext(const security::TlsMaterial& material);

/// For a server, the context of the files as they are now.
///
/// Threads  Not thread-safe. Used on the server's thread only.
class TlsContexts {
 public:
  /// `source` null: there is no TLS, and Get returns null.
  explicit TlsContexts(std::shared_ptr<security::Reloaded<security::TlsMaterial>> source)
      : source_(std::move(source)) {}

  TlsContext Get();

 private:
  const std::shared_ptr<security::Reloaded<security::TlsMaterial>> source_;
  std::shared_ptr<const security::TlsMaterial> material_;
  TlsContext context_;
};

}  // namespace twofold::http
