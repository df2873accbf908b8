#include "lib/common/match.h"

#include <algorithm>

namespace twofold {

bool IsQuantity(std::string_view text, std::span<const std::string_view> units) {
  constexpr std::size_t kMostDigits = 15;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > kMostDigits || text[0] == '0') return false;
  return std::find(units.begin(), units.end(), text.substr(digits)) != units.end();
}

}  // namespace twofold
