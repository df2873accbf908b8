#include "lib/spec/expansion.h"

#include <spdlog/fmt/fmt.h>

#include <numeric>
#include <utility>

#include "lib/spec/permutations.h"

namespace twofold::spec {
namespace {

// ---- permutations

constexpr std::size_t kLongestValues = 300;  // in messages

using Indices = std::vector<std::uint64_t>;

std::string CountText(std::uint64_t count) {
  return count >= kTooMany ? "more than 9000000000000000000" : fmt::format("{}", count);
}

// Which permutations to make, by index.
Result<Indices> Choose(const Sweep& sweep, std::uint64_t count, const Limits& limits) {
  if (sweep.sample && sweep.sample->count > count) {
    return Fault(
        sweep.sample->place, "spec.sample.count",
        fmt::format("{} of {} permutations: there are not so many", sweep.sample->count, count));
  }
  const std::uint64_t chosen = sweep.sample ? sweep.sample->count : count;
  if (chosen > limits.permutations || count >= kTooMany) {
    return Fault(sweep.place, "spec.permutations",
                 fmt::format("{} permutations, at most {} are allowed: vary less, or sample",
                             CountText(sweep.sample ? chosen : count), limits.permutations));
  }
  Indices indices(chosen);
  std::iota(indices.begin(), indices.end(), std::uint64_t{0});
  if (!sweep.sample) return indices;
  Random random(sweep.sample->seed);
  return SampleOf(count, chosen, random);
}

// How many jobs `permutations` can come to.
std::uint64_t MostJobs(const Sweep& sweep, std::uint64_t permutations) {
  const std::uint64_t measured = sweep.until ? sweep.until->most : sweep.repetitions;
  return Times(permutations, measured + sweep.warmup);
}

Status CheckJobs(const Sweep& sweep, std::uint64_t permutations, const Limits& limits) {
  const std::uint64_t jobs = MostJobs(sweep, permutations);
  if (jobs <= limits.jobs) return absl::OkStatus();
  return Fault(sweep.place, "spec.repetitions",
               fmt::format("{} permutations come to {} jobs, at most {} are allowed", permutations,
                           CountText(jobs), limits.jobs));
}

Status CheckGang(const Sweep& sweep, const Permutation& permutation) {
  if (static_cast<std::int64_t>(permutation.nodes.size()) <= permutation.gang) {
    return absl::OkStatus();
  }
  return Fault(sweep.nodes->place, "spec.nodes.combinations",
               fmt::format("{} nodes, but the job takes only {} workers", permutation.nodes.size(),
                           permutation.gang));
}

// The error of one permutation says which one it is.
Status Named(const Status& status, const Permutation& permutation) {
  std::string values;
  for (const VariedValue& varied : permutation.values) {
    values +=
        fmt::format("{} {}={}", values.empty() ? ":" : "", varied.path, yaml::ToText(varied.value));
  }
  return {status.code(), fmt::format("{} (permutation {}{})", std::string(status.message()),
                                     permutation.number, yaml::Shown(values, kLongestValues))};
}

// Where `field`, a path into `spec`, is written; the place of all of it if it is not.
Place PlaceOf(const Node& spec, std::string_view field) {
  const Entry* entry = Find(*AsMap(spec), field.substr(0, field.find('.')));
  return entry == nullptr ? spec.place : entry->value->place;
}

// How many workers a job takes; the suite knows, if it takes the spec.
Result<std::uint32_t> AskSuite(const Sweep& sweep, const Node& spec, const std::string& json) {
  auto workers = sweep.kind->check(json);
  if (workers.ok()) return workers;
  const std::string why(workers.status().message());
  return Fault(PlaceOf(spec, why.substr(0, why.find(':'))), "", why);
}

// What `merged` comes to, if it is right.
Status Fill(const Sweep& sweep, const Node& merged, Permutation& permutation) {
  if (Status status = CheckSpec(*sweep.kind, merged); !status.ok()) return status;
  permutation.spec = yaml::ToText(SuiteSpec(*sweep.kind, merged));
  permutation.labels = Requirements(*sweep.kind, merged);
  const auto workers = AskSuite(sweep, merged, permutation.spec);
  if (!workers.ok()) return workers.status();
  permutation.gang = *workers;
  return CheckGang(sweep, permutation);
}

void AddValues(const Node& varied, const Node& merged, const std::string& path,
               std::vector<VariedValue>& values) {
  const Map* fields = AsMap(varied);
  const Map* known = AsMap(merged);
  if (fields == nullptr || known == nullptr) {
    const bool is_inside = path.find('.') != std::string::npos;  // a free map
    values.push_back({path, is_inside ? yaml::ToJsonAsWritten(merged) : ToJson(merged)});
    return;
  }
  static const Node kNotGiven;
  for (const Entry& entry : *fields) {
    const Entry* value = Find(*known, entry.key);
    AddValues(*entry.value, value == nullptr ? kNotGiven : *value->value, Join(path, entry.key),
              values);
  }
}

// What the fields that `variation` sets have become in `merged`, with the path to each inside maps;
// then the nodes, if it has any.
std::vector<VariedValue> ValuesOf(const Variation& variation, const Node& merged) {
  std::vector<VariedValue> values;
  AddValues(*variation.fields, merged, "", values);
  if (!variation.nodes.empty()) values.push_back({"nodes", variation.nodes});
  return values;
}

Result<Permutation> Make(const Sweep& sweep, const Variation& variation, std::uint64_t number) {
  const NodeRef merged = Merge(sweep.spec, variation.fields);
  Permutation permutation;
  permutation.number = number;
  permutation.nodes = variation.nodes;
  permutation.values = ValuesOf(variation, *merged);
  if (Status status = Fill(sweep, *merged, permutation); !status.ok()) {
    return Named(status, permutation);
  }
  return permutation;
}

Status MakeAll(const Sweep& sweep, const Permutations& permutations, const Indices& indices,
               const ExpandOptions& options, Expansion& expansion) {
  std::size_t bytes = 0;
  for (const std::uint64_t index : indices) {
    auto made = Make(sweep, permutations.At(index), index + 1);
    if (!made.ok()) return made.status();
    bytes += made->spec.size();
    if (bytes > options.limits.spec_bytes) {
      return Fault(sweep.place, "spec.permutations",
                   fmt::format("the specs of all permutations take more than {} bytes",
                               options.limits.spec_bytes));
    }
    expansion.permutations.push_back(*std::move(made));
  }
  return absl::OkStatus();
}

Status ExpandOn(const std::vector<std::string>& nodes, const Sweep& sweep,
                const ExpandOptions& options, Expansion& expansion) {
  const Permutations permutations(sweep, nodes);
  const auto indices = Choose(sweep, permutations.Count(), options.limits);
  if (!indices.ok()) return indices.status();
  Status status = CheckJobs(sweep, indices->size(), options.limits);
  if (!status.ok()) return status;
  expansion.all_permutations = permutations.Count();
  status = MakeAll(sweep, permutations, *indices, options, expansion);
  if (!status.ok()) return status;
  expansion.jobs = JobsOf(sweep, static_cast<std::uint32_t>(indices->size()));
  expansion.most_jobs = MostJobs(sweep, indices->size());
  return absl::OkStatus();
}

// ---- jobs

using Jobs = std::vector<PlannedJob>;

void AddRepetitions(Jobs& jobs, std::uint32_t permutation, std::uint32_t count, bool warm_up) {
  for (std::uint32_t i = 1; i <= count; ++i) jobs.push_back({permutation, i, warm_up});
}

Jobs Consecutive(const Sweep& sweep, std::uint32_t permutations) {
  Jobs jobs;
  for (std::uint32_t permutation = 0; permutation < permutations; ++permutation) {
    AddRepetitions(jobs, permutation, sweep.warmup, true);
    AddRepetitions(jobs, permutation, sweep.repetitions, false);
  }
  return jobs;
}

Jobs Rounds(std::uint32_t permutations, std::uint32_t rounds, bool warm_up) {
  Jobs jobs;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    for (std::uint32_t i = 0; i < permutations; ++i) jobs.push_back({i, round, warm_up});
  }
  return jobs;
}

void Mix(Jobs& jobs, std::uint32_t permutations, Random& random) {
  Shuffle(jobs, random);
  std::vector<std::uint32_t> seen(permutations);
  for (PlannedJob& job : jobs) job.repetition = ++seen[job.permutation];
}

}  // namespace

