#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lib/trace/codec.h"
#include "lib/trace/options_table.h"
#include "lib/trace/outputs.h"

namespace twofold::queue::trace {

/// The largest value that a file may have in a field of this type.
template <typename T>
inline constexpr std::uint64_t kLargest = std::numeric_limits<T>::max();
template <typename T>
requires std::is_enum_v<T>
inline constexpr std::uint64_t kLargest<T> = kLargest<std::underlying_type_t<T>>;
template <>
inline constexpr std::uint64_t kLargest<Outcome> = kOutcomes - 1;
template <>
inline constexpr std::uint64_t kLargest<Spread> = static_cast<std::uint64_t>(Spread::kNode);
template <>
inline constexpr std::uint64_t kLargest<Admission> = static_cast<std::uint64_t>(Admission::kHeld);

/// Reads the fields that Put wrote. Strings and options point into what it was given.
///
/// Errors   Values that cannot be make `from` not ok().
class Take {
 public:
  /// `options` are those that the queue's jobs may use.
  Take(Decoder& from, const OptionsTable& options) : from_(from), options_(options) {}

  template <typename T>
  void operator()(const char*, T& value) {
    Value(value);
  }

 private:
  void Value(bool& value) { value = Bounded(1) == 1; }
  template <std::unsigned_integral T>
  void Value(T& value) {
    value = static_cast<T>(Bounded(kLargest<T>));
  }
  template <std::signed_integral T>
  void Value(T& value) {
    const std::int64_t number = from_.Signed();
    if (!std::in_range<T>(number)) from_.Fail();
    value = static_cast<T>(number);
  }
  template <typename T>
  requires std::is_enum_v<T>
  void Value(T& value) { value = static_cast<T>(Bounded(kLargest<T>)); }
  void Value(JobId& job) { job = JobId{from_.Fixed(8)}; }
  void Value(ProcessKey& key) { key = ProcessKey{from_.Fixed(8)}; }
  void Value(Duration& duration) { duration = Duration(from_.Signed()); }
  void Value(Instant& instant) {
    Duration since{};
    Value(since);
    instant = Instant(since);
  }
  void Value(std::string_view& bytes) { bytes = from_.Bytes(); }
  void Value(std::string& bytes) { bytes = from_.Bytes(); }
  void Value(std::shared_ptr<const JobOptions>& options) {
    const OptionsTable::Entry* entry = options_.At(from_.Number());
    if (entry == nullptr) return from_.Fail();
    options = entry->options;
  }
  void Value(Fingerprint& fingerprint) { fingerprint.digest = from_.Fixed(8); }
  void Value(Passed& passed) {
    passed.size = from_.Number();
    if (passed.size <= Passed::kVerbatim) {
      passed.verbatim = from_.Raw(passed.size);
    } else {
      passed.digest = from_.Fixed(8);
    }
  }
  template <typename T>
  void Value(std::vector<T>& values) {
    values.clear();
    // Each takes a byte at least, so a wrong count ends with the bytes.
    for (std::uint64_t left = from_.Number(); left > 0 && from_.ok(); --left) {
      VisitFields(*this, values.emplace_back());
    }
  }

  std::uint64_t Bounded(std::uint64_t largest) {
    const std::uint64_t number = from_.Number();
    if (number <= largest) return number;
    from_.Fail();
    return 0;
  }

  Decoder& from_;
  const OptionsTable& options_;
};

namespace internal {

template <typename Variant, std::size_t... places>
void TakeRow(Decoder& from, Take& take, Variant& row, std::index_sequence<places...>) {
  using TakeOne = void (*)(Take&, Variant&);
  static constexpr std::array<TakeOne, sizeof...(places)> kTake = {
      [](Take& fields, Variant& out) { VisitFields(fields, out.template emplace<places>()); }...};
  const std::uint64_t place = from.Number();
  if (place >= kTake.size()) return from.Fail();
  kTake[static_cast<std::size_t>(place)](take, row);
}

}  // namespace internal

/// Reads what PutRow wrote.
template <typename Variant>
void TakeRow(Decoder& from, const OptionsTable& options, Variant& row) {
  Take take(from, options);
  internal::TakeRow(from, take, row, std::make_index_sequence<std::variant_size_v<Variant>>());
}

}  // namespace twofold::queue::trace
