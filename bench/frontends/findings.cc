#include "bench/frontends/findings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

namespace twofold::budgets {
namespace {

using Json = nlohmann::ordered_json;

/// Three or four digits: "0.985", "12.3", "104 000".
std::string Show(double value) {
  if (std::abs(value) < 10) return absl::StrFormat("%.3f", value);
  if (std::abs(value) < 1000) return absl::StrFormat("%.1f", value);
  std::string digits = absl::StrFormat("%.0f", value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ' ');
  return digits;
}

std::string Range(const std::vector<double>& rounds) {
  if (rounds.size() == 1) return {};
  const auto [least, most] = std::minmax_element(rounds.begin(), rounds.end());
  return absl::StrCat(Show(*least), " .. ", Show(*most));
}

std::string Show(const Budget& budget) {
  return budget.least ? absl::StrCat(">= ", Show(*budget.least))
                      : absl::StrCat("<= ", Show(*budget.most));
}

Json JsonOf(const Finding& number) {
  Json json = {{"scenario", number.scenario},
               {"what", number.what},
               {"unit", number.unit},
               {"median", number.Median()},
               {"rounds", number.rounds}};
  if (number.budget.least) json["at_least"] = *number.budget.least;
  if (number.budget.most) json["at_most"] = *number.budget.most;
  if (number.has_budget()) json["kept"] = number.Kept();
  return json;
}

}  // namespace

double Finding::Median() const {
  std::vector<double> sorted = rounds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

bool Finding::Kept() const {
  const double median = Median();
  return !(budget.least && median < *budget.least) && !(budget.most && median > *budget.most);
}

Machine ThisMachine() {
  Machine machine{.cores = std::thread::hardware_concurrency()};
  getloadavg(&machine.load, 1);
  return machine;
}

std::string ToText(const Machine& machine, const Findings& findings) {
  std::string text = absl::StrFormat(
      "%d cores, load %.1f; medians of the rounds, and their range\n", machine.cores, machine.load);
  std::string_view scenario;
  for (const Finding& number : findings.numbers) {
    if (number.scenario != scenario)
      absl::StrAppend(&text, "\n", std::string(number.scenario), "\n");
    scenario = number.scenario;
    absl::StrAppendFormat(&text, "  %-60s %10s %-8s", number.what, Show(number.Median()),
                          std::string(number.unit));
    const std::string range = Range(number.rounds);
    if (number.has_budget()) {
      absl::StrAppendFormat(&text, " %-24s %s: %s", range, Show(number.budget),
                            number.Kept() ? "kept" : "MISSED");
    } else if (!range.empty()) {
      absl::StrAppend(&text, " ", range);
    }
    text += '\n';
  }
  for (const std::string& trouble : findings.troubles) {
    absl::StrAppend(&text, "\nNOT MEASURED: ", trouble, "\n");
  }
  return text;
}

std::string ToJson(const Machine& machine, const Findings& findings) {
  Json json = {{"cores", machine.cores},
               {"load", machine.load},
               {"numbers", Json::array()},
               {"not_measured", findings.troubles}};
  for (const Finding& number : findings.numbers) json["numbers"].push_back(JsonOf(number));
  return json.dump(2) + "\n";
}

}  // namespace twofold::budgets
