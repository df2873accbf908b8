#include "kubernetes/commands/nodes_options.h"

#include <absl/strings/str_cat.h>

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "kubernetes/nodes/model/names.h"
#include "lib/common/file.h"
#include "lib/common/options.h"

namespace twofold::nodes {
namespace {

constexpr std::uint32_t kMostNodes = 100'000;
constexpr std::int64_t kMostGpus = 128;  // of a node
constexpr std::size_t kMostMib = 64;     // of a file with recorded times

const char* const kTimes =
    "TIME, uniform:A-B, exp:MEAN, lognormal:MEDIAN,SIGMA or "
    "bimodal:A,B,SHARE";

Status ForOption(const std::string& option, const Status& status) {
  if (status.ok()) return status;
  return {status.code(), absl::StrCat(option, ": ", std::string(status.message()))};
}

// Sets `to` by `parse`; the error names the option.
template <typename To, typename Parse>
Status Set(To& to, const std::string& option, const std::string& text, Parse parse) {
  auto parsed = parse(text);
  if (!parsed.ok()) return ForOption(option, parsed.status());
  to = *std::move(parsed);
  return absl::OkStatus();
}

Result<Distribution> ReadRecorded(const std::string& path) {
  const auto text = ReadFile(path, kMostMib << 20);
  if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
  return Distribution::Recorded(*text);
}

Status ReadNodes(const UpOptions& options, NodeTemplate& nodes) {
  nodes.run = options.run;
  nodes.count = options.count;
  if (const Status status = ForOption("--run", CheckRunName(nodes.run)); !status.ok()) {
    return status;
  }
  std::vector<std::pair<std::string, std::string>> resources = {
      {"--cpu", "cpu=" + options.cpu}, {"--memory", "memory=" + options.memory}};
  for (const std::string& text : options.resources) resources.emplace_back("--resource", text);
  for (const auto& [option, text] : resources) {
    const auto resource = ParseResource(text);
    if (!resource.ok()) return ForOption(option, resource.status());
    nodes.capacity[resource->first] = resource->second;
  }
  if (nodes.gpus() > kMostGpus) {
    return absl::InvalidArgumentError(absl::StrCat("--resource: ", nodes.gpus(), " of ",
                                                   kGpuResource, " are more than ", kMostGpus,
                                                   " for a node"));
  }
  for (const std::string& text : options.labels) {
    const auto label = ParseLabel(text);
    if (!label.ok()) return ForOption("--label", label.status());
    nodes.labels[label->first] = label->second;
  }
  if (!options.topology.empty()) {
    const Status status = Set(nodes.topology, "--topology", options.topology, ParseTopology);
    if (!status.ok()) return status;
  }
  for (const std::string& text : options.taints) {
    const auto taint = ParseTaint(text);
    if (!taint.ok()) return ForOption("--taint", taint.status());
    nodes.taints.push_back(*taint);
  }
  return Set(nodes.gpu, "--gpu", options.gpu, FindGpu);
}

Status ReadHabits(const UpOptions& options, Habits& habits) {
  habits.seed = options.seed;
  habits.failures = options.failures;
  habits.exit_code = options.exit_code;
  habits.evictions = options.evictions;
  const bool ends = options.run_time != "never";
  if (!ends) habits.run.reset();
  struct Row {
    const char* option;
    std::string text;
    std::function<void(Distribution)> set;
    bool is_file = false;
  };
  const std::vector<Row> rows = {
      {"--start-time", options.start, [&](auto time) { habits.start = std::move(time); }},
      {"--run-time", ends ? options.run_time : "0s",
       [&](auto time) {
         if (ends) habits.run = std::move(time);
       }},
      {"--stop-time", options.stop, [&](auto time) { habits.stop = std::move(time); }},
      {"--evict-after", options.evict_after,
       [&](auto time) { habits.evict_after = std::move(time); }},
      {"--start-times", options.start_file, [&](auto time) { habits.start = std::move(time); },
       true},
      {"--run-times", options.run_file, [&](auto time) { habits.run = std::move(time); }, true},
  };
  for (const Row& row : rows) {
    if (row.is_file && row.text.empty()) continue;
    auto time = row.is_file ? ReadRecorded(row.text) : Distribution::Parse(row.text);
    if (!time.ok()) return ForOption(row.option, time.status());
    row.set(*std::move(time));
  }
  return Set(habits.utilisation, "--gpu-utilisation", options.utilisation, ParseUtilisation);
}

Status ReadLosses(const UpOptions& options, Losses& losses) {
  losses.seed = options.seed;
  for (const std::string& text : options.losses) {
    const auto loss = ParseLoss(text);
    if (!loss.ok()) return ForOption("--lose", loss.status());
    losses.planned.push_back(*loss);
  }
  if (!options.loss_after.empty()) {
    const Status status =
        Set(losses.after, "--loss-after", options.loss_after, Distribution::Parse);
    if (!status.ok()) return status;
  }
  return Set(losses.time, "--loss-time", options.loss_time, Distribution::Parse);
}

void DeclareNodes(CLI::App& app, UpOptions& options) {
  DeclareRun(app, options.run, "Name of these nodes: RUN-0, RUN-1, ...; of one `up` at a time");
  AddOption(app, "--count", options.count, WholeNumber(1, kMostNodes), "Nodes");
  app.add_option("--cpu", options.cpu, "CPUs of each node")->capture_default_str();
  app.add_option("--memory", options.memory, "Memory of each node")->capture_default_str();
  app.add_option("--resource", options.resources,
                 "NAME=QUANTITY, such as nvidia.com/gpu=8; may be repeated");
  app.add_option("--label", options.labels, "NAME=VALUE on each node; may be repeated");
  app.add_option("--taint", options.taints,
                 "KEY[=VALUE]:EFFECT beside twofold/simulated=RUN:NoSchedule; may be repeated");
  app.add_option("--topology", options.topology,
                 "LEVEL=SIZE,... from the inside out, such as rack=32,block=4: labels by which "
                 "each 32 nodes share a rack and each 4 racks a block");
  app.add_option("--gpu", options.gpu,
                 "Model of nvidia.com/gpu: T4, V100, A100, L4, L40S, H100, "
                 "H200 or B200")
      ->capture_default_str();
}

void DeclareLives(CLI::App& app, UpOptions& options) {
  const std::string times = absl::StrCat(" (", kTimes, ")");
  AddOption(app, "--seed", options.seed, WholeNumber(0), "Of all that is drawn");
  app.add_option("--start-time", options.start, "From a pod's arrival to running" + times)
      ->capture_default_str();
  app.add_option("--run-time", options.run_time,
                 "From running to the end, of pods that do not restart; also never" + times)
      ->capture_default_str();
  app.add_option("--stop-time", options.stop,
                 "From a deletion to being gone, at most the pod's grace" + times)
      ->capture_default_str();
  app.add_option("--start-times", options.start_file,
                 "File of recorded seconds, one a line, instead of --start-time");
  app.add_option("--run-times", options.run_file,
                 "File of recorded seconds, one a line, instead of --run-time");
  AddOption(app, "--failures", options.failures, CLI::Range(0.0, 1.0), "Share of pods that fail");
  AddOption(app, "--exit-code", options.exit_code, WholeNumber(1, 255), "Of pods that fail");
  AddOption(app, "--evictions", options.evictions, CLI::Range(0.0, 1.0),
            "Share of pods that are evicted, if they run so long");
  app.add_option("--evict-after", options.evict_after, "From running to the eviction" + times)
      ->capture_default_str();
  app.add_option("--gpu-utilisation", options.utilisation,
                 "Percent, or a range of it, of busy GPUs")
      ->capture_default_str();
}

void DeclareLosses(CLI::App& app, UpOptions& options) {
  app.add_option("--loss-after", options.loss_after,
                 absl::StrCat("Loses each node after such a time of being up (", kTimes, ")"));
  app.add_option("--loss-time", options.loss_time, "How long such a node is away")
      ->capture_default_str();
  app.add_option("--lose", options.losses,
                 "COUNT@AT+TIME: loses some nodes at a time, such as 5@60s+2m; may be repeated");
}

}  // namespace

void DeclareRun(CLI::App& app, std::string& run, const std::string& help) {
  app.add_option("--run", run, help)->capture_default_str();
}

void Declare(CLI::App& app, UpOptions& options) {
  DeclareNodes(app, options);
  DeclareLives(app, options);
  DeclareLosses(app, options);
  Declare(app, options.cluster);
  AddOption(app, "--connections", options.connections, WholeNumber(1, 64),
            "To the API server, for pods; leases have their own");
  AddOption(app, "--report", options.report_seconds, Seconds(0.1, 86400),
            "Seconds between lines about progress and lateness");
  app.add_flag("--keep", options.keep, "Leave nodes and pods there at the end");
  metrics::Declare(app, options.page, "all nodes are up");
}

Result<SimulationPlan> Read(const UpOptions& options) {
  SimulationPlan settings;
  for (const Status& status :
       {ReadNodes(options, settings.nodes), ReadHabits(options, settings.habits),
        ReadLosses(options, settings.losses)}) {
    if (!status.ok()) return status;
  }
  return settings;
}

}  // namespace twofold::nodes
