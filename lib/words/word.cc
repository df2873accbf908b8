#include "lib/words/word.h"

#include <absl/strings/ascii.h>

namespace twofold {
namespace {

/// How many characters "JOB_STATE_" has, of enum JobState.
std::size_t PrefixOf(const google::protobuf::EnumDescriptor& type) {
  std::size_t size = type.name().size() + 1;
  for (std::size_t i = 1; i < type.name().size(); ++i) {
    if (absl::ascii_isupper(static_cast<unsigned char>(type.name()[i]))) ++size;
  }
  return size;
}

}  // namespace

std::string Word(const google::protobuf::EnumValueDescriptor& value) {
  return absl::AsciiStrToLower(value.name().substr(PrefixOf(*value.type())));
}

const google::protobuf::EnumValueDescriptor* FindWord(const google::protobuf::EnumDescriptor& type,
                                                      std::string_view word) {
  for (int i = 0; i < type.value_count(); ++i) {
    if (Word(*type.value(i)) == word) return type.value(i);
  }
  return nullptr;
}

}  // namespace twofold
