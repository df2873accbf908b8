#pragma once

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cluster/findings.h"
#include "bench/cluster/scenarios.h"

namespace twofold::scale {

/// What one scenario finds, in words that all of them share.
class Report {
 public:
  Report(const Scenario& scenario, Findings& findings) : scenario_(scenario), findings_(findings) {}

  void Add(std::string what, double value, std::string_view unit = "",
           std::optional<double> most = {}) {
    findings_.numbers.push_back({scenario_.name, std::move(what), value, unit, most});
  }
  void Add(std::string what, Duration value, std::optional<double> most = {}) {
    Add(std::move(what), ToSeconds(value), "s", most);
  }
  void Complain(const std::string& what) {
    if (!what.empty())
      findings_.complaints.push_back(absl::StrCat(std::string(scenario_.name), ": ", what));
  }

  // What the ledger of a world says. `most`: seconds that the last worker may be away.
  void AddWorkers(const World& world, std::optional<double> most = {});
  void AddConnections(const World& world);
  void AddJobs(const World& world);

 private:
  const Scenario& scenario_;
  Findings& findings_;
};

inline double Count(std::uint64_t count) { return static_cast<double>(count); }

/// The value that this share of all does not exceed; 0 of none.
Duration Share(std::vector<Duration> values, double share);
inline Duration Longest(const std::vector<Duration>& values) { return Share(values, 1); }

}  // namespace twofold::scale
