#include "kubernetes/aggregated/front_proxy.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>

#include "lib/security/pem.h"

namespace twofold::aggregated {
namespace {

using kube::Json;
using security::internal::Certificate;
using security::internal::Freed;

using Store = std::unique_ptr<X509_STORE, Freed<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>>;
struct FreeChain {
  void operator()(STACK_OF(X509) * chain) const { sk_X509_pop_free(chain, X509_free); }
};
using Chain = std::unique_ptr<STACK_OF(X509), FreeChain>;

// ---- the ConfigMap

Status Unusable(const std::string& field, const std::string& why) {
  return absl::FailedPreconditionError(absl::StrCat("ConfigMap ", kAuthenticationConfig.space, "/",
                                                    kAuthenticationConfig.name, ": ", field, " ",
                                                    why));
}

/// A list of texts, as JSON; none: empty.
Result<std::vector<std::string>> ListOf(const Json& config_map, const std::string& field) {
  const std::string text = kube::TextAt(config_map, "/data/" + field);
  if (text.empty()) return std::vector<std::string>();
  const Json list = Json::parse(text, nullptr, false);
  const bool fits = list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& each) {
                      return each.is_string();
                    });
  if (!fits) return Unusable(field, "is no list of texts in JSON");
  return list.get<std::vector<std::string>>();
}

Status ReadHeaders(const Json& config_map, const std::string& field,
                   std::vector<std::string>& headers) {
  auto read = ListOf(config_map, field);
  if (!read.ok()) return read.status();
  headers = *std::move(read);
  for (std::string& header : headers) absl::AsciiStrToLower(&header);
  return absl::OkStatus();
}

// ---- certificates

Certificate FromDer(const std::string& der) {
  const auto* from = reinterpret_cast<const unsigned char*>(der.data());
  return Certificate(d2i_X509(nullptr, &from, static_cast<long>(der.size())));
}

/// As for Kubernetes, a CA needs no CA of its own. Each is tried alone: of two with one name, as
/// there are while they change, OpenSSL would try one.
bool IsSignedBy(X509* ca, X509* certificate, STACK_OF(X509) * others) {
  const Store store(X509_STORE_new());
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  X509_STORE_add_cert(store.get(), ca);
  const StoreContext context(X509_STORE_CTX_new());
  const bool passes = X509_STORE_CTX_init(context.get(), store.get(), certificate, others) == 1 &&
                      X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT) == 1 &&
                      X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  return passes;
}

std::string CommonName(X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (place < 0) return {};
  const ASN1_STRING* name = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place));
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(name)),
          static_cast<std::size_t>(ASN1_STRING_length(name))};
}

// ---- headers

/// All values of a header, in their order.
std::vector<std::string> ValuesOf(const http::Params& headers, const std::string& name) {
  const std::string* value = http::Find(headers, name);
  if (value == nullptr) return {};
  return absl::StrSplit(*value, kHeaderJoint);
}

std::string FirstOf(const http::Params& headers, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto values = ValuesOf(headers, name);
    if (values.empty()) continue;
    const auto value = absl::StripAsciiWhitespace(values.front());
    if (!value.empty()) return std::string(value);
  }
  return {};
}

}  // namespace

Result<FrontProxy> ReadFrontProxy(const Json& config_map) {
  FrontProxy proxy;
  proxy.ca = kube::TextAt(config_map, "/data/requestheader-client-ca-file");
  if (security::internal::CertificatesIn(proxy.ca).empty()) {
    return Unusable("requestheader-client-ca-file",
                    "has no certificate: the API server runs without --requestheader-client-ca-file"
                    ", so it passes no requests on");
  }
  auto names = ListOf(config_map, "requestheader-allowed-names");
  if (!names.ok()) return names.status();
  proxy.allowed_names = *std::move(names);
  for (const auto& [field, headers] :
       {std::pair("requestheader-username-headers", &proxy.user_headers),
        std::pair("requestheader-uid-headers", &proxy.uid_headers),
        std::pair("requestheader-group-headers", &proxy.group_headers),
        std::pair("requestheader-extra-headers-prefix", &proxy.extra_prefixes)}) {
    if (Status status = ReadHeaders(config_map, field, *headers); !status.ok()) return status;
  }
  if (proxy.user_headers.empty()) return Unusable("requestheader-username-headers", "is empty");
  return proxy;
}

bool Vouches(const FrontProxy& proxy, const std::vector<std::string>& certificates) {
  if (certificates.empty()) return false;
  const Certificate own = FromDer(certificates.front());
  const std::vector<Certificate> cas = security::internal::CertificatesIn(proxy.ca);
  const Chain others(sk_X509_new_null());
  for (std::size_t i = 1; i < certificates.size(); ++i) {
    Certificate each = FromDer(certificates[i]);
    if (each && sk_X509_push(others.get(), each.get()) > 0) static_cast<void>(each.release());
  }
  const auto has_signed = [&](const Certificate& ca) {
    return IsSignedBy(ca.get(), own.get(), others.get());
  };
  if (!own || std::none_of(cas.begin(), cas.end(), has_signed)) return false;
  const auto& names = proxy.allowed_names;
  return names.empty() ||
         std::find(names.begin(), names.end(), CommonName(own.get())) != names.end();
}

Result<Caller> ReadCaller(const FrontProxy& proxy, const http::Params& headers) {
  Caller caller;
  caller.user = FirstOf(headers, proxy.user_headers);
  if (caller.user.empty()) return absl::UnauthenticatedError("no header names a user");
  caller.uid = FirstOf(headers, proxy.uid_headers);
  for (const std::string& name : proxy.group_headers) {
    for (std::string& group : ValuesOf(headers, name)) caller.groups.push_back(std::move(group));
  }
  for (const std::string& prefix : proxy.extra_prefixes) {
    for (auto at = headers.lower_bound(prefix);
         at != headers.end() && at->first.starts_with(prefix); ++at) {
      const std::string escaped = at->first.substr(prefix.size());
      auto& values = caller.extra[http::PercentDecode(escaped).value_or(escaped)];
      for (std::string& value : ValuesOf(headers, at->first)) values.push_back(std::move(value));
    }
  }
  return caller;
}

}  // namespace twofold::aggregated
