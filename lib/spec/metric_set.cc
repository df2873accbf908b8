#include "lib/spec/metric_set.h"

#include <absl/strings/str_split.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "lib/spec/schema.h"

namespace twofold::spec {
namespace {

using Notes = std::vector<std::string>;

constexpr std::string_view kGroup = "flux-framework.org/";
constexpr std::string_view kMetricSet = "MetricSet";

NodeRef ValueIn(const Node* map, std::string_view key) {
  const Map* entries = map == nullptr ? nullptr : AsMap(*map);
  const Entry* entry = entries == nullptr ? nullptr : Find(*entries, key);
  return entry == nullptr || IsNull(*entry->value) ? nullptr : entry->value;
}

/// A scalar as text, whether it was written as a number or not; `otherwise`: it is not written.
std::string TextIn(const Node* map, std::string_view key, std::string otherwise = "") {
  const NodeRef value = ValueIn(map, key);
  return value == nullptr ? otherwise : yaml::TextOf(*value);
}

std::int64_t WholeIn(const Node* map, std::string_view key, std::int64_t otherwise) {
  const auto value = yaml::PlainScalar(TextIn(map, key));
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole == nullptr ? otherwise : *whole;
}

bool IsYes(const std::string& word) { return word == "yes" || word == "true"; }

/// One metric of a set.
struct Metric {
  const Node& set;  ///< the spec
  const Node& metric;
  std::int64_t pods;

