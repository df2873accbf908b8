#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// One job of a sweep. Its number is its place in the list of all, from 1.
struct PlannedJob {
  std::uint32_t permutation = 0;  ///< place in Expansion::permutations, from 0
  std::uint32_t repetition = 0;   ///< of this permutation, from 1; warm-ups are counted apart
  bool warm_up = false;           ///< its results are not part of the permutation's

  friend bool operator==(const PlannedJob&, const PlannedJob&) = default;
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

/// The jobs of `permutations` permutations in the order of `sweep`:
///
///   consecutive  permutation by permutation, each with its warm-ups first
///   interleaved  all warm-ups, then all measured ones, both in rounds of every permutation once
///   shuffled     all warm-ups, then all measured ones, both in random order by the seed; a
///                permutation's repetitions are numbered in the order in which they come
std::vector<PlannedJob> JobsOf(const Sweep& sweep, std::uint32_t permutations);

/// "NAME-INDEX", `index` from 1, with zeros in front so that all of 1 .. `count` are equally long.
std::string JobName(const std::string& name, std::uint64_t index, std::uint64_t count);

}  // namespace twofold::spec
