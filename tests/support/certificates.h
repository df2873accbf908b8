#pragma once

#include <openssl/types.h>

#include <string>
#include <vector>

#include "tests/support/googletest.h"

namespace twofold::testing {

/// A private key and the certificate for it, as PEM texts.
struct KeyPair {
  std::string key;
  std::string cert;
};

/// Signs certificates for a test: new keys each time, valid for an hour.
class Authority {
 public:
  explicit Authority(const std::string& name = "Test CA");

  /// The certificate to trust.
  const std::string& cert() const { return self_.cert; }

  /// For a server or client of that name; it is for localhost and 127.0.0.1 as well if `local`.
  KeyPair Issue(const std::string& name, bool local = true) const;

  /// The same, with a key of RSA that is too short for any security level of OpenSSL's but 0.
  KeyPair IssueShort(const std::string& name) const;

 private:
  KeyPair Issue(const std::string& name, EVP_PKEY* key, bool local) const;

  KeyPair self_;
};

/// Puts a whole file in the place of another one, as Kubernetes and careful people do.
void WriteFile(const std::string& path, const std::string& text);

}  // namespace twofold::testing
