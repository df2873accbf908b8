#include "cli/results/needed.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lib/stats/power.h"

namespace twofold::cli {
namespace {

using show::Json;

std::uint64_t NeededOf(const Json& pair) { return pair["repetitions_needed"].get<std::uint64_t>(); }

/// "3.1 %"; of what has no ratio "0.4 Gbit/s".
std::string DifferenceText(const Json& pair) {
  const Json& ratio = pair["ratio"];
  if (ratio.is_number())
    return absl::StrFormat("%.2g %%", 100.0 * std::abs(ratio.get<double>() - 1.0));
  return absl::StrFormat("%.2g %s", std::abs(pair["difference"].get<double>()),
                         pair["unit"].get<std::string>());
}

/// ", 14 more" than both sides have.
std::string MoreText(const Json& pair) {
  const auto made = pair["base"]["n"].get<std::uint64_t>();
  if (pair["now"]["n"] != made) return "";
  return absl::StrCat(", ", NeededOf(pair) - made, " more,");
}

}  // namespace

std::string NoteOnNeeded(const Json& pairs) {
  std::vector<const Json*> known;
  for (const Json& pair : pairs) {
    if (pair["repetitions_needed"].is_number()) known.push_back(&pair);
  }
  if (known.empty()) return "";
  const std::string often =
      absl::StrFormat(", in %.0f of 10 such comparisons", 10.0 * stats::kPowerToTell);
  const auto [few, many] =
      std::minmax_element(known.begin(), known.end(),
                          [](const Json* a, const Json* b) { return NeededOf(*a) < NeededOf(*b); });
  if (known.size() == 1) {
    return absl::StrCat("NEEDED: about ", NeededOf(**few), " repetitions of each", MoreText(**few),
                        " would tell ", DifferenceText(**few), " apart", often, "\n");
  }
  return absl::StrCat("NEEDED: so many repetitions of each would tell what differs apart", often,
                      ": from ", NeededOf(**few), " for ", DifferenceText(**few), " to ",
                      NeededOf(**many), " for ", DifferenceText(**many), "\n");
}

}  // namespace twofold::cli
