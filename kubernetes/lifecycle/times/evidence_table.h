#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/show/table.h"

namespace twofold::lifecycle {

/// What one source of Kubernetes' own says of one moment, compared with what was seen. Differences
/// are seen minus theirs, in seconds, after what the two clocks differ by.
struct EvidenceRow {
  std::string source;  ///< "own second", "event Started", "audit done"
  std::string moment;  ///< that was seen: "scheduled"
  std::string clock;   ///< of whom: "API server", "kubelet"; the offset is known of the first alone
  std::uint64_t n = 0;                    ///< compared
  std::uint64_t missing = 0;              ///< seen, but the source says nothing of it
  std::uint64_t inexact = 0;              ///< of which only an interval was seen: not compared
  std::optional<std::uint64_t> fit = {};  ///< of whole seconds: those that were seen within theirs
  std::optional<double> misfit_low = {};  ///< the least that the others are off by; < 0: too early
  std::optional<double> misfit_high = {};
  std::optional<double> median = {};
  std::optional<double> p99 = {};
  double doubt = 0.0;  ///< by which all differences may be shifted together, either way
};

show::Json ToJson(const std::vector<EvidenceRow>& rows);

/// A table for people; empty: there are no rows.
std::string PrintEvidence(show::Form form, const std::vector<EvidenceRow>& rows);

}  // namespace twofold::lifecycle
