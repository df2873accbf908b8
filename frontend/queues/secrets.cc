#include "frontend/queues/secrets.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cstdlib>
#include <cstring>

namespace twofold::frontend {

Secrets::Secrets() {
  // Without randomness there are no secrets: no reason to go on.
  if (RAND_bytes(key_.data(), static_cast<int>(key_.size())) != 1) std::abort();
}

std::string Secrets::Of(queue::JobId job, queue::Attempt attempt) const {
  std::array<unsigned char, sizeof job + sizeof attempt> message;
  std::memcpy(message.data(), &job, sizeof job);
  std::memcpy(message.data() + sizeof job, &attempt, sizeof attempt);
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
  unsigned int size = 0;
  // An empty one could be guessed.
  if (HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), message.data(), message.size(),
           hash.data(), &size) == nullptr) {
    std::abort();
  }
  return {hash.begin(), hash.begin() + size};
}

}  // namespace twofold::frontend
