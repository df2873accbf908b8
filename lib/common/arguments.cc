#include "lib/common/arguments.h"

namespace twofold {

std::string EncodeArguments(std::span<const std::string> arguments) {
  std::string spec;
  for (const std::string& argument : arguments) {
    spec += argument;
    spec += '\0';
  }
  return spec;
}

Result<std::vector<std::string_view>> DecodeArguments(std::string_view spec) {
  std::vector<std::string_view> arguments;
  while (!spec.empty()) {
    const std::size_t end = spec.find('\0');
    if (end == std::string_view::npos) {
      return absl::InvalidArgumentError("the last argument does not end with a NUL byte");
    }
    arguments.push_back(spec.substr(0, end));
    spec.remove_prefix(end + 1);
  }
  return arguments;
}

}  // namespace twofold
