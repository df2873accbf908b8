#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/spec/sweep.h"

namespace twofold::spec {

/// One job of a sweep. Its number is its place in the list of all, from 1.
struct PlannedJob {
  std::uint32_t permutation = 0;  ///< place in Expansion::permutations, from 0
  std::uint32_t repetition = 0;   ///< of this permutation, from 1; warm-ups are counted apart
  bool warm_up = false;           ///< its results are not part of the permutation's

  friend bool operator==(const PlannedJob&, const PlannedJob&) = default;
};

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
