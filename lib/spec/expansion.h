#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/spec/job_order.h"
#include "lib/spec/kind.h"
#include "lib/spec/sweep.h"

namespace twofold::spec {

/// The value that a permutation has in a field that the sweep varies.
struct VariedValue {
  std::string path;  ///< "streams", "resources.limits.cpu"; "nodes" for the nodes
  Json value;        ///< as merged with the template

  friend bool operator==(const VariedValue&, const VariedValue&) = default;
};

/// One combination of values: what its jobs run, and where.
struct Permutation {
  std::uint64_t number = 0;  ///< from 1, among all of the sweep; a sample keeps these numbers
  std::string spec;          ///< for the suite: JSON, keys in the order written
  std::vector<Requirement> labels;
  std::int64_t gang = 1;
  std::vector<std::string> nodes;  ///< its gang runs on these, on each of them; empty: anywhere
  std::vector<VariedValue> values;
};

/// All that a sweep runs, checked. The same file gives the same expansion everywhere.
struct Expansion {
  std::uint64_t all_permutations = 0;  ///< before sampling
  std::vector<Permutation> permutations;
  std::vector<PlannedJob> jobs;
  /// Jobs at most: more than `jobs` has if `until` can ask for more repetitions.
  std::uint64_t most_jobs = 0;
};

struct ExpandOptions {
  /// Names that sweep.nodes selects from; without them its names are taken as they are, and
  /// patterns are refused.
  std::vector<std::string> nodes{};
  Limits limits{};
};

/// Expands `sweep`: merges each permutation with the template, checks what comes out, its suite
/// too, and puts the jobs in order.
///
/// Threads  Any; no state is shared.
/// Errors   kInvalidArgument "FILE:LINE:COLUMN: field: what (permutation N: field=value ...)": the
///          first permutation that is wrong, before anything runs. Limits are checked before the
///          memory is used.
/// Cost     O(jobs + permutations x size of a spec).
Result<Expansion> Expand(const Sweep& sweep, const ExpandOptions& options = {});

}  // namespace twofold::spec
