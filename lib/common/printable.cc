#include "lib/common/printable.h"

#include <algorithm>
#include <array>
#include <boost/nowide/utf/utf.hpp>
#include <charconv>

namespace twofold {
namespace {

using Utf8 = boost::nowide::utf::utf_traits<char>;
using boost::nowide::utf::code_point;

// The character that `text` begins with, and how many bytes it has; 0: it is none.
struct Character {
  code_point point;
  std::size_t bytes;
};

Character FirstOf(std::string_view text) {
  const char* next = text.data();
  const code_point point = Utf8::decode(next, text.data() + text.size());
  if (point == boost::nowide::utf::illegal || point == boost::nowide::utf::incomplete) {
    return {point, 0};
  }
  return {point, static_cast<std::size_t>(next - text.data())};
}

bool IsControl(code_point point) { return point < 0x20 || (0x7F <= point && point < 0xA0); }

}  // namespace

std::string Printable(std::string_view text, std::size_t most) {
  std::string fit;
  while (!text.empty()) {
    const auto [point, bytes] = FirstOf(text);
    const std::size_t taken = std::max<std::size_t>(1, bytes);
    if (fit.size() + taken > most) break;
    if (bytes == 0) {
      fit += '?';
    } else if (IsControl(point)) {
      fit += ' ';
    } else {
      fit += text.substr(0, bytes);
    }
    text.remove_prefix(taken);
  }
  return fit;
}

std::size_t ValidUtf8(std::string_view text) {
  std::size_t valid = 0;
  while (valid < text.size()) {
    const std::size_t bytes = FirstOf(text.substr(valid)).bytes;
    if (bytes == 0) break;
    valid += bytes;
  }
  return valid;
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(text.starts_with(kMark) ? kMark.size() : 0);
}

std::size_t UnfinishedTail(std::string_view text) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(3, text.size()); ++size) {
    const auto first = FirstOf(text.substr(text.size() - size));
    if (first.point == boost::nowide::utf::incomplete) return size;
  }
  return 0;
}

std::string NumberText(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace twofold
