#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twofold::budgets {

/// What a number has to be.
struct Budget {
  std::optional<double> least = std::nullopt;
  std::optional<double> most = std::nullopt;
};

constexpr Budget AtLeast(double value) { return {.least = value}; }
constexpr Budget AtMost(double value) { return {.most = value}; }

/// Something that a scenario has measured, once a round.
struct Finding {
  std::string_view scenario;
  std::string what;
  std::vector<double> rounds;  ///< one at least
  std::string_view unit;       ///< empty: a ratio or a count
  Budget budget{};             ///< empty: for information

  [[nodiscard]] double Median() const;
  [[nodiscard]] bool has_budget() const { return budget.least || budget.most; }
  /// Whether the median is as the budget says.
  [[nodiscard]] bool Kept() const;
};

/// What a run of scenarios has found.
struct Findings {
  std::vector<Finding> numbers;
  std::vector<std::string> troubles;  ///< "SCENARIO: what": these could not be measured
};

/// Of the machine, as it was when the run ended.
struct Machine {
  unsigned cores = 0;
  double load = 0;  ///< runnable threads, mean of the last minute
};
Machine ThisMachine();

/// A table for people.
std::string ToText(const Machine& machine, const Findings& findings);

/// The same as a JSON object, with a newline at its end.
std::string ToJson(const Machine& machine, const Findings& findings);

}  // namespace twofold::budgets
