#include "workloads/objects/wire/checksum.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_format.h>
#include <openssl/evp.h>
#include <xxhash.h>

#include <array>
#include <boost/crc.hpp>

namespace twofold::objects {
namespace {

class Xxhash : public Checksum {
 public:
  Xxhash() : state_(XXH64_createState(), &XXH64_freeState) { XXH64_reset(state_.get(), 0); }
  void Add(std::string_view bytes) override {
    XXH64_update(state_.get(), bytes.data(), bytes.size());
  }
  std::string Hex() override {
    return absl::StrFormat("%016x", static_cast<std::uint64_t>(XXH64_digest(state_.get())));
  }

 private:
  std::unique_ptr<XXH64_state_t, decltype(&XXH64_freeState)> state_;
};

class Crc32c : public Checksum {
 public:
  void Add(std::string_view bytes) override { crc_.process_bytes(bytes.data(), bytes.size()); }
  std::string Hex() override { return absl::StrFormat("%08x", crc_.checksum()); }

 private:
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc_;
};

class Digest : public Checksum {
 public:
  explicit Digest(const EVP_MD* kind) : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), kind, nullptr);
  }
  void Add(std::string_view bytes) override {
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  }
  std::string Hex() override {
    std::array<unsigned char, EVP_MAX_MD_SIZE> out;
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), out.data(), &size);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): OpenSSL's bytes
    return absl::BytesToHexString(std::string(reinterpret_cast<const char*>(out.data()), size));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

struct Kind {
  std::string_view name;
  const EVP_MD* (*make)();
};

constexpr Kind kDigests[] = {{"md5", &EVP_md5},
                             {"sha256", &EVP_sha512_256},
                             {"sha512", &EVP_sha512},
                             {"SHA-256", &EVP_sha256}};

}  // namespace

std::unique_ptr<Checksum> MakeChecksum(std::string_view type) {
  if (type == "xxhash") return std::make_unique<Xxhash>();
  if (type == "crc32c") return std::make_unique<Crc32c>();
  for (const Kind& kind : kDigests) {
    if (kind.name == type) return std::make_unique<Digest>(kind.make());
  }
  return nullptr;
}

}  // namespace twofold::objects
