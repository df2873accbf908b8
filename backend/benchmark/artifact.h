#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/common/result.h"
#include "twofold/v1/results.pb.h"

/// Raw outputs as they are kept: compressed, and bounded by leaving out the middle, as programs say
/// at the start what they do and at the end how it went.
namespace twofold::backend {

/// Something that can be read in parts, such as a file.
class Source {
 public:
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// `bytes` from `offset` on; fewer if it cannot be read.
  [[nodiscard]] virtual std::string Read(std::uint64_t offset, std::uint64_t bytes) const = 0;

 protected:
  ~Source() = default;
};

/// The whole of it up to `keep` bytes, else half of that from each end.
v1::Artifact Keep(std::string_view name, const Source& source, std::uint64_t keep);

/// Leaves out so much of the middle that `artifact` has no more than `most` bytes of compressed
/// data. Does nothing to a smaller one.
void Shrink(v1::Artifact& artifact, std::size_t most);

/// What is kept, both ends joined.
/// Errors   kDataLoss: not compressed data, or of more than `most` bytes.
Result<std::string> Text(const v1::Artifact& artifact, std::uint64_t most);

}  // namespace twofold::backend
