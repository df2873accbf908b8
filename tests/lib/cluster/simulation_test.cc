// Frontends that share a database, over random faults (simulation.h says what is checked).
//
//   TWOFOLD_SEED    where to start; printed, so that a failure can be seen again
//   TWOFOLD_STEPS   how long; 1 000 000 if not set; a sanitizer takes fewer, in which it does not
//                   see all rare things
//   TWOFOLD_FAULTS  with one seed: only these of its faults, such as 0,3,4; a failure prints them

#include "tests/lib/cluster/simulation.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/sanitized.h"

namespace twofold::cluster {
namespace {

constexpr std::uint64_t kSteps = 1'000'000;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// A run in which one of these never came about has shown less than it should.
constexpr std::array<std::string_view, 17> kRareThings = {"claim refused",
                                                          "claimed from a dead owner",
                                                          "claimed what nobody has",
                                                          "closed",
                                                          "commit refused",
                                                          "done, but in doubt",
                                                          "drained",
                                                          "loss accepted",
                                                          "loss noticed",
                                                          "opened",
                                                          "released",
                                                          "request doubled",
                                                          "request lost",
                                                          "resumed",
                                                          "rollback",
                                                          "suspended",
                                                          "answer waited for a sleeper"};

std::string Complaint(Scenario scenario) { return Simulation(std::move(scenario)).Run(); }

/// The faults of a scenario with their numbers in the list of its seed.
using Numbered = std::vector<std::pair<std::size_t, Fault>>;

Scenario With(Scenario scenario, const Numbered& faults) {
  scenario.faults.clear();
  for (const auto& [number, fault] : faults) scenario.faults.push_back(fault);
  return scenario;
}

/// Leaves out one fault after the other, as long as something is still wrong.
Numbered Shrink(const Scenario& scenario, Numbered faults) {
  for (std::size_t i = 0; i < faults.size();) {
    Numbered fewer = faults;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (Complaint(With(scenario, fewer)).empty()) {
      ++i;
    } else {
      faults = std::move(fewer);
      i = 0;
    }
  }
  return faults;
}

/// How to see a failure again, with the fewest faults that show it.
std::string Describe(const Scenario& scenario) {
  Numbered faults;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    faults.emplace_back(i, scenario.faults[i]);
  }
  faults = Shrink(scenario, faults);
  std::ostringstream out;
  out << "TWOFOLD_SEED=" << scenario.seed << " TWOFOLD_STEPS=1 TWOFOLD_FAULTS=";
  for (const auto& [number, fault] : faults) out << number << ',';
  out << "\n"
      << scenario.frontends << " frontends, " << scenario.partitions << " partitions; "
      << Complaint(With(scenario, faults));
  for (const auto& [number, fault] : faults) out << "\n  " << number << "  " << fault;
  return out.str();
}

/// The faults that TWOFOLD_FAULTS names, or all.
Scenario Chosen(const Scenario& scenario) {
  const char* list = std::getenv("TWOFOLD_FAULTS");
  if (list == nullptr) return scenario;
  Numbered faults;
  std::istringstream numbers{std::string(list)};
  for (std::string number; std::getline(numbers, number, ',');) {
    const std::size_t i = std::stoul(number);
    faults.emplace_back(i, scenario.faults.at(i));
  }
  return With(scenario, faults);
}

TEST(ClusterSimulation, FrontendsKeepTheRulesOverRandomFaults) {
  const std::uint64_t first_seed = FromEnvironment("TWOFOLD_SEED", 1);
  const std::uint64_t steps = FromEnvironment("TWOFOLD_STEPS", Fewer(kSteps));
  std::cout << "TWOFOLD_SEED=" << first_seed << " TWOFOLD_STEPS=" << steps << '\n';
  std::map<std::string_view, std::uint64_t> seen;
  std::uint64_t seed = first_seed;
  for (std::uint64_t done = 0; done < steps; ++seed) {
    const Scenario scenario = Chosen(RandomScenario(seed));
    Simulation simulation(scenario);
    const std::string complaint = simulation.Run();
    ASSERT_EQ(complaint, "") << Describe(scenario);
    done += simulation.steps();
    for (const auto& [what, times] : simulation.seen()) seen[what] += times;
  }
  std::cout << seed - first_seed << " scenarios\n";
  for (const auto& [what, times] : seen) std::cout << times << " x " << what << '\n';
  if (steps < kSteps) return;
  for (const std::string_view what : kRareThings) EXPECT_GT(seen[what], 0U) << what;
}

}  // namespace
}  // namespace twofold::cluster
