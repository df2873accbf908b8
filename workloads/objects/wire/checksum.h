#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace twofold::objects {

/// A checksum of content that comes in pieces.
class Checksum {
 public:
  virtual ~Checksum() = default;
  virtual void Add(std::string_view bytes) = 0;
  /// Lower case hex, as AIStore and S3 write it. Once, at the end.
  virtual std::string Hex() = 0;
};

/// By AIStore's names: "xxhash" (64 bits), "md5", "crc32c", "sha256" (which there is SHA-512/256),
/// "sha512"; and "SHA-256", which is that. Null: there is none of that name.
std::unique_ptr<Checksum> MakeChecksum(std::string_view type);

}  // namespace twofold::objects
