#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/common/result.h"
#include "lib/spec/expansion.h"

namespace twofold::run {

/// A worker process that takes jobs.
struct Worker {
  std::string node;
  std::string pod;
  std::map<std::string, std::string> labels{};
  std::uint32_t slots = 1;
};

/// Where the jobs of a run go.
struct Target {
  std::string queue;
  std::vector<Worker> workers;  ///< of the queue
};

/// The workers that have all labels of the permutation and are on one of its nodes.
std::vector<Worker> SuitableFor(const spec::Permutation& permutation,
                                const std::vector<Worker>& workers);

/// Whether the workers of the queue can run the permutations: those that suit one have to have as
/// many slots as its gang has members, on each of its nodes one at least.
///
/// Errors   kFailedPrecondition: which permutation, what is missing, and what to do.
Status CheckPlacement(const std::vector<spec::Permutation>& permutations, const Target& target);

/// The nodes of the workers, each once, in the order of their names.
std::vector<std::string> NodesOf(const std::vector<Worker>& workers);

}  // namespace twofold::run
