#include "backend/peers/member_key.h"

#include <openssl/crypto.h>

namespace twofold::backend {

bool IsSecret(std::string_view shown, std::string_view secret) {
  return secret.size() == kSecretBytes && shown.size() == kSecretBytes &&
         CRYPTO_memcmp(shown.data(), secret.data(), kSecretBytes) == 0;
}

}  // namespace twofold::backend