  [[nodiscard]] NodeRef options() const { return ValueIn(&metric, "options"); }
};

// ---- network-osu-benchmark

/// Of theirs without a meaning here: members of a job find each other through the frontend, and
/// workers are placed where they are.
constexpr const char* kOsuIgnored[] = {"sleep", "soleTenancy"};

Json OsuSpec(const Metric& metric, Notes& notes) {
  const NodeRef options = metric.options();
  Json spec = Json::object();
  const NodeRef lists = ValueIn(&metric.metric, "listOptions");
  if (const NodeRef commands = ValueIn(lists.get(), "commands")) {
    spec["tests"] = yaml::ToJson(*commands);
  }
  std::int64_t ranks = WholeIn(options.get(), "tasks", 0);
  if (ranks <= 0) {
    ranks = std::max<std::int64_t>(metric.pods, 2);
    notes.push_back(fmt::format(
        "one rank a pod, {} in all: without `tasks` it would be one for each core of the launcher",
        ranks));
  }
  spec["ranks"] = ranks;
  spec["ranksPerNode"] = std::max<std::int64_t>((ranks + metric.pods - 1) / metric.pods, 1);
  if (const std::string flags = TextIn(options.get(), "flags"); !flags.empty()) {
    spec["mpirunArgs"] =
        std::vector<std::string>(absl::StrSplit(flags, ' ', absl::SkipWhitespace()));
    notes.emplace_back("`flags` replace all of mpirun's there, and are added to ours here");
  }
  if (IsYes(TextIn(options.get(), "all"))) {
    notes.emplace_back("`all`: list the tests; without a list there are nine");
  }
  for (const char* option : kOsuIgnored) {
    if (ValueIn(options.get(), option) == nullptr) continue;
    notes.push_back(fmt::format("`{}` changes nothing", option));
  }
  return spec;
}

// ---- io-fio

/// What metrics-operator runs fio with, whatever a set says.
Json FioSpec(const Metric& metric, Notes& notes) {
  const NodeRef options = metric.options();
  const std::string directory = TextIn(options.get(), "directory", "/tmp");
  notes.push_back(fmt::format(
      "workers need --allow-path {0}, and the volume of the test there if it has one", directory));
  notes.emplace_back(
      "fio reads and writes the size over and over for `runtime`, 30 s, where it ended after once");
  return {{"rw", "randrw"},
          {"rwmixread", 75},
          {"direct", 1},
          {"ioengine", "libaio"},
          {"bs", TextIn(options.get(), "blocksize", "4k")},
          {"iodepth", WholeIn(options.get(), "iodepth", 64)},
          {"size", TextIn(options.get(), "size", "4G")},
          {"directory", directory},
          {"numWorkers", metric.pods}};
}

// ---- all metrics

struct Known {
  std::string_view metric;
  std::string_view kind;
  Json (*spec)(const Metric& metric, Notes& notes);
};
constexpr Known kKnown[] = {{"network-osu-benchmark", "OSU", OsuSpec}, {"io-fio", "Fio", FioSpec}};

Result<const Known*> KnownOf(const Node& metric) {
  const std::string name = TextIn(&metric, "name");
  for (const Known& known : kKnown) {
    if (known.metric == name) return &known;
  }
  return Fault(metric.place, "spec.metrics",
               fmt::format("'{}' has no kind here; known: {}, {}", name, kKnown[0].metric,
                           kKnown[1].metric));
}

/// What is asked of pods becomes what is asked of workers.
void AddPods(const Metric& metric, Json& spec, Notes& notes) {
  for (const Node* owner : {&metric.set, &metric.metric}) {
    if (const NodeRef resources = ValueIn(owner, "resources")) {
      spec["resources"] = yaml::ToJson(*resources);
    }
  }
  if (const std::string image = TextIn(&metric.metric, "image"); !image.empty()) {
    spec["image"] = image;
  }
  if (spec.contains("resources") || spec.contains("image")) {
    notes.emplace_back("no pods are made: resources and image are labels that workers must have");
  }
  for (const auto& [owner, key] :
       {std::pair(&metric.set, "pod"), std::pair(&metric.set, "logging"),
        std::pair(&metric.metric, "addons"), std::pair(&metric.metric, "attributes")}) {
    if (ValueIn(owner, key) != nullptr) notes.push_back(fmt::format("`{}` is left out", key));
  }
}

Result<Converted> BenchmarkOf(const Metric& metric, const std::string& name) {
  const auto known = KnownOf(metric.metric);
  if (!known.ok()) return known.status();
  Converted converted;
  Json spec = (*known)->spec(metric, converted.notes);
  AddPods(metric, spec, converted.notes);
  Json outer = {{"template", {{"kind", (*known)->kind}, {"spec", std::move(spec)}}}};
  const std::int64_t deadline = WholeIn(&metric.set, "deadlineSeconds", 0);
  if (deadline > 0) outer["activeDeadlineSeconds"] = deadline;
  converted.object = {{"apiVersion", kObjectVersion},
                      {"kind", kBenchmark},
                      {"metadata", {{"name", name}}},
                      {"spec", std::move(outer)}};
  return converted;
}

}  // namespace

bool IsMetricSet(const Node& document) {
  return TextIn(&document, "apiVersion").starts_with(kGroup) &&
         TextIn(&document, "kind") == kMetricSet;
}

Result<std::vector<Converted>> FromMetricSet(const Node& document) {
  const NodeRef spec = ValueIn(&document, "spec");
  const NodeRef metrics = ValueIn(spec.get(), "metrics");
  const List* list = metrics == nullptr ? nullptr : AsList(*metrics);
  if (list == nullptr || list->empty()) {
    return Fault(document.place, "spec.metrics", "must be a list of metrics");
  }
  const NodeRef metadata = ValueIn(&document, "metadata");
  const std::string name = ObjectName(TextIn(metadata.get(), "name"));
  const std::int64_t pods = std::max<std::int64_t>(WholeIn(spec.get(), "pods", 1), 1);
  std::vector<Converted> all;
  for (const NodeRef& metric : *list) {
    const std::string own =
        list->size() == 1 ? name : fmt::format("{}-{}", name, TextIn(metric.get(), "name"));
    auto converted = BenchmarkOf({*spec, *metric, pods}, ObjectName(own));
    if (!converted.ok()) return converted.status();
    all.push_back(*std::move(converted));
  }
  return all;
}

}  // namespace twofold::spec
