#include "lib/spec/nearest.h"

#include <absl/strings/ascii.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace twofold::spec {
namespace {

// Letters to insert, delete or replace to get from `a` to `b` (V. Levenshtein, 1966), one row of
// the table at a time.
std::size_t Distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

constexpr std::size_t kLongestWord = 64;  // longer ones are no typing mistakes

}  // namespace

std::string Hint(std::string_view word, std::span<const std::string_view> known) {
  const std::string typed = absl::AsciiStrToLower(std::string(word.substr(0, kLongestWord)));
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  std::string_view nearest;
  for (const std::string_view candidate : known) {
    const std::size_t distance = Distance(typed, absl::AsciiStrToLower(std::string(candidate)));
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  if (!nearest.empty()) return fmt::format("; did you mean '{}'?", nearest);
  return fmt::format("; known: {}", fmt::join(known, ", "));
}

}  // namespace twofold::spec
