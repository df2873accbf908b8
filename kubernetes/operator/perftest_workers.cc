#include "kubernetes/operator/perftest_workers.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/runs/benchmark.h"
#include "kubernetes/operator/perftest_crds.h"
#include "kubernetes/operator/perftest_pods.h"
#include "kubernetes/pools/pods.h"
#include "lib/spec/permutations.h"

namespace twofold::benchmarks {
namespace {

using controller::Snapshot;
using kube::Json;
using spec::Permutation;

constexpr std::string_view kEachKind = "*";

/// Annotations of the pool that are fields of spec.workers.
constexpr std::pair<const char*, const char*> kScheduling[] = {
    {"twofold.dev/scheduling", "scheduling"}, {"twofold.dev/scheduling-queue", "schedulingQueue"}};

std::string AnnotationOf(const Json& object, const char* name) {
  const Json* all = kube::At(object, "/metadata/annotations");
  const bool has = all != nullptr && all->is_object() && all->contains(name);
  return has && (*all)[name].is_string() ? (*all)[name].get<std::string>() : "";
}

bool Lists(const Json& pool, std::string_view kind) {
  const std::vector<std::string> all = absl::StrSplit(AnnotationOf(pool, kKindsAnnotation), ',');
  return std::any_of(all.begin(), all.end(), [&](const std::string& each) {
    return std::string(absl::StripAsciiWhitespace(each)) == kind;
  });
}

Json AsKubeJson(const spec::Node* node) {
  return node == nullptr ? Json() : Json::parse(yaml::ToJson(*node).dump());
}

const spec::Node* FieldOf(const spec::Node& spec, std::string_view name) {
  const yaml::Entry* entry = yaml::Find(*yaml::AsMap(spec), name);
  return entry == nullptr ? nullptr : entry->value.get();
}

/// What of the two asks for different pods.
std::string Difference(const Permutation& a, const Permutation& b) {
  for (const Permutation* each : {&a, &b}) {
    for (const spec::Requirement& label : each->labels) {
      const Permutation& other = each == &a ? b : a;
      const bool is_there =
          std::find(other.labels.begin(), other.labels.end(), label) != other.labels.end();
      if (!is_there) return label.label;
    }
  }
  return "";
}

/// All jobs of a run have the same pods.
Status CheckAlike(const std::vector<Permutation>& permutations) {
  for (const Permutation& each : permutations) {
    const std::string field = Difference(permutations.front(), each);
    if (field.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("spec.permutations: ", field, " of permutation ", each.number,
                     " is not that of the first, and the pods are the same for all: make a set of "
                     "each"));
  }
  return absl::OkStatus();
}

bool UsesRdma(const std::string& kind, const std::vector<Permutation>& permutations) {
  const auto asks = [](const Permutation& each) {
    return each.spec.find(R"("transport":"RDMA")") != std::string::npos;
  };
  return kind.starts_with("RDMA") || std::any_of(permutations.begin(), permutations.end(), asks);
}

PodWishes WishesOf(const cli::Benchmark& benchmark) {
  const spec::Sweep& sweep = benchmark.sweep;
  const auto& permutations = benchmark.expansion.permutations;
  const std::vector<std::string> no_nodes;
  const spec::NodeRef first = yaml::Merge(
      sweep.spec, spec::Permutations(sweep, no_nodes).At(permutations.front().number - 1).fields);
  PodWishes wishes{.kind = std::string(sweep.kind->name), .suite = std::string(sweep.kind->suite)};
  wishes.labels = permutations.front().labels;
  wishes.uses_rdma = UsesRdma(wishes.kind, permutations);
  wishes.resources = AsKubeJson(FieldOf(*first, "resources"));
  wishes.claim = AsKubeJson(FieldOf(*first, "volumeClaimTemplate"));
  if (const auto* policy = FieldOf(*first, "imagePullPolicy")) {
    wishes.pull_policy = yaml::TextOf(*policy);
  }
  return wishes;
}

}  // namespace

bool IsOfPerftest(const Json& object) {
  return kube::TextAt(object, "/apiVersion").starts_with(absl::StrCat(kPerftestGroup, "/"));
}

Snapshot PoolFor(const Json& object, std::span<const Snapshot> pools) {
  const std::string kind = RunKindOf(object);
  Snapshot best;
  const auto place = [&](const Snapshot& pool) {
    return std::tuple(!Lists(*pool, kind), kube::NameOf(*pool).name);
  };
  for (const Snapshot& each : pools) {
    if (!Lists(*each, kind) && !Lists(*each, kEachKind)) continue;
    if (best == nullptr || place(each) < place(best)) best = each;
  }
  return best;
}

Result<Json> PerftestWorkers(const RunOrder& order, const Json& pool) {
  const auto benchmark = cli::ExpandBenchmark(order.object, order.definition, {});
  if (!benchmark.ok()) return benchmark.status();
  const auto& permutations = benchmark->expansion.permutations;
  if (Status alike = CheckAlike(permutations); !alike.ok()) return alike;
  const Json* pods = kube::At(pool, "/spec/template");
  Json workers = {{"template", pods == nullptr ? Json() : *pods}};
  const auto most = std::max_element(permutations.begin(), permutations.end(),
                                     [](const auto& a, const auto& b) { return a.gang < b.gang; });
  workers["replicas"] = most->gang;
  for (const auto& [annotation, field] : kScheduling) {
    const std::string value = AnnotationOf(pool, annotation);
    if (!value.empty()) workers[field] = value;
  }
  const Status done = Fulfil(WishesOf(*benchmark), pools::PoolNameFor(order.of), workers);
  if (done.ok()) return workers;
  return absl::InvalidArgumentError(
      absl::StrCat("pods by WorkerPool ", kube::NameOf(pool).name, ": ", done.message()));
}

}  // namespace twofold::benchmarks
