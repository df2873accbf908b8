#include "bench/cluster/findings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace twofold::scale {
namespace {

using Json = nlohmann::ordered_json;

/// "3.25 s", "1 000 000", "0.4 %"
std::string Show(double value, std::string_view unit) {
  if (!unit.empty()) return absl::StrFormat("%.2f %s", value, std::string(unit));
  std::string digits = absl::StrFormat("%.0f", value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ' ');
  return digits;
}

/// "354 us"
std::string ShowCost(const CostRow& row) {
  if (row.unit != "s") return absl::StrFormat("%g %s", row.value, std::string(row.unit));
  if (row.value < 1e-3) return absl::StrFormat("%g us", row.value * 1e6);
  if (row.value < 0.1) return absl::StrFormat("%g ms", row.value * 1e3);
  return absl::StrFormat("%g s", row.value);
}

std::string Title(const WorldOptions& options) {
  return absl::StrFormat(
      "%s frontends, %s queues, %s workers%s, seed %d, a job every %g s for each worker, "
      "grace period %g s\n",
      Show(static_cast<double>(options.frontends), ""),
      Show(static_cast<double>(options.queues), ""), Show(static_cast<double>(options.workers), ""),
      options.tls ? " with TLS" : "", options.seed, ToSeconds(options.run_time),
      ToSeconds(options.grace));
}

Json ToJson(const Finding& number) {
  Json json = {{"scenario", number.scenario},
               {"what", number.what},
               {"value", number.value},
               {"unit", number.unit}};
  if (number.most) {
    json["at_most"] = *number.most;
    json["as_wanted"] = number.IsWanted();
  }
  return json;
}

}  // namespace

bool Findings::AllWanted() const {
  return complaints.empty() && std::all_of(numbers.begin(), numbers.end(),
                                           [](const Finding& each) { return each.IsWanted(); });
}

std::string ToText(const WorldOptions& options, const Findings& findings) {
  std::string text = Title(options);
  std::string_view scenario;
  for (const Finding& number : findings.numbers) {
    if (number.scenario != scenario)
      absl::StrAppend(&text, "\n", std::string(number.scenario), "\n");
    scenario = number.scenario;
    absl::StrAppendFormat(&text, "  %-58s %14s", number.what, Show(number.value, number.unit));
    if (number.most) {
      absl::StrAppendFormat(&text, "   at most %s: %s", Show(*number.most, number.unit),
                            number.IsWanted() ? "yes" : "NO");
    }
    text += '\n';
  }
  text += "\nComputed from\n";
  for (const CostRow& row : kCosts) {
    absl::StrAppendFormat(&text, "  %-58s %14s   %s: %s\n", std::string(row.what), ShowCost(row),
                          std::string(Name(row.basis)), std::string(row.source));
  }
  for (const std::string& complaint : findings.complaints) {
    absl::StrAppend(&text, "\nWRONG: ", complaint, "\n");
  }
  return text;
}

std::string ToJson(const WorldOptions& options, const Findings& findings) {
  Json json = {{"seed", options.seed},
               {"frontends", options.frontends},
               {"queues", options.queues},
               {"workers", options.workers},
               {"tls", options.tls},
               {"run_time_s", ToSeconds(options.run_time)},
               {"grace_s", ToSeconds(options.grace)},
               {"first_pause_s", ToSeconds(options.pauses.first)},

               {"numbers", Json::array()},
               {"costs", Json::array()},
               {"wrong", findings.complaints}};
  for (const Finding& number : findings.numbers) json["numbers"].push_back(ToJson(number));
  for (const CostRow& row : kCosts) {
    json["costs"].push_back({{"what", row.what},
                             {"value", row.value},
                             {"unit", row.unit},
                             {"basis", Name(row.basis)},
                             {"source", row.source}});
  }
  return json.dump(2) + "\n";
}

}  // namespace twofold::scale
