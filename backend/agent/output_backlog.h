#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace twofold::backend {

/// Output that waits to be sent: bounded, the oldest goes first.
///
/// Cost     Each byte is copied at most a few times, however slow the reader is.
class OutputBacklog {
 public:
  /// What is sent at once.
  struct Chunk {
    std::uint64_t missed = 0;  ///< bytes that were dropped right before `data`
    std::string data;
  };

  explicit OutputBacklog(std::size_t limit) : limit_(limit) {}

  void Append(std::string_view bytes);

  /// At most `most` bytes from the front, with all that was dropped before.
  Chunk Take(std::size_t most);

  [[nodiscard]] bool empty() const { return waiting_.empty(); }

 private:
  std::size_t limit_;
  std::string waiting_;
  std::uint64_t missed_ = 0;
};

}  // namespace twofold::backend
