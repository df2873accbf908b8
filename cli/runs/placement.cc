#include "cli/runs/placement.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace twofold::run {
namespace {

using spec::Permutation;
using spec::Requirement;

bool Has(const Worker& worker, const Requirement& need) {
  const auto label = worker.labels().find(need.label);
  return label != worker.labels().end() && label->second == need.value;
}

std::string Label(const Requirement& need) { return absl::StrCat(need.label, "=", need.value); }

Status Refuse(const Permutation& permutation, const std::string& why) {
  return absl::FailedPreconditionError(absl::StrCat("permutation ", permutation.number, ": ", why));
}

std::string WhereOf(const Permutation& permutation) {
  std::vector<std::string> all;
  for (const Requirement& need : permutation.labels) all.push_back("label " + Label(need));
  if (!permutation.nodes.empty()) {
    all.push_back("node " + absl::StrJoin(permutation.nodes, " or "));
  }
  return absl::StrJoin(all, ", ");
}

bool IsOnOneOf(const std::vector<std::string>& nodes, const Worker& worker) {
  return nodes.empty() || std::find(nodes.begin(), nodes.end(), worker.node()) != nodes.end();
}

// What nobody has, or that nobody has all of it.
Status RefusePlace(const Permutation& permutation, const Target& target) {
  const auto none = [&](const auto& has) {
    return std::none_of(target.workers.begin(), target.workers.end(), has);
  };
  for (const Requirement& need : permutation.labels) {
    if (!none([&](const Worker& worker) { return Has(worker, need); })) continue;
    return Refuse(permutation,
                  absl::StrCat("needs workers with the label ", Label(need), "; none of the ",
                               target.workers.size(), " of queue ", target.queue, " has it"));
  }
  return Refuse(permutation, absl::StrCat("no worker of queue ", target.queue,
                                          " has all of it: ", WhereOf(permutation)));
}

Status CheckNodes(const Permutation& permutation, const Target& target,
                  const std::vector<Worker>& suitable) {
  const std::vector<std::string> nodes = NodesOf(suitable);
  for (const std::string& node : permutation.nodes) {
    if (std::binary_search(nodes.begin(), nodes.end(), node)) continue;
    return Refuse(permutation,
                  absl::StrCat("no worker of queue ", target.queue, " is on node ", node,
                               permutation.labels.empty() ? "" : " and has the labels"));
  }
  return absl::OkStatus();
}

Status CheckOne(const Permutation& permutation, const Target& target) {
  const std::vector<Worker> suitable = SuitableFor(permutation, target.workers);
  if (suitable.empty() && !permutation.labels.empty()) return RefusePlace(permutation, target);
  if (Status status = CheckNodes(permutation, target, suitable); !status.ok()) return status;
  std::uint64_t slots = 0;
  for (const Worker& worker : suitable) slots += worker.slots();
  if (slots >= static_cast<std::uint64_t>(permutation.gang)) return absl::OkStatus();
  const std::string where = WhereOf(permutation);
  return Refuse(permutation,
                absl::StrCat("takes ", permutation.gang, " workers at once; queue ", target.queue,
                             " has ", slots, where.empty() ? "" : " with " + where));
}

}  // namespace

std::vector<Worker> SuitableFor(const Permutation& permutation,
                                const std::vector<Worker>& workers) {
  std::vector<Worker> suitable;
  std::copy_if(workers.begin(), workers.end(), std::back_inserter(suitable),
               [&](const Worker& worker) {
                 return IsOnOneOf(permutation.nodes, worker) &&
                        std::all_of(permutation.labels.begin(), permutation.labels.end(),
                                    [&](const Requirement& need) { return Has(worker, need); });
               });
  return suitable;
}

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

Result<std::vector<Worker>> WorkersOf(const cli::Frontend& frontend, const std::string& queue) {
  v1::WorkersRequest request;
  request.set_queue(queue);
  const auto reply = frontend.ListWorkers(request);
  if (!reply.ok()) return reply.status();
  std::vector<Worker> workers;
  std::copy_if(reply->workers().begin(), reply->workers().end(), std::back_inserter(workers),
               [](const Worker& worker) {
                 return worker.connected() && !worker.silent() && !worker.paused() &&
                        !worker.draining();
               });
  return workers;
}

Result<std::optional<std::vector<Worker>>> WorkersIfListed(const cli::Frontend& frontend,
                                                           const std::string& queue) {
  auto workers = WorkersOf(frontend, queue);
  if (absl::IsPermissionDenied(workers.status())) return std::nullopt;
  if (!workers.ok()) return workers.status();
  return *std::move(workers);
}

bool CanSpread(const std::vector<spec::Permutation>& permutations,
               const std::vector<Worker>& workers) {
  return std::all_of(permutations.begin(), permutations.end(), [&](const spec::Permutation& one) {
    const auto nodes = NodesOf(SuitableFor(one, workers));
    return static_cast<std::int64_t>(nodes.size()) >= one.gang;
  });
}

std::vector<std::string> NodesOf(const std::vector<Worker>& workers) {
  std::set<std::string> nodes;
  for (const Worker& worker : workers) nodes.insert(worker.node());
  return {nodes.begin(), nodes.end()};
}

}  // namespace twofold::run
