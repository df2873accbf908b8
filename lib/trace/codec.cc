#include "lib/trace/codec.h"

namespace twofold::queue::trace {

std::uint64_t Decoder::Number() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    const std::uint64_t bits = byte & 0x7f;
    if (shift == 63 && bits > 1) break;
    value |= bits << shift;
    if (byte < 0x80) return value;
  }
  Fail();
  return 0;
}

std::int64_t Decoder::Signed() {
  const std::uint64_t bits = Number();
  return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
}

std::uint64_t Decoder::Fixed(std::size_t bytes) {
  const std::string_view text = Raw(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(text[i]);
  }
  return value;
}

std::string_view Decoder::Raw(std::uint64_t size) {
  if (size > left_.size()) {
    Fail();
    return {};
  }
  const std::string_view bytes = left_.substr(0, static_cast<std::size_t>(size));
  left_.remove_prefix(bytes.size());
  return bytes;
}

}  // namespace twofold::queue::trace
