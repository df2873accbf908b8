#include "client/limits.h"

#include <absl/strings/str_cat.h>

#include <charconv>
#include <limits>

namespace twofold::client {

std::optional<double> NumberWithin(const Limits& limits, std::string_view text) {
  if (limits.may_be_unknown && text == "inf") return std::numeric_limits<double>::infinity();
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  const bool is_inside = value >= limits.least && value <= limits.most;  // NaN is not
  return is_whole && is_inside ? std::optional(value) : std::nullopt;
}

std::string Allowed(const Limits& limits) {
  return absl::StrCat("a number ", limits.least, "..", limits.most,
                      limits.may_be_unknown ? " or inf" : "");
}

}  // namespace twofold::client
