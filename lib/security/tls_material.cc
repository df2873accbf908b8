#include "lib/security/tls_material.h"

#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <utility>
#include <vector>

#include "lib/security/pem.h"
#include "lib/security/tls_context.h"

namespace twofold::security {
namespace {

using internal::Bio;
using internal::Certificate;
using internal::Key;
using internal::Reader;

// Instead of a question on the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

struct Names {
  std::string cert, key, ca;
  explicit Names(const std::string& prefix)
      : cert("--" + prefix + "tls-cert"),
        key("--" + prefix + "tls-key"),
        ca("--" + prefix + "tls-ca") {}
};

Status Bad(const std::string& flag, const std::string& path, const std::string& what) {
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", path, " ", what));
}

/// All certificates of `text` can be read, and there is one at least; the first one.
Result<Certificate> FirstCertificate(const std::string& flag, const std::string& path,
                                     const std::string& text) {
  const Bio reader = Reader(text);
  Certificate first(PEM_read_bio_X509(reader.get(), nullptr, NoPassword, nullptr));
  if (!first) return Bad(flag, path, "holds no PEM certificate");
  while (Certificate next{PEM_read_bio_X509(reader.get(), nullptr, NoPassword, nullptr)}) {
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return Bad(flag, path, "holds a broken certificate");
  }
  ERR_clear_error();
  return first;
}

Status CheckPair(const Names& flags, const TlsPaths& paths, const TlsMaterial& material) {
  const Result<Certificate> certificate = FirstCertificate(flags.cert, paths.cert, material.cert);
  if (!certificate.ok()) return certificate.status();
  const Bio reader = Reader(material.key);
  const Key key(PEM_read_bio_PrivateKey(reader.get(), nullptr, NoPassword, nullptr));
  if (!key) return Bad(flags.key, paths.key, "holds no PEM private key without a password");
  if (X509_check_private_key(certificate->get(), key.get()) != 1) {
    return Bad(flags.key, paths.key,
               absl::StrCat("is not the key of the certificate ", paths.cert));
  }
  // What a context refuses nobody would be shown.
  const internal::Context trial(SSL_CTX_new(TLS_method()));
  if (trial == nullptr) return Bad(flags.cert, paths.cert, "cannot be tried");
  const Status shown = internal::Show(trial.get(), material.cert, material.key);
  if (shown.ok()) return absl::OkStatus();
  return Bad(flags.cert, paths.cert,
             absl::StrCat("cannot be used: ", std::string(shown.message())));
}

Status ReadInto(std::string& text, const std::string& flag, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  Result<std::string> read = ReadFile(flag, path);
  if (!read.ok()) return read.status();
  text = *std::move(read);
  return absl::OkStatus();
}

using GeneralNames = std::unique_ptr<GENERAL_NAMES, internal::Freed<GENERAL_NAMES_free>>;

std::string Text(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

std::string AddressText(const std::string& bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
  if (bytes.size() != 4 && bytes.size() != 16) return {};
  return inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr ? "" : text.data();
}

std::string AlternativeName(const X509& certificate) {
  const GeneralNames names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) return Text(name->d.dNSName);
    if (name->type == GEN_IPADD) return AddressText(Text(name->d.iPAddress));
  }
  return {};
}

std::string CommonName(const X509& certificate) {
  const X509_NAME* subject = X509_get_subject_name(&certificate);
  const int place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (place < 0) return {};
  return Text(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place)));
}

}  // namespace

Result<TlsMaterial> LoadTls(const TlsPaths& paths) {
  const Names flags(paths.prefix);
  if (paths.cert.empty() != paths.key.empty()) {
    const bool misses_key = paths.key.empty();
    return absl::InvalidArgumentError(absl::StrCat(misses_key ? flags.cert : flags.key, " needs ",
                                                   misses_key ? flags.key : flags.cert,
                                                   " as well"));
  }
  TlsMaterial material;
  if (Status status = ReadInto(material.cert, flags.cert, paths.cert); !status.ok()) return status;
  if (Status status = ReadInto(material.key, flags.key, paths.key); !status.ok()) return status;
  if (Status status = ReadInto(material.ca, flags.ca, paths.ca); !status.ok()) return status;
  if (!paths.cert.empty()) {
    if (Status status = CheckPair(flags, paths, material); !status.ok()) return status;
  }
  if (!paths.ca.empty()) {
    const auto authority = FirstCertificate(flags.ca, paths.ca, material.ca);
    if (!authority.ok()) return authority.status();
  }
  return material;
}

Result<std::shared_ptr<Reloaded<TlsMaterial>>> OpenTls(const TlsPaths& paths) {
  std::vector<std::string> files;
  for (const std::string& file : {paths.cert, paths.key, paths.ca}) {
    if (!file.empty()) files.push_back(file);
  }
  return Reloaded<TlsMaterial>::Open(std::move(files), [paths] { return LoadTls(paths); });
}

std::string CertificateName(const std::string& pem) {
  const Bio reader = Reader(pem);
  const Certificate certificate(PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!certificate) return {};
  const std::string name = AlternativeName(*certificate);
  return name.empty() ? CommonName(*certificate) : name;
}

}  // namespace twofold::security
