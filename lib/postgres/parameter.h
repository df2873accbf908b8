#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

/// Parameters of statements in the binary form of PostgreSQL's protocol: numbers with their highest
/// byte first, a text or bytes as they are.
namespace twofold::postgres {

/// Types of parameters and columns: their numbers in table pg_type, which never change.
enum class Type : std::uint32_t {
  kBoolean = 16,
  kBytes = 17,
  kInteger = 20,  ///< 64 bits
  kText = 25,
  kReal = 701,  ///< 64 bits
};

/// Arrays of such elements.
constexpr std::uint32_t ArrayOf(Type element) {
  switch (element) {
    case Type::kBoolean:
      return 1000;
    case Type::kBytes:
      return 1001;
    case Type::kInteger:
      return 1016;
    case Type::kText:
      return 1009;
    case Type::kReal:
      return 1022;
  }
  return 0;
}

template <typename Number>
void AppendBigEndian(std::string& to, Number number) {
  for (int shift = 8 * (static_cast<int>(sizeof number) - 1); shift >= 0; shift -= 8) {
    to.push_back(static_cast<char>(number >> shift & 0xff));
  }
}

inline void AppendBinary(std::string& to, std::int64_t value) {
  AppendBigEndian(to, static_cast<std::uint64_t>(value));
}
inline void AppendBinary(std::string& to, double value) {
  AppendBigEndian(to, std::bit_cast<std::uint64_t>(value));
}
inline void AppendBinary(std::string& to, bool value) { to.push_back(value ? '\1' : '\0'); }
inline void AppendBinary(std::string& to, std::string_view value) { to += value; }

/// The value of one parameter.
struct Parameter {
  /// REQUIRES: the value is of this type; texts are UTF-8 without NUL, else the server refuses
  /// them.
  template <typename Value>
  static Parameter Of(Type type, const Value& value) {
    Parameter parameter{.type = static_cast<std::uint32_t>(type)};
    AppendBinary(parameter.bytes, value);
    return parameter;
  }
  static Parameter Null(Type type) {
    return {.type = static_cast<std::uint32_t>(type), .is_null = true};
  }

  std::uint32_t type = 0;
  std::string bytes = {};
  bool is_null = false;
};

/// A parameter that is gathered value by value: one column of many rows.
class Array {
 public:
  explicit Array(Type element) : element_(element) {}

  template <typename Value>
  void Add(const Value& value) {
    const std::size_t size_at = elements_.size();
    AppendBigEndian(elements_, std::uint32_t{0});
    AppendBinary(elements_, value);
    const auto size = static_cast<std::uint32_t>(elements_.size() - size_at - kSizeBytes);
    for (std::size_t i = 0; i < kSizeBytes; ++i) {
      elements_[size_at + i] = static_cast<char>(size >> (8 * (kSizeBytes - 1 - i)) & 0xff);
    }
    ++count_;
  }
  void AddNull() {
    AppendBigEndian(elements_, ~std::uint32_t{0});
    has_null_ = true;
    ++count_;
  }

  [[nodiscard]] Type element() const { return element_; }
  [[nodiscard]] std::uint32_t size() const { return count_; }

  /// What was added, which leaves nothing.
  Parameter Take() {
    Parameter parameter{.type = ArrayOf(element_)};
    parameter.bytes.reserve(kHeaderBytes + elements_.size());
    for (const std::uint32_t word :
         {std::uint32_t{1}, std::uint32_t{has_null_}, static_cast<std::uint32_t>(element_), count_,
          std::uint32_t{1}}) {  // dimensions, nulls, type, length, lowest index
      AppendBigEndian(parameter.bytes, word);
    }
    parameter.bytes += elements_;
    elements_.clear();
    has_null_ = false;
    count_ = 0;
    return parameter;
  }

 private:
  static constexpr std::size_t kSizeBytes = 4;
  static constexpr std::size_t kHeaderBytes = 20;

  Type element_;
  std::string elements_ = {};
  bool has_null_ = false;
  std::uint32_t count_ = 0;
};

}  // namespace twofold::postgres
