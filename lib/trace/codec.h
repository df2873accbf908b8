#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace twofold::queue::trace {

/// Appends numbers and bytes to a string; Decoder reads them back.
class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  /// 7 bits a byte, lowest first; the high bit says that more follow.
  void Number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }

  /// As a Number in which small values of both signs are short: 0, -1, 1, -2, ...
  void Signed(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    Number((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }

  /// The low `bytes` bytes, lowest first.
  void Fixed(std::uint64_t value, std::size_t bytes) {
    char text[sizeof value];
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(value >> (8 * i));
    out_.append(text, bytes);
  }

  void Raw(std::string_view bytes) { out_.append(bytes); }

  /// The size as a Number, then the bytes.
  void Bytes(std::string_view bytes) {
    Number(bytes.size());
    Raw(bytes);
  }

 private:
  std::string& out_;
};

/// Reads what an Encoder wrote. What it returns points into the bytes it was given.
///
/// Errors   After something that cannot be, ok() is false for good and all reads give 0 or nothing.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left_(bytes) {}

  std::uint64_t Number();
  std::int64_t Signed();
  std::uint64_t Fixed(std::size_t bytes);
  std::string_view Raw(std::uint64_t size);
  std::string_view Bytes() { return Raw(Number()); }

  [[nodiscard]] std::string_view left() const { return left_; }
  [[nodiscard]] bool ok() const { return ok_; }
  void Fail() {
    ok_ = false;
    left_ = {};
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

}  // namespace twofold::queue::trace
