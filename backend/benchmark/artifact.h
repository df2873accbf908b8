#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/descriptors.h"
#include "lib/common/result.h"
#include "twofold/v1/results.pb.h"

/// Raw outputs, and how they are kept: compressed, and bounded by leaving out the middle, as
/// programs say at the start what they do and at the end how it went.
namespace twofold::backend {

/// A file that a program prints to, or has written.
///
/// Errors   The path, and what the system says.
class OutputFile {
 public:
  /// A new one, open for a program to append to and for us to read.
  static Result<std::unique_ptr<OutputFile>> Create(const std::string& path);
  /// One that is there. A pipe or device is an error: it may have no end.
  static Result<std::unique_ptr<OutputFile>> Open(const std::string& path);

  /// Above 2.
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  [[nodiscard]] std::uint64_t size() const;
  /// `bytes` from `offset` on; fewer if it cannot be read.
  [[nodiscard]] std::string Read(std::uint64_t offset, std::uint64_t bytes) const;
  /// The last `bytes`, or all if there are fewer.
  [[nodiscard]] std::string Last(std::uint64_t bytes) const;

 private:
  explicit OutputFile(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  const Descriptor descriptor_;
};

/// The whole of it up to `keep` bytes, else half of that from each end.
v1::Artifact Keep(std::string_view name, const OutputFile& file, std::uint64_t keep);

/// Leaves out so much of the middle that `artifact` has no more than `most` bytes of compressed
/// data. Does nothing to a smaller one.
void Shrink(v1::Artifact& artifact, std::size_t most);

/// What is kept, both ends joined.
/// Errors   kDataLoss: not compressed data, or of more than `most` bytes.
Result<std::string> Text(const v1::Artifact& artifact, std::uint64_t most);

}  // namespace twofold::backend
