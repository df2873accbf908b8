#include "lib/common/match.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace twofold {
namespace {

constexpr std::size_t kLongestWord = 64;  // longer ones are no typing mistakes

// By letters to insert, delete, replace, or swap with the next; three rows of the table at a time.
std::size_t Distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above = row;
  std::vector<std::size_t> higher = row;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    higher.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], higher[j - 2] + 1);
    }
  }
  return row.back();
}

std::string Lower(std::string_view text) { return absl::AsciiStrToLower(std::string(text)); }

}  // namespace

bool IsQuantity(std::string_view text, std::span<const std::string_view> units) {
  constexpr std::size_t kMostDigits = 15;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > kMostDigits || text[0] == '0') return false;
  return std::find(units.begin(), units.end(), text.substr(digits)) != units.end();
}

std::string_view Nearest(std::string_view word, std::span<const std::string_view> known) {
  const std::string typed = Lower(word.substr(0, kLongestWord));
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  std::string_view nearest;
  for (const std::string_view candidate : known) {
    const std::size_t distance = Distance(typed, Lower(candidate.substr(0, 2 * kLongestWord)));
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string Hint(std::string_view word, std::span<const std::string_view> known) {
  const std::string nearest(Nearest(word, known));
  if (!nearest.empty()) return absl::StrCat("; did you mean '", nearest, "'?");
  const auto append = [](std::string* text, std::string_view name) { text->append(name); };
  return absl::StrCat("; known: ", absl::StrJoin(known, ", ", append));
}

}  // namespace twofold
