#include "cli/local/plan.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include "lib/common/distribution.h"
#include "lib/common/options.h"

namespace twofold::local {
namespace {

const std::string kPrefix(kNamePrefix);
constexpr int kFirstClientPort = 9996;  // further clients count down from it

std::string Loopback(int port) { return absl::StrCat("127.0.0.1:", port); }

using Arguments = std::vector<std::string>;

struct QueuePlan {
  std::string name;
  Arguments workload;  ///< of its workers: {"sleep", "0.2"}
};

// `otherwise` is the workload of queues without a time.
Result<QueuePlan> ParseQueue(const std::string& text, const Arguments& otherwise) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  std::string problem = CheckQueueName(name);
  if (problem.empty() && equals == std::string::npos && !otherwise.empty()) {
    return QueuePlan{name, otherwise};
  }
  const std::string time = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (problem.empty()) problem = std::string(Distribution::Parse(time).status().message());
  if (problem.empty()) return QueuePlan{name, {"sleep", time}};
  return absl::InvalidArgumentError(
      absl::StrCat("--queues '", text, "': ", problem,
                   " (give NAME=TIME, e.g. sleep=0.2 or sleep=exponential:0.2, or NAME and a "
                   "workload: --queues gpu -- gpu)"));
}

// The parts between commas, but a distribution keeps its own: "a=lognormal:0.1,0.5,b=1" are two.
// What is no time goes on to the comma at which it is one.
Arguments QueuesIn(const std::string& text) {
  Arguments queues;
  for (const std::string& part : Arguments(absl::StrSplit(text, ','))) {
    const std::size_t equals = queues.empty() ? std::string::npos : queues.back().find('=');
    const bool goes_on = equals != std::string::npos && part.find('=') == std::string::npos &&
                         queues.back().find(':', equals) != std::string::npos &&
                         !Distribution::Parse(queues.back().substr(equals + 1)).ok();
    if (goes_on) {
      absl::StrAppend(&queues.back(), ",", part);
    } else {
      queues.push_back(part);
    }
  }
  return queues;
}

Result<std::vector<QueuePlan>> ParseQueues(const ClusterOptions& options) {
  std::vector<QueuePlan> queues;
  std::set<std::string> names;
  for (const std::string& part : QueuesIn(options.queues)) {
    Result<QueuePlan> queue = ParseQueue(part, options.workload);
    if (!queue.ok()) return queue.status();
    if (!names.insert(queue->name).second) {
      return absl::InvalidArgumentError(absl::StrCat("--queues names '", queue->name, "' twice"));
    }
    queues.push_back(*queue);
  }
  const bool is_for_somebody =
      options.workload.empty() ||
      std::any_of(queues.begin(), queues.end(),
                  [&](const QueuePlan& queue) { return queue.workload == options.workload; });
  if (is_for_somebody) return queues;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", options.workload[0], "' is for no queue: --queues names none without =TIME"));
}

Status CheckStore(const ClusterOptions& options) {
  const bool is_given = !options.store.empty() || !options.store_file.empty();
  if (options.postgres && is_given) {
    return absl::InvalidArgumentError(
        "--postgres is a store of the cluster's own: give no --store or --store-file with it");
  }
  const bool can_be_shared =
      options.postgres || (is_given && !std::string_view(options.store).starts_with("sqlite:"));
  if (options.frontends == 1 || can_be_shared) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--frontends ", options.frontends,
      ": several frontends share a PostgreSQL database. --postgres brings one; --store "
      "postgresql://... or --store-file names one"));
}

Arguments StoreArguments(const ClusterOptions& options) {
  if (options.postgres) return {"--store", "{store}"};
  if (!options.store.empty()) return {"--store", options.store};
  if (!options.store_file.empty()) return {"--store-file", options.store_file};
  return {};
}

// The first has the standard ports, or the only one; the others have free ones.
DeploymentSpec Frontend(const ClusterOptions& options, Arguments arguments, bool is_first = true) {
  const bool is_free = options.free_ports || !is_first;
  const auto port = [&](int standard) { return Loopback(is_free ? 0 : standard); };
  return {kFrontendName,
          Kind::kFrontend,
          "",
          1,
          "twofold-frontend",
          {{"client", port(9997)}, {"http", port(9998)}, {"worker", port(9999)}},
          std::move(arguments)};
}

