#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Objects of OpenSSL that free themselves, for code that reads PEM texts.
namespace twofold::security::internal {

template <auto free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    free(object);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

/// Reads from `text`, which must outlive the reader.
inline Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// All certificates of `pem`, up to what is none.
inline std::vector<Certificate> CertificatesIn(const std::string& pem) {
  std::vector<Certificate> all;
  const Bio reader = Reader(pem);
  while (Certificate each{PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)}) {
    all.push_back(std::move(each));
  }
  ERR_clear_error();
  return all;
}

}  // namespace twofold::security::internal
