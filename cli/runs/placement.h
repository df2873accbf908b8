#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/queues/frontend.h"
#include "lib/common/result.h"
#include "lib/spec/expansion.h"

namespace twofold::run {

using v1::Worker;

/// Where the jobs of a run go.
struct Target {
  std::string queue;
  std::vector<Worker> workers;  ///< of the queue
};

/// The workers of a queue that take jobs.
Result<std::vector<Worker>> WorkersOf(const cli::Frontend& frontend, const std::string& queue);

/// The same; none where the token may not list workers, as one of the role `client` may not.
Result<std::optional<std::vector<Worker>>> WorkersIfListed(const cli::Frontend& frontend,
                                                           const std::string& queue);

/// The workers that have all labels of the permutation and are on one of its nodes.
std::vector<Worker> SuitableFor(const spec::Permutation& permutation,
                                const std::vector<Worker>& workers);

/// Whether the workers of the queue can run the permutations: those that suit one have to have as
/// many slots as its gang has members, on each of its nodes one at least.
///
/// Errors   kFailedPrecondition: which permutation, what is missing, and what to do.
Status CheckPlacement(const std::vector<spec::Permutation>& permutations, const Target& target);

/// Whether every permutation has a node for each member of its gang.
bool CanSpread(const std::vector<spec::Permutation>& permutations,
               const std::vector<Worker>& workers);

/// The nodes of the workers, each once, in the order of their names.
std::vector<std::string> NodesOf(const std::vector<Worker>& workers);

}  // namespace twofold::run
