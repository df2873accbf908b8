#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <mutex>

#include "lib/security/reloaded.h"
#include "lib/security/tls_material.h"

/// OpenSSL's contexts made of checked PEM texts: TLS 1.2 at least. Private to lib/http.
namespace twofold::http {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

/// What is named in `material` is shown, and peers are checked with its CAs: a client's server must
/// have a certificate signed by one of them; a server's peers are asked for one, but need not have
/// one, as health checks have none.
/// Throws system_error for what OpenSSL cannot use.
TlsContext MakeContext(const security::TlsMaterial& material);

/// For a server, the context of the files as they are now.
///
/// Threads  None: for the thread of the server.
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
