#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twofold {

/// Cuts what comes in pieces, however they are cut, into lines.
///
/// Cost     Memory: one line, of which no more than `most` bytes are kept.
class LineCutter {
 public:
  explicit LineCutter(std::size_t most) : most_(most) {}

  /// Calls take(line, is_whole) for each line that `bytes` end, without its end. A line that is too
  /// long is not whole, and empty.
  template <typename Take>
  void Append(std::string_view bytes, Take take) {
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos;
         end = bytes.find('\n')) {
      Add(bytes.substr(0, end));
      End(take);
      bytes.remove_prefix(end + 1);
    }
    Add(bytes);
  }

  /// What has begun is a line, too, as nothing more comes.
  template <typename Take>
  void End(Take take) {
    take(line_, !is_too_long_);
    line_.clear();
    is_too_long_ = false;
  }

  /// Whether the line that has begun is too long already.
  [[nodiscard]] bool is_too_long() const { return is_too_long_; }

 private:
  void Add(std::string_view part) {
    is_too_long_ = is_too_long_ || line_.size() + part.size() > most_;
    if (is_too_long_) {
      line_.clear();
    } else {
      line_ += part;
    }
  }

  const std::size_t most_;
  std::string line_;
  bool is_too_long_ = false;
};

}  // namespace twofold
