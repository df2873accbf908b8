#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cluster/world.h"

namespace twofold::scale {

/// A number that a scenario has come to.
struct Finding {
  std::string_view scenario;
  std::string what;
  double value;
  std::string_view unit;                      ///< empty: a count
  std::optional<double> most = std::nullopt;  ///< what is wanted; nullopt: anything

  [[nodiscard]] bool IsWanted() const { return !most || value <= *most; }
};

/// What a run of scenarios has found.
struct Findings {
  std::vector<Finding> numbers;
  /// Invariants that did not hold: "SCENARIO: queue 3 is open on 2 frontends".
  std::vector<std::string> complaints;

  [[nodiscard]] bool AllWanted() const;
};

/// A table for people, with what it was computed from.
std::string ToText(const WorldOptions& options, const Findings& findings);

/// The same as a JSON object, with a newline at its end.
std::string ToJson(const WorldOptions& options, const Findings& findings);

}  // namespace twofold::scale
