#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <string>
#include <string_view>

/// Values of enums as people, tables and JSON have them. A word is written once: it is what the
/// name of the value in the contract has after the name of its enum (OUTCOME_TIMED_OUT of enum
/// Outcome: "timed_out").
namespace twofold {

std::string Word(const google::protobuf::EnumValueDescriptor& value);

/// Of a number that a newer program may have sent: "unknown" if the enum has no such value.
template <typename Enum>
std::string Word(Enum value) {
  const auto* const known =
      google::protobuf::GetEnumDescriptor<Enum>()->FindValueByNumber(static_cast<int>(value));
  return known == nullptr ? "unknown" : Word(*known);
}

/// The value with this word; nullptr: there is none.
const google::protobuf::EnumValueDescriptor* FindWord(const google::protobuf::EnumDescriptor& type,
                                                      std::string_view word);

}  // namespace twofold
