#include "lib/spec/read_options.h"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <utility>

namespace twofold::spec {
namespace {

constexpr std::uint32_t kLeastForInterval = 3;  // from two values an interval is a guess

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
  if (Status status = CheckKeys(*sweep.kind, product, path); !status.ok()) return status;
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
    if (Status status = CheckKeys(*sweep.kind, *map, path); !status.ok()) return status;
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
  constexpr std::array<std::pair<std::string_view, Order>, 3> kOrders = {
      {{"consecutive", Order::kConsecutive},
       {"interleaved", Order::kInterleaved},
       {"shuffled", Order::kShuffled}}};
  const auto* word = Get<std::string>(spec, "order");
  for (const auto& [name, order] : kOrders) {
    if (word != nullptr && *word == name) sweep.order = order;
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
  sweep.repetitions = Number(spec, "repetitions", until == nullptr ? 1 : kLeastForInterval);
  if (until == nullptr) return absl::OkStatus();
  sweep.until =
      Until{ShareOf(*Value(*until, "relativeInterval")), Number<std::uint32_t>(*until, "max", 0)};
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

}  // namespace

Status ReadOptions(const Node& spec, Sweep& sweep) {
  ReadOrder(spec, sweep);
  ReadLimits(spec, sweep);
  ReadSample(spec, sweep);
  for (const auto read : {ReadRepetitions, ReadNodes, ReadPermutations}) {
    if (Status status = read(spec, sweep); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace twofold::spec
