#include "lib/load/cpu_time.h"

#include <algorithm>
#include <charconv>

namespace twofold::load {
namespace {

// The number behind `key` at the beginning of a line.
std::optional<std::uint64_t> NumberAfter(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(key) || line.substr(key.size(), 1) != " ") continue;
    const std::string_view digits = line.substr(key.size() + 1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc() && end == digits.data() + digits.size()) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<CpuTime> ParseCpuStat(std::string_view text) {
  const auto periods = NumberAfter(text, "nr_throttled");
  const auto us = NumberAfter(text, "throttled_usec");
  const auto ns = NumberAfter(text, "throttled_time");
  if (!periods || (!us && !ns)) return std::nullopt;
  constexpr std::uint64_t kMostNs = INT64_MAX;
  const std::uint64_t all = us ? std::min(*us, kMostNs / 1000) * 1000 : std::min(*ns, kMostNs);
  return CpuTime{*periods, Duration(static_cast<Duration::rep>(all))};
}

}  // namespace twofold::load