Jobs JobsOf(const Sweep& sweep, std::uint32_t permutations) {
  if (sweep.order == Order::kConsecutive) return Consecutive(sweep, permutations);
  Jobs jobs = Rounds(permutations, sweep.warmup, true);
  Jobs measured = Rounds(permutations, sweep.repetitions, false);
  if (sweep.order == Order::kShuffled) {
    Random random(sweep.seed);
    Mix(jobs, permutations, random);
    Mix(measured, permutations, random);
  }
  jobs.insert(jobs.end(), measured.begin(), measured.end());
  return jobs;
}

std::string JobName(const std::string& name, std::uint64_t index, std::uint64_t count) {
  return fmt::format("{}-{:0{}}", name, index, fmt::formatted_size("{}", count));
}

Result<Expansion> Expand(const Sweep& sweep, const ExpandOptions& options) {
  std::vector<std::string> nodes;
  if (sweep.nodes) {
    auto selected = SelectNodes(*sweep.nodes, options.nodes);
    if (!selected.ok()) return yaml::InFile(sweep.file, selected.status());
    nodes = *std::move(selected);
  }
  Expansion expansion;
  Status status = ExpandOn(nodes, sweep, options, expansion);
  if (!status.ok()) return yaml::InFile(sweep.file, status);
  return expansion;
}

}  // namespace twofold::spec
