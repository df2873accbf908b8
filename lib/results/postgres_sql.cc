#include "lib/results/postgres_sql.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "lib/common/printable.h"

namespace twofold::results {

std::string WithDollars(const std::string& sql) {
  std::string dollars;
  int highest = 0;
  bool is_text = false;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    is_text = is_text != (sql[i] == '\'');
    if (sql[i] != '?' || is_text) {
      dollars += sql[i];
      continue;
    }
    int number = 0;
    while (i + 1 < sql.size() && std::isdigit(static_cast<unsigned char>(sql[i + 1])) != 0) {
      number = 10 * number + (sql[++i] - '0');
    }
    if (number == 0) number = highest + 1;
    highest = std::max(highest, number);
    absl::StrAppend(&dollars, "$", number);
  }
  return dollars;
}

std::string_view Storable(std::string_view text, std::string& buffer) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  const bool has_nul = text.find('\0') != std::string_view::npos;
  if (!has_nul && ValidUtf8(text) == text.size()) return text;
  buffer.clear();
  for (std::string_view left = text; !left.empty();) {
    const std::string_view valid = left.substr(0, std::min(ValidUtf8(left), left.find('\0')));
    buffer += valid;
    left.remove_prefix(valid.size());
    if (left.empty()) break;
    buffer += kReplacement;
    left.remove_prefix(1);
  }
  return buffer;
}

}  // namespace twofold::results
