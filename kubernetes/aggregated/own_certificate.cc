#include "kubernetes/aggregated/own_certificate.h"

#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <utility>

#include "lib/security/pem.h"

namespace twofold::aggregated {
namespace {

using security::internal::Bio;
using security::internal::Certificate;
using security::internal::Freed;
using security::internal::Key;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

constexpr auto kBefore = std::chrono::hours(1);
constexpr std::size_t kMostCas = 64;
constexpr std::size_t kLongestName = 64;  // of a common name, X.520

Status Failed(const char* what) {
  ERR_clear_error();
  return absl::InternalError(absl::StrCat("OpenSSL cannot make ", what));
}

std::time_t SecondsOf(kube::UnixTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

template <typename Write>
std::string Pem(Write write) {
  const Bio to(BIO_new(BIO_s_mem()));
  if (!to || write(to.get()) != 1) return {};
  char* data = nullptr;
  const long size = BIO_ctrl(to.get(), BIO_CTRL_INFO, 0, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string PemOf(X509* certificate) {
  return Pem([&](BIO* to) { return PEM_write_bio_X509(to, certificate); });
}

std::string PemOf(EVP_PKEY* key) {
  return Pem([&](BIO* to) {
    return PEM_write_bio_PKCS8PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

struct Extended {
  int id;
  std::string value;
};

/// What is to be signed.
struct Draft {
  std::string name;
  kube::UnixTime from;
  kube::UnixTime until;
  std::vector<Extended> extensions;
};

bool Name(X509_NAME* name, const std::string& common) {
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(common.data()),
                                    static_cast<int>(common.size()), -1, 0) == 1;
}

bool Extend(X509* certificate, const X509* issuer, const Extended& extended) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, const_cast<X509*>(issuer), certificate, nullptr, nullptr, 0);  // reads
  const Extension extension(
      X509V3_EXT_conf_nid(nullptr, &context, extended.id, extended.value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

/// nullptr: OpenSSL cannot make it.
Certificate Sign(const Draft& draft, EVP_PKEY* key, const X509* issuer, EVP_PKEY* issuer_key) {
  Certificate made(X509_new());
  std::uint64_t serial = 0;
  bool fits = made && RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1 &&
              X509_set_version(made.get(), X509_VERSION_3) == 1 &&
              ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), serial >> 1) == 1 &&
              ASN1_TIME_set(X509_getm_notBefore(made.get()), SecondsOf(draft.from)) != nullptr &&
              ASN1_TIME_set(X509_getm_notAfter(made.get()), SecondsOf(draft.until)) != nullptr &&
              X509_set_pubkey(made.get(), key) == 1 &&
              Name(X509_get_subject_name(made.get()), draft.name.substr(0, kLongestName));
  if (!fits) return nullptr;
  const X509* const by = issuer == nullptr ? made.get() : issuer;
  fits = X509_set_issuer_name(made.get(), X509_get_subject_name(by)) == 1 &&
         std::all_of(draft.extensions.begin(), draft.extensions.end(),
                     [&](const Extended& each) { return Extend(made.get(), by, each); }) &&
         X509_sign(made.get(), issuer_key, EVP_sha256()) > 0;
  return fits ? std::move(made) : nullptr;
}

Key NewKey() { return Key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")); }

// ---- bundles

struct Ca {
  std::string pem;
  std::string maker;
  std::int64_t from_second;
  std::int64_t until_second;
};

std::int64_t SecondOf(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

std::vector<Ca> CasOf(const std::string& bundle) {
  std::vector<Ca> cas;
  for (const Certificate& each : security::internal::CertificatesIn(bundle)) {
    const std::string pem = PemOf(each.get());
    cas.push_back({pem, security::CertificateName(pem), SecondOf(X509_get0_notBefore(each.get())),
                   SecondOf(X509_get0_notAfter(each.get()))});
  }
  return cas;
}

}  // namespace

Result<OwnCertificate> MakeCertificate(const std::string& name, const std::string& maker,
                                       kube::UnixTime now, Duration lasts) {
  const kube::UnixTime from = now - kBefore;
  const kube::UnixTime expires = now + lasts;
  const Key ca_key = NewKey();
  const Key key = NewKey();
  if (!ca_key || !key) return Failed("a key");
  const Draft ca_draft{"twofold " + maker,
                       from,
                       expires,
                       {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                        {NID_key_usage, "critical,keyCertSign"},
                        {NID_subject_key_identifier, "hash"}}};  // CAs of one maker have one name
  const Certificate ca = Sign(ca_draft, ca_key.get(), nullptr, ca_key.get());
  if (!ca) return Failed("a CA");
  const Draft draft{name,
                    from,
                    expires,
                    {{NID_subject_alt_name, "DNS:" + name},
                     {NID_key_usage, "critical,digitalSignature"},
                     {NID_ext_key_usage, "serverAuth"},
                     {NID_authority_key_identifier, "keyid"}}};
  const Certificate own = Sign(draft, key.get(), ca.get(), ca_key.get());
  if (!own) return Failed("a certificate");
  return OwnCertificate{{PemOf(own.get()), PemOf(key.get()), ""}, PemOf(ca.get()), expires};
}

std::string MergeBundle(const std::string& bundle, const std::vector<std::string>& own,
                        kube::UnixTime now) {
  std::vector<Ca> ours;
  for (const std::string& each : own) {
    std::vector<Ca> read = CasOf(each);
    std::move(read.begin(), read.end(), std::back_inserter(ours));
  }
  const auto is_ours = [&](const Ca& ca) {
    return std::any_of(ours.begin(), ours.end(), [&](const Ca& o) { return o.pem == ca.pem; });
  };
  const auto is_of_our_past = [&](const Ca& ca) {
    return std::any_of(ours.begin(), ours.end(), [&](const Ca& o) { return o.maker == ca.maker; });
  };
  std::vector<Ca> kept = CasOf(bundle);
  std::erase_if(kept, [&](const Ca& ca) {
    return ca.until_second < SecondsOf(now) || (is_of_our_past(ca) && !is_ours(ca));
  });
  for (Ca& each : ours) {
    const auto is_it = [&](const Ca& ca) { return ca.pem == each.pem; };
    if (std::none_of(kept.begin(), kept.end(), is_it)) kept.push_back(std::move(each));
  }
  while (kept.size() > kMostCas) {
    kept.erase(std::min_element(kept.begin(), kept.end(), [](const Ca& a, const Ca& b) {
      return a.from_second < b.from_second;
    }));
  }
  std::string merged;
  for (const Ca& ca : kept) merged += ca.pem;
  return merged;
}

}  // namespace twofold::aggregated
