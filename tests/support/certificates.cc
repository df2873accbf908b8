#include "tests/support/certificates.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>

namespace twofold::testing {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

std::string Pem(const std::function<int(BIO*)>& write) {
  BIO* bio = BIO_new(BIO_s_mem());
  EXPECT_EQ(write(bio), 1);
  char* data = nullptr;
  const long size = BIO_ctrl(bio, BIO_CTRL_INFO, 0, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

std::string Pem(EVP_PKEY* key) {
  return Pem([&](BIO* bio) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

std::string Pem(X509* certificate) {
  return Pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

Key ShortKey() {
  return {EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{512}), EVP_PKEY_free};
}

Key NewKey() { return {EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), EVP_PKEY_free}; }

template <typename Object, typename Read>
Object* FromPem(const std::string& text, Read read) {
  BIO* bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  Object* object = read(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  EXPECT_NE(object, nullptr);
  return object;
}

void Extend(X509* certificate, int id, const char* value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value);
  EXPECT_EQ(X509_add_ext(certificate, extension, -1), 1);
  X509_EXTENSION_free(extension);
}

Certificate NewCertificate(const std::string& name, EVP_PKEY* key) {
  Certificate certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  int serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial & 0x7fffffff);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

}  // namespace

Authority::Authority(const std::string& name) {
  const Key key = NewKey();
  const Certificate certificate = NewCertificate(name, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  Extend(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  EXPECT_GT(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
  self_ = {Pem(key.get()), Pem(certificate.get())};
}

KeyPair Authority::Issue(const std::string& name, bool local) const {
  return Issue(name, NewKey().get(), local);
}

KeyPair Authority::IssueShort(const std::string& name) const {
  return Issue(name, ShortKey().get(), true);
}

KeyPair Authority::Issue(const std::string& name, EVP_PKEY* key, bool local) const {
  const Certificate ours(FromPem<X509>(self_.cert, PEM_read_bio_X509), X509_free);
  const Key our_key(FromPem<EVP_PKEY>(self_.key, PEM_read_bio_PrivateKey), EVP_PKEY_free);
  const Certificate certificate = NewCertificate(name, key);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(ours.get()));
  const std::string names = "DNS:" + name + (local ? ",DNS:localhost,IP:127.0.0.1" : "");
  Extend(certificate.get(), NID_subject_alt_name, names.c_str());
  EXPECT_GT(X509_sign(certificate.get(), our_key.get(), EVP_sha256()), 0);
  return {Pem(key), Pem(certificate.get())};
}

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path + ".new") << text;
  ASSERT_EQ(std::rename((path + ".new").c_str(), path.c_str()), 0);
}

}  // namespace twofold::testing
