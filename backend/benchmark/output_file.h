#pragma once

#include <memory>
#include <string>
#include <utility>

#include "backend/benchmark/artifact.h"
#include "lib/common/descriptors.h"
#include "lib/common/result.h"

namespace twofold::backend {

/// A file that a program prints to, or has written.
///
/// Errors   The path, and what the system says.
class OutputFile final : public Source {
 public:
  /// A new one, open for a program to append to and for us to read.
  static Result<std::unique_ptr<OutputFile>> Create(const std::string& path);
  /// One that is there. A pipe or device is an error: it may have no end.
  static Result<std::unique_ptr<OutputFile>> Open(const std::string& path);

  /// Above 2.
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  [[nodiscard]] std::uint64_t size() const override;
  [[nodiscard]] std::string Read(std::uint64_t offset, std::uint64_t bytes) const override;
  /// The last `bytes`, or all if there are fewer.
  [[nodiscard]] std::string Last(std::uint64_t bytes) const;

 private:
  explicit OutputFile(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  const Descriptor descriptor_;
};

}  // namespace twofold::backend
