#include "cli/run/placement.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <set>

namespace twofold::run {
namespace {

constexpr std::size_t kMostNamed = 5;  // workers in a message

using spec::Permutation;
using spec::Requirement;

bool Has(const Worker& worker, const Requirement& need) {
  const auto label = worker.labels.find(need.label);
  return label != worker.labels.end() && label->second == need.value;
}

std::string Label(const Requirement& need) { return absl::StrCat(need.label, "=", need.value); }

Status Refuse(const Permutation& permutation, const std::string& why) {
  return absl::FailedPreconditionError(absl::StrCat("permutation ", permutation.number, ": ", why));
}

std::string Named(const std::vector<const Worker*>& workers) {
  std::vector<std::string> names;
  for (const Worker* worker : workers) names.push_back(worker->pod);
  const std::size_t more = names.size() - std::min(names.size(), kMostNamed);
  names.resize(names.size() - more);
  return absl::StrCat(absl::StrJoin(names, ", "),
                      more == 0 ? "" : absl::StrCat(" and ", more, " more"));
}

// Jobs cannot choose among the workers of a queue.
Status CheckLabel(const Permutation& permutation, const Requirement& need, const Target& target) {
  std::vector<const Worker*> lack;
  for (const Worker& worker : target.workers) {
    if (!Has(worker, need)) lack.push_back(&worker);
  }
  if (lack.empty()) return absl::OkStatus();
  if (lack.size() == target.workers.size()) {
    return Refuse(permutation,
                  absl::StrCat("needs workers with the label ", Label(need), "; none of the ",
                               lack.size(), " of queue ", target.queue, " has it"));
  }
  return Refuse(permutation,
                absl::StrCat("needs workers with the label ", Label(need), "; of queue ",
                             target.queue, " these lack it, and could get its jobs: ", Named(lack),
                             ". Give the others a queue of their own (--queue), or pause these"));
}

// Slots on the nodes of the permutation, on all nodes if it names none.
std::uint64_t SlotsFor(const Permutation& permutation, const Target& target) {
  std::uint64_t slots = 0;
  for (const Worker& worker : target.workers) {
    const auto& nodes = permutation.nodes;
    const bool counts =
        nodes.empty() || std::find(nodes.begin(), nodes.end(), worker.node) != nodes.end();
    if (counts) slots += worker.slots;
  }
  return slots;
}

Status CheckOne(const Permutation& permutation, const Target& target) {
  for (const Requirement& need : permutation.labels) {
    if (Status status = CheckLabel(permutation, need, target); !status.ok()) return status;
  }
  const std::vector<std::string> nodes = NodesOf(target.workers);
  for (const std::string& node : permutation.nodes) {
    if (std::binary_search(nodes.begin(), nodes.end(), node)) continue;
    return Refuse(permutation,
                  absl::StrCat("no worker of queue ", target.queue, " is on node ", node));
  }
  const std::uint64_t slots = SlotsFor(permutation, target);
  if (slots >= static_cast<std::uint64_t>(permutation.gang)) return absl::OkStatus();
  return Refuse(permutation,
                absl::StrCat("takes ", permutation.gang, " workers at once; queue ", target.queue,
                             " has ", slots, permutation.nodes.empty() ? "" : " on its nodes"));
}

}  // namespace

Status CheckPlacement(const std::vector<Permutation>& permutations, const Target& target) {
  if (target.workers.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no worker of queue ", target.queue,
                     " is connected and takes jobs; start some, or let the ",
                     "jobs wait for them with --unchecked"));
  }
  for (const Permutation& permutation : permutations) {
    if (Status status = CheckOne(permutation, target); !status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<std::string> NodesOf(const std::vector<Worker>& workers) {
  std::set<std::string> nodes;
  for (const Worker& worker : workers) nodes.insert(worker.node);
  return {nodes.begin(), nodes.end()};
}

}  // namespace twofold::run
