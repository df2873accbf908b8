#include "lib/words/machine.h"

#include <absl/strings/str_format.h>

#include <cmath>
#include <map>

namespace twofold {
namespace {

bool CanHaveMade(std::string_view word, double base, double now) {
  if (word == "worse") return now - base >= kUnlikePoints;
  if (word == "better") return base - now >= kUnlikePoints;
  return word != "-" && std::abs(now - base) >= kUnlikePoints;
}

}  // namespace

void MachineMeans::Add(const v1::Measurement& measured) {
  for (std::size_t i = 0; i < kMachineConditions.size(); ++i) {
    if (measured.name() != kMachineConditions.at(i).name) continue;
    sums_.at(i).sum += measured.value();
    ++sums_.at(i).n;
  }
}

std::optional<double> MachineMeans::Mean(std::size_t condition) const {
  const Sum& sum = sums_.at(condition);
  if (sum.n == 0) return std::nullopt;
  return sum.sum / static_cast<double>(sum.n);
}

std::vector<UnlikeMachine> MayHaveMade(std::string_view word, const MachineMeans& base,
                                       const MachineMeans& now) {
  std::vector<UnlikeMachine> unlike;
  for (std::size_t i = 0; i < kMachineConditions.size(); ++i) {
    const auto before = base.Mean(i);
    const auto after = now.Mean(i);
    if (!before || !after || !CanHaveMade(word, *before, *after)) continue;
    unlike.push_back({&kMachineConditions.at(i), *before, *after});
  }
  return unlike;
}

std::vector<UnlikeMachine> WidestOf(const std::vector<UnlikeMachine>& all) {
  std::map<const MachineCondition*, UnlikeMachine> widest;
  for (const UnlikeMachine& each : all) {
    UnlikeMachine& known = widest.try_emplace(each.condition, each).first->second;
    if (std::abs(each.now - each.base) > std::abs(known.now - known.base)) known = each;
  }
  std::vector<UnlikeMachine> list;
  for (const auto& [condition, each] : widest) list.push_back(each);
  return list;
}

std::string Text(const UnlikeMachine& unlike, const std::string& base, const std::string& now) {
  return absl::StrFormat("%s %.0f %% of the time in %s, %.0f %% in %s", unlike.condition->what,
                         unlike.base, base, unlike.now, now);
}

}  // namespace twofold
