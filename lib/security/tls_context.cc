#include "lib/security/tls_context.h"

#include <absl/strings/str_cat.h>

namespace twofold::security::internal {
namespace {

constexpr const char* kNone = "there is none";

Status Wrong(const char* what, const std::string& why = OpenSslReason()) {
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", why));
}

}  // namespace

std::string OpenSslReason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "OpenSSL says no reason" : reason;
}

Status Show(SSL_CTX* context, const std::string& cert, const std::string& key) {
  ERR_clear_error();
  bool is_own = true;
  for (const Certificate& each : CertificatesIn(cert)) {
    const long taken = is_own ? SSL_CTX_use_certificate(context, each.get())
                              : SSL_CTX_add1_chain_cert(context, each.get());
    if (taken != 1) return Wrong(is_own ? "the certificate" : "a certificate of its chain");
    is_own = false;
  }
  if (is_own) return Wrong("the certificate", kNone);
  const Bio text = Reader(key);
  const Key read(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr));
  if (read == nullptr || SSL_CTX_use_PrivateKey(context, read.get()) != 1) return Wrong("the key");
  return absl::OkStatus();
}

Status Trust(SSL_CTX* context, const std::string& authorities) {
  ERR_clear_error();
  const auto all = CertificatesIn(authorities);
  if (all.empty()) return Wrong("the authority", kNone);
  for (const Certificate& each : all) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), each.get()) != 1) {
      return Wrong("the authority");
    }
  }
  return absl::OkStatus();
}

}  // namespace twofold::security::internal
