#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twofold::backend {

/// The last `limit` bytes of what was appended.
///
/// Cost     At most twice the limit in memory; each byte is copied at most twice.
class OutputTail {
 public:
  explicit OutputTail(std::size_t limit) : limit_(limit) {}

  void Append(std::string_view bytes);

  [[nodiscard]] std::string Last() const;

 private:
  std::size_t limit_;
  std::string kept_;
};

}  // namespace twofold::backend
