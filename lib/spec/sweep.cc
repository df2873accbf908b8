#include "lib/spec/sweep.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "lib/spec/object.h"
#include "lib/spec/schema.h"
#include "lib/stats/repetitions.h"

namespace twofold::spec {
namespace {

// ---- beside the template

template <typename T>
T Number(const Node& map, std::string_view key, T otherwise) {
  const auto* value = Get<std::int64_t>(map, key);
  return value == nullptr ? otherwise : static_cast<T>(*value);
}

// The value under `key`, nullptr if it is not given.
const Node* Value(const Node& map, std::string_view key) {
  const Entry* entry = Find(*AsMap(map), key);
  return entry == nullptr || IsNull(*entry->value) ? nullptr : entry->value.get();
}

double Seconds(const Node& map, std::string_view key) {
  const Node* time = Value(map, key);
  return time == nullptr ? 0 : SecondsOf(*time);
}

Status ReadProduct(const Map& product, Sweep& sweep) {
  const std::string path = "spec.permutations.product";
  if (Status status = CheckKeys(product, sweep.kind->fields, path); !status.ok()) return status;
  for (const Entry& entry : product) {
    const List* values = AsList(*entry.value);
    if (values == nullptr) {
      return Fault(entry.value->place, Join(path, entry.key),
                   fmt::format("must be a list of values, is {}", TypeName(*entry.value)));
    }
    if (values->empty()) {
      return Fault(entry.value->place, Join(path, entry.key),
                   "an empty list leaves nothing to run: give values or remove the field");
    }
    sweep.product.push_back({entry});
  }
  return absl::OkStatus();
}

Status ReadListed(const List& listed, Sweep& sweep) {
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const std::string path = fmt::format("spec.permutations.explicit[{}]", i);
    const Map* map = AsMap(*listed[i]);
    if (map == nullptr) {
      return Fault(listed[i]->place, path,
                   fmt::format("must be a map of fields, is {}", TypeName(*listed[i])));
    }
    if (Status status = CheckKeys(*map, sweep.kind->fields, path); !status.ok()) return status;
    sweep.listed.push_back(listed[i]);
  }
  return absl::OkStatus();
}

Status ReadPermutations(const Node& spec, Sweep& sweep) {
  const Node* permutations = Value(spec, "permutations");
  if (permutations == nullptr) return absl::OkStatus();
  sweep.place = permutations->place;
  if (const auto* product = Get<Map>(*permutations, "product")) {
    if (Status status = ReadProduct(*product, sweep); !status.ok()) return status;
  }
  const auto* listed = Get<List>(*permutations, "explicit");
  return listed == nullptr ? absl::OkStatus() : ReadListed(*listed, sweep);
}

void ReadOrder(const Node& spec, Sweep& sweep) {
  if (const auto* word = Get<std::string>(spec, "order")) {
    const auto* found = std::find(kOrderNames.begin(), kOrderNames.end(), *word);
    sweep.order = static_cast<Order>(found - kOrderNames.begin());
  }
  sweep.seed = Number(spec, "seed", sweep.seed);
}

void ReadLimits(const Node& spec, Sweep& sweep) {
  sweep.max_parallel = Number(spec, "maxParallel", sweep.max_parallel);
  const Node* fail_fast = Value(spec, "failFast");
  sweep.fail_fast = fail_fast != nullptr && IsTrue(*fail_fast);
  if (const Node* limits = Value(spec, "timeLimits")) {
    sweep.job_limit_seconds = Seconds(*limits, "job");
    sweep.run_limit_seconds = Seconds(*limits, "run");
  }
}

Status ReadRepetitions(const Node& spec, Sweep& sweep) {
  const Node* until = Value(spec, "until");
  sweep.warmup = Number(spec, "warmup", sweep.warmup);
  sweep.repetitions = Number(spec, "repetitions", std::uint32_t{1});
  if (until == nullptr) return absl::OkStatus();
  sweep.until =
      Until{ShareOf(*Value(*until, "relativeInterval")), Number<std::uint32_t>(*until, "max", 0)};
  constexpr std::uint32_t kLeast = stats::kLeastForLooks;
  sweep.repetitions = Number(spec, "repetitions", std::min(kLeast, sweep.until->most));
  if (sweep.repetitions < 2) {
    return Fault(Value(spec, "repetitions")->place, "spec.repetitions",
                 "must be 2 or more with until: one value has no interval");
  }
  if (sweep.until->most < sweep.repetitions) {
    return Fault(Value(*until, "max")->place, "spec.until.max",
                 fmt::format("{} is less than the {} repetitions that are run anyway",
                             sweep.until->most, sweep.repetitions));
  }
  return absl::OkStatus();
}

Status ReadNodes(const Node& spec, Sweep& sweep) {
  const Node* nodes = Value(spec, "nodes");
  if (nodes == nullptr) return absl::OkStatus();
  NodeChoice choice;
  for (const NodeRef& name : *Get<List>(*nodes, "select")) {
    choice.select.push_back(std::get<std::string>(name->value));
  }
  choice.combinations = Number(*nodes, "combinations", choice.combinations);
  choice.place = nodes->place;
  if (choice.select.empty()) {
    return Fault(Value(*nodes, "select")->place, "spec.nodes.select",
                 "an empty list leaves nothing to run: name nodes, or write '*'");
  }
  sweep.nodes = std::move(choice);
  return absl::OkStatus();
}

void ReadSample(const Node& spec, Sweep& sweep) {
  const Node* sample = Value(spec, "sample");
  if (sample == nullptr) return;
  sweep.sample = Sample{Number<std::uint64_t>(*sample, "count", 0),
                        Number<std::uint64_t>(*sample, "seed", 1), sample->place};
}

// Fills in what the spec of a BenchmarkSet says beside its template: what is varied, how often, in
// which order. `spec` has been checked against SetFields; sweep.kind is known.
Status ReadOptions(const Node& spec, Sweep& sweep) {
  ReadOrder(spec, sweep);
  ReadLimits(spec, sweep);
  ReadSample(spec, sweep);
  for (const auto read : {ReadRepetitions, ReadNodes, ReadPermutations}) {
    if (Status status = read(spec, sweep); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// ---- the file

const Entry& EntryOf(const Node& map, std::string_view key) { return *Find(*AsMap(map), key); }

// `also`: what else is known there, for the message.
Status CheckVersion(const Node& object, const std::string& path,
                    std::initializer_list<std::string_view> also = {}) {
  const auto* version = Get<std::string>(object, "apiVersion");
  if (version == nullptr) return absl::OkStatus();
  if (std::find(kApiVersions.begin(), kApiVersions.end(), *version) != kApiVersions.end()) {
    return absl::OkStatus();
  }
  std::vector<std::string_view> known(kApiVersions.begin(), kApiVersions.end());
  known.insert(known.end(), also);
  return Fault(EntryOf(object, "apiVersion").value->place, Join(path, "apiVersion"),
               fmt::format("'{}' is not known, only {}", *version, fmt::join(known, ", ")));
}

// `also`: what else may stand there, for the hint.
Result<const Kind*> KindOf(std::span<const Kind> kinds, const Node& object, const std::string& path,
                           std::string_view also = {}) {
  const auto kind = FindKind(kinds, *Get<std::string>(object, "kind"), also);
  if (kind.ok()) return kind;
  return Fault(EntryOf(object, "kind").value->place, Join(path, "kind"),
               std::string(kind.status().message()));
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         name.find_first_not_of(kNameCharacters) == std::string_view::npos;
}

// Kubernetes appends what makes the name unique; here the run's id does that.
Result<std::string> GeneratedNameOf(const Node& metadata) {
  const auto* prefix = Get<std::string>(metadata, "generateName");
  std::string name = prefix == nullptr ? "" : *prefix;
  while (name.ends_with('-')) name.pop_back();
  if (IsName(name)) return name;
  return Fault(Find(*AsMap(metadata), "generateName")->value->place, "metadata.generateName",
               "must begin with letters or digits, with '-', '_' and '.' among them");
}

Result<std::string> NameOf(const Node& object) {
  const Node& metadata = *EntryOf(object, "metadata").value;
  const Entry* entry = Find(*AsMap(metadata), "name");
  const auto* name = Get<std::string>(metadata, "name");
  if (entry == nullptr && Find(*AsMap(metadata), "generateName") != nullptr) {
    return GeneratedNameOf(metadata);
  }
  if (name == nullptr) {
    return Fault(entry == nullptr ? metadata.place : entry->value->place, "metadata.name",
                 entry == nullptr ? "is missing" : "must be text");
  }
  if (!IsName(*name)) {
    return Fault(entry->value->place, "metadata.name",
                 "must be 1 to 253 letters, digits, '-', '_' and '.'");
  }
  return *name;
}

// What metadata says beside the name; empty, also for null: nothing. Numbers are words, too:
// `runid: 7`.
Result<std::string> WordOf(const Node& object, const std::string& key) {
  const Entry* entry = Find(*AsMap(*EntryOf(object, "metadata").value), key);
  if (entry == nullptr || IsNull(*entry->value)) return "";
  const Node& word = *entry->value;
  const bool is_word = std::holds_alternative<std::int64_t>(word.value) ||
                       std::holds_alternative<std::string>(word.value);
  if (is_word) return yaml::TextOf(word);
  return Fault(word.place, Join("metadata", key), "must be text or a whole number");
}

Status ReadMetadata(const Node& object, Sweep& sweep) {
  for (const auto& [word, read] :
       {std::pair(&sweep.name, NameOf(object)), std::pair(&sweep.run_id, WordOf(object, "runid")),
        std::pair(&sweep.queue, WordOf(object, "queue"))}) {
    if (!read.ok()) return read.status();
    *word = *read;
  }
  if (sweep.run_id == kNoRunId) sweep.run_id.clear();
  return absl::OkStatus();
}

NodeRef SpecOf(const Node& object) {
  const Entry* entry = Find(*AsMap(object), "spec");
  if (entry != nullptr && !IsNull(*entry->value)) return entry->value;
  return std::make_shared<const Node>(Node{Map(), object.place});
}

Status ReadSet(std::span<const Kind> kinds, const NodeRef& spec, Sweep& sweep) {
  if (Status status = CheckFields(*spec, SetFields(), "spec"); !status.ok()) return status;
  const Node& benchmark = *EntryOf(*spec, "template").value;
  if (Status status = CheckVersion(benchmark, "spec.template"); !status.ok()) return status;
  auto kind = KindOf(kinds, benchmark, "spec.template");
  if (!kind.ok()) return kind.status();
  sweep.kind = *kind;
  sweep.spec = SpecOf(benchmark);
  sweep.place = spec->place;
  Status status = CheckKeys(*AsMap(*sweep.spec), sweep.kind->fields, "spec.template.spec");
  if (!status.ok()) return status;
  return ReadOptions(*spec, sweep);
}

Status ReadOne(std::span<const Kind> kinds, const NodeRef& object, Sweep& sweep) {
  auto kind = KindOf(kinds, *object, "", kBenchmarkSet);
  if (!kind.ok()) return kind.status();
  sweep.kind = *kind;
  sweep.spec = SpecOf(*object);
  sweep.place = object->place;
  return CheckKeys(*AsMap(*sweep.spec), sweep.kind->fields, "spec");
}

Status ReadDocument(std::span<const Kind> kinds, const NodeRef& document, Sweep& sweep) {
  if (Status status = ReadMetadata(*document, sweep); !status.ok()) return status;
  const bool set = *Get<std::string>(*document, "kind") == kBenchmarkSet;
  return set ? ReadSet(kinds, SpecOf(*document), sweep) : ReadOne(kinds, document, sweep);
}

// Runs it once, now. Whatever else it asks for is about the object.
Status ReadObject(const NodeRef& object, std::span<const Kind> kinds, Sweep& sweep) {
  const auto set = SetOf(object, kinds);
  if (!set.ok()) return set.status();
  if (Status status = ReadDocument(kinds, *set, sweep); !status.ok()) return status;
  const double deadline = DeadlineOf(*object);
  const bool is_sooner = sweep.run_limit_seconds == 0 || deadline < sweep.run_limit_seconds;
  if (deadline > 0 && is_sooner) sweep.run_limit_seconds = deadline;
  return absl::OkStatus();
}

Status ReadFile(const std::string& text, std::span<const Kind> kinds, const Limits& limits,
                Sweep& sweep) {
  const auto root = yaml::ParseDocument(text, limits);
  if (!root.ok()) return root.status();
  if (Status status = CheckFields(**root, ObjectFields(), ""); !status.ok()) return status;
  if (IsObject(**root)) return ReadObject(*root, kinds, sweep);
  if (Status status = CheckVersion(**root, "", {kObjectVersion}); !status.ok()) return status;
  return ReadDocument(kinds, *root, sweep);
}

}  // namespace

UntilVerdict Judge(const Until& until, std::uint32_t least, std::span<const double> headlines,
                   std::uint32_t failed) {
  UntilVerdict verdict;
  verdict.relative_interval = stats::IntervalOfLooks(headlines).Relative();
  const std::size_t needed = std::max<std::size_t>(least, stats::kLeastForLooks);
  if (headlines.size() >= needed && verdict.relative_interval <= until.relative_interval) {
    verdict.next = Next::kNarrow;
  } else if (headlines.size() + failed >= until.most) {
    verdict.next = Next::kMost;
  }
  return verdict;
}

Result<Sweep> ReadSweep(const std::string& file, const std::string& text,
                        std::span<const Kind> kinds, const Limits& limits) {
  Sweep sweep;
  sweep.file = file;
  if (Status status = ReadFile(text, kinds, limits, sweep); !status.ok())
    return yaml::InFile(file, status);
  return sweep;
}

}  // namespace twofold::spec