std::vector<DeploymentSpec> Frontends(const ClusterOptions& options, const Arguments& queues) {
  std::vector<DeploymentSpec> frontends;
  for (int number = 1; number <= options.frontends; ++number) {
    Arguments arguments = StoreArguments(options);
    const std::string name = absl::StrCat("frontend-", number);
    if (options.frontends > 1) arguments.insert(arguments.end(), {"--name", name});
    if (options.ttl_seconds > 0) {
      arguments.insert(arguments.end(), {"--ttl", absl::StrFormat("%g", options.ttl_seconds)});
    }
    for (const std::string& shards : options.shards) {
      arguments.insert(arguments.end(), {"--shards", shards});
    }
    arguments.insert(arguments.end(), queues.begin(), queues.end());
    frontends.push_back(Frontend(options, std::move(arguments), number == 1));
    if (options.frontends > 1) frontends.back().name = kPrefix + name;
  }
  return frontends;
}

// A worker that is told to end hands its job back before we lose patience and kill it.
std::string DrainLimit(const ClusterOptions& options) {
  return absl::StrFormat("%g", options.grace_seconds * 0.8);
}

DeploymentSpec Backend(const ClusterOptions& options, const std::string& queue,
                       const Arguments& workload, const Arguments& more = {}) {
  DeploymentSpec spec{absl::StrCat(kPrefix, "backend-", queue),
                      Kind::kBackend,
                      queue,
                      options.replicas,
                      "twofold-backend",
                      {},
                      {"--frontend", "{worker}", "--queue", queue, "--backoff", "2",
                       "--drain-limit", DrainLimit(options), "--pod-env", "TWOFOLD_POD"}};
  spec.arguments.insert(spec.arguments.end(), more.begin(), more.end());
  spec.arguments.insert(spec.arguments.end(), options.allow.begin(), options.allow.end());
  spec.arguments.emplace_back("--");
  spec.arguments.insert(spec.arguments.end(), workload.begin(), workload.end());
  return spec;
}

DeploymentSpec Client(const ClusterOptions& options, const QueuePlan& queue, int index) {
  const int port = options.free_ports ? 0 : kFirstClientPort - index;
  return {absl::StrCat(kPrefix, "client-", queue.name),
          Kind::kClient,
          queue.name,
          1,
          "twofold-client",
          {{"http", Loopback(port)}},
          {"--frontend", "{client}", "--queue", queue.name}};
}

Result<std::vector<DeploymentSpec>> PlanOfQueues(const ClusterOptions& options) {
  const Result<std::vector<QueuePlan>> queues = ParseQueues(options);
  if (!queues.ok()) return queues.status();
  if (Status status = CheckStore(options); !status.ok()) return status;
  Arguments names;
  for (const QueuePlan& queue : *queues) names.push_back(queue.name);
  std::vector<DeploymentSpec> plan = Frontends(options, names);
  for (std::size_t i = 0; i < queues->size(); ++i) {
    const QueuePlan& queue = queues->at(i);
    plan.push_back(Backend(options, queue.name, queue.workload));
    plan.push_back(Client(options, queue, static_cast<int>(i)));
  }
  return plan;
}

Result<std::vector<DeploymentSpec>> PlanOfRun(const ClusterOptions& options,
                                              const RunCluster& run) {
  return std::vector<DeploymentSpec>{
      Frontend(options, {"--store", "sqlite:" + run.store, "--keep-finished-for", "0",
                         "--keep-finished", "0", run.queue}),
      Backend(options, run.queue, run.workload, {"--label", run.label})};
}

std::vector<DeploymentSpec> PlanOfLoad(const ClusterOptions& options, const LoadCluster& load) {
  Arguments queues;
  for (const int slots : load.slots) queues.push_back(QueueOfSlots(slots));
  std::vector<DeploymentSpec> plan = {Frontend(options, queues)};
  for (const int slots : load.slots) {
    plan.push_back(
        Backend(options, QueueOfSlots(slots), load.workload, {"--slots", std::to_string(slots)}));
  }
  return plan;
}

Result<std::vector<DeploymentSpec>> PlanOf(const ClusterOptions& options) {
  if (options.run) return PlanOfRun(options, *options.run);
  if (options.load) return PlanOfLoad(options, *options.load);
  return PlanOfQueues(options);
}

}  // namespace

std::string QueueOfSlots(int slots) { return absl::StrCat("slots-", slots); }

bool IsCalled(std::string_view name, std::string_view given) {
  return name == given ||
         (name.starts_with(kNamePrefix) && name.substr(kNamePrefix.size()) == given);
}

std::string ToString(Kind kind) {
  static constexpr std::array<const char*, 4> kNames = {"database", "frontend", "backend",
                                                        "client"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Result<std::vector<DeploymentSpec>> MakePlan(const ClusterOptions& options) {
  auto plan = PlanOf(options);
  if (!plan.ok()) return plan;
  for (DeploymentSpec& spec : *plan) {
    spec.program = absl::StrCat(options.programs, "/", spec.program);
    if (access(spec.program.c_str(), X_OK) == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("no program ", spec.program, " (build it, or give its folder by --programs)"));
  }
  return plan;
}

}  // namespace twofold::local
