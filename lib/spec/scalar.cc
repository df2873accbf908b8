#include "lib/spec/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace twofold::spec {
namespace {

template <std::size_t N>
bool IsOneOf(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> kTrue = {"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> kFalse = {"false", "False", "FALSE"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The whole text read as a T, or nothing.
template <typename T, typename... Base>
std::optional<T> Read(std::string_view text, Base... base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// from_chars also reads "inf" and "nan", and takes no plus; a leading zero would be octal
// elsewhere.
bool LooksLikeNumber(std::string_view digits) {
  if (digits.empty() || !(IsDigit(digits[0]) || digits[0] == '.')) return false;
  if (digits.size() > 1 && digits[0] == '0' && IsDigit(digits[1])) return false;
  return std::any_of(digits.begin(), digits.end(), IsDigit);
}

std::string_view WithoutSign(std::string_view text) {
  return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

}  // namespace

decltype(Node::value) PlainScalar(std::string_view text) {
  if (IsOneOf(kNull, text)) return std::monostate();
  if (IsOneOf(kTrue, text)) return true;
  if (IsOneOf(kFalse, text)) return false;
  if (text.starts_with("0x")) {
    if (const auto whole = Read<std::int64_t>(text.substr(2), 16); whole && *whole >= 0) {
      return *whole;
    }
  }
  if (LooksLikeNumber(WithoutSign(text))) {
    const std::string_view number = text.starts_with('+') ? text.substr(1) : text;
    if (const auto whole = Read<std::int64_t>(number)) return *whole;
    if (const auto real = Read<double>(number); real && std::isfinite(*real)) return *real;
  }
  return std::string(text);
}

}  // namespace twofold::spec
