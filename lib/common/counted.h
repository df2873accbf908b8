#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace twofold {

/// "1 worker", "4 workers".
inline std::string Counted(std::uint64_t count, std::string_view thing) {
  std::string text = std::to_string(count) + " ";
  text.append(thing);
  if (count != 1) text += 's';
  return text;
}

}  // namespace twofold
