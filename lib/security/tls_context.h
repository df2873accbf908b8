#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "lib/common/result.h"
#include "lib/security/pem.h"

/// What a context of OpenSSL's gets of the texts of a TlsMaterial.
namespace twofold::security::internal {

using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;

/// The first reason of OpenSSL's since its errors were cleared, in words. Clears them.
std::string OpenSslReason();

/// `context` shows the certificates of `cert`, of which the first is its own, and has its `key`.
///
/// Errors   kInvalidArgument: OpenSSL's reason. A context has demands of its own, as for the length
///          of keys.
Status Show(SSL_CTX* context, const std::string& cert, const std::string& key);

/// `context` trusts whom the certificates of `authorities` have signed.
///
/// Errors   kInvalidArgument: OpenSSL's reason.
Status Trust(SSL_CTX* context, const std::string& authorities);

}  // namespace twofold::security::internal
