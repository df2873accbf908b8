#include "lib/security/certificate_name.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>

#include "lib/security/pem.h"

namespace twofold::security {
namespace {

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

std::string CertificateName(const std::string& pem) {
  const internal::Bio reader = internal::Reader(pem);
  const internal::Certificate certificate(
      PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!certificate) return {};
  const std::string name = AlternativeName(*certificate);
  return name.empty() ? CommonName(*certificate) : name;
}

}  // namespace twofold::security
