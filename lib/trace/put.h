#pragma once

#include <concepts>
#include <memory>
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

/// Writes the fields of a value; Take (take.h) is its mirror, type by type.
class Put {
 public:
  /// `options` names the options of jobs; nullptr: the value has none.
  explicit Put(std::string& out, const OptionsTable* options = nullptr)
      : to_(out), options_(options) {}

  template <typename T>
  void operator()(const char*, const T& value) {
    Value(value);
  }

 private:
  void Value(bool value) { to_.Number(value ? 1 : 0); }
  template <std::unsigned_integral T>
  void Value(T value) {
    to_.Number(value);
  }
  template <std::signed_integral T>
  void Value(T value) {
    to_.Signed(value);
  }
  template <typename T>
  requires std::is_enum_v<T>
  void Value(T value) { to_.Number(static_cast<std::uint64_t>(value)); }
  // All 64 bits of it are in use: as a Number it would be longer.
  void Value(JobId job) { to_.Fixed(static_cast<std::uint64_t>(job), 8); }
  void Value(ProcessKey key) { to_.Fixed(static_cast<std::uint64_t>(key), 8); }
  void Value(Duration duration) { to_.Signed(duration.count()); }
  void Value(Instant instant) { Value(instant.time_since_epoch()); }
  void Value(std::string_view bytes) { to_.Bytes(bytes); }
  void Value(const std::string& bytes) { to_.Bytes(bytes); }
  void Value(const std::shared_ptr<const JobOptions>& options) {
    to_.Number(*options_->Find(options.get()));
  }
  void Value(Fingerprint fingerprint) { to_.Fixed(fingerprint.digest, 8); }
  void Value(const Passed& passed) {
    to_.Number(passed.size);
    if (passed.size <= Passed::kVerbatim) {
      to_.Raw(passed.verbatim);
    } else {
      to_.Fixed(passed.digest, 8);
    }
  }
  template <typename T>
  void Value(const std::vector<T>& values) {
    to_.Number(values.size());
    for (const T& value : values) VisitFields(*this, value);
  }

  Encoder to_;
  const OptionsTable* const options_;
};

/// The place of Row among the rows of Variant.
template <typename Row, typename Variant, std::size_t place = 0>
constexpr std::size_t PlaceOf() {
  static_assert(place < std::variant_size_v<Variant>, "a row is missing in the list");
  if constexpr (std::same_as<Row, std::variant_alternative_t<place, Variant>>) {
    return place;
  } else {
    return PlaceOf<Row, Variant, place + 1>();
  }
}

/// Writes a row of Input or AnyOutput: its number in the list, then its fields. `options` has those
/// of the row.
template <typename Variant, typename Row>
void PutRow(std::string& out, const Row& row, const OptionsTable* options = nullptr) {
  Encoder(out).Number(PlaceOf<Row, Variant>());
  Put put(out, options);
  VisitFields(put, row);
}

}  // namespace twofold::queue::trace
