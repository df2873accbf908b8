#include "cli/lifecycle/settings.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/lifecycle/record.h"
#include "cli/lifecycle/templates/built_in.h"
#include "lib/common/file.h"
#include "lib/common/options.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kLongestRun = 40;         // leaves room for the number of the workload
constexpr std::uint64_t kMostPods = 1'000'000;  // as many as an Observer follows
constexpr std::size_t kMostAudits = 100;
constexpr std::size_t kMostBytes = 1 << 20;  // of a template

Status Named(const std::string& option, const Status& status) {
  return {status.code(), absl::StrCat(option, ": ", std::string(status.message()))};
}

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const Kind& kind : Kinds()) names.emplace_back(kind.name);
  return names;
}

Result<std::string> ReadTemplate(const RunOptions& options, const Kind& kind) {
  if (options.template_file.empty()) return BuiltInTemplate(kind);
  auto text = ReadFile(options.template_file, kMostBytes, Readable::kFilesAndPipes);
  if (!text.ok()) {
    return Named("--template", absl::InvalidArgumentError(text.status().message()));
  }
  if (!text->empty()) return text;
  return absl::InvalidArgumentError(
      absl::StrCat("--template: ", options.template_file, " is empty"));
}

/// "NAME=VALUE"
Status AddSelector(const std::string& text, Settings& each) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("--node-selector: '", text, "' is not of the form NAME=VALUE"));
  }
  each.node_selector[text.substr(0, equals)] = text.substr(equals + 1);
  return absl::OkStatus();
}

/// "KEY[=VALUE][:EFFECT]"
Status AddToleration(const std::string& text, Settings& each) {
  const std::size_t colon = text.rfind(':');
  const std::string taint = text.substr(0, colon);
  const std::size_t equals = taint.find('=');
  Toleration toleration;
  toleration.key = taint.substr(0, equals);
  if (equals != std::string::npos) toleration.value = taint.substr(equals + 1);
  if (colon != std::string::npos) toleration.effect = text.substr(colon + 1);
  if (toleration.key.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--tolerate: '", text, "' is not of the form KEY[=VALUE][:EFFECT]"));
  }
  each.tolerations.push_back(std::move(toleration));
  return absl::OkStatus();
}

/// "run-20261123-134501"
std::string NameAt(std::chrono::system_clock::time_point now) {
  return absl::FormatTime("run-%Y%m%d-%H%M%S", absl::FromChrono(now), absl::UTCTimeZone());
}

/// Whether there is something beyond being ready that workloads of this kind come to.
bool Ends(const Kind& kind) {
  const auto is_end = [](const MomentSign& each) { return each.moment == Moment::kComplete; };
  return kind.IsPod() || std::any_of(kind.signs.begin(), kind.signs.end(), is_end);
}

/// A log that is missing must be known before the run and not after it.
Status CheckAudit(const std::vector<std::string>& paths) {
  if (paths.size() > kMostAudits) {
    return absl::InvalidArgumentError(
        absl::StrCat("--audit: ", paths.size(), " files are more than ", kMostAudits));
  }
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--audit: ", path, " is no file; give the API server's --audit-log-path, or a copy"));
  }
  return absl::OkStatus();
}

void DeclareLoad(CLI::App& app, RunOptions& options) {
  app.add_option("--kind", options.kind, "Of workloads")
      ->required()
      ->check(CLI::IsMember(KindNames()));
  cli::Declare(app, options.cluster);
  AddOption(app, "--count", options.count, WholeNumber(1, kMostWorkloads), "Workloads");
  CLI::Option* rate = AddOption(app, "--rate", options.rate, PerSecond(0.001, 10'000),
                                "Workloads created a second, whether answers come or not");
  app.add_option("--parallel", options.parallel,
                 "Create this many at a time instead, each after the answer to the one before")
      ->check(WholeNumber(1, 64))
      ->excludes(rate);
  AddOption(app, "--connections", options.connections, WholeNumber(1, 64),
            "To the API server, for --rate; more if it answers slowly");
  app.add_option("--name", options.name,
                 "Of the run; workloads are NAME-0, NAME-1, ...; else run-DATE-TIME");
  app.add_option("--namespace", options.space, "It must exist; else that of the kubeconfig");
}

void DeclareWorkload(CLI::App& app, RunOptions& options) {
  Settings& each = options.each;
  app.add_option("--template", options.template_file, "YAML instead of the kind's own template")
      ->type_name("FILE");
  AddOption(app, "--workers", each.workers, WholeNumber(1, kMostSlots - 1), "Pods of a workload");
  AddOption(app, "--gpus", each.gpus, WholeNumber(0, 1024), "Of a pod");
  app.add_option("--gpu", each.gpu, "The resource that GPUs are")->capture_default_str();
  app.add_option("--cpu", each.cpu, "Of a pod")->capture_default_str();
  app.add_option("--memory", each.memory, "Of a pod")->capture_default_str();
  app.add_option("--image", each.image, "Of a pod")->capture_default_str();
  AddOption(app, "--seconds", each.seconds, WholeNumber(0, 1'000'000'000),
            "For which a pod sleeps");
  app.add_option("--queue", each.queue, "Of kinds that have queues")->capture_default_str();
  app.add_option("--scheduler", each.scheduler, "Of kinds that leave it open")
      ->capture_default_str();
  app.add_option("--node-selector", options.node_selector, "NAME=VALUE; may be repeated")
      ->take_all();
  app.add_option("--tolerate,--toleration", options.tolerations,
                 "KEY[=VALUE][:EFFECT], such as twofold/simulated; may be repeated")
      ->take_all();
}

void DeclareDryRun(CLI::App& app, RunOptions& options) {
  app.add_flag("--dry-run", options.dry_run,
               "Send the objects of one workload with dryRun=All, print what the server says");
}

}  // namespace

void DeclareEnd(CLI::App& app, EndOptions& options) {
  app.add_option("--until", options.until,
                 "ready or complete: what a workload is waited for to come to; else complete if "
                 "the kind knows it")
      ->check(CLI::IsMember({"ready", "complete"}));
  AddOption(app, "--settle", options.settle_seconds, Seconds(0, 86'400),
            "Seconds to wait for workloads at most, after the last was created");
  Declare(app, options.output);
  Declare(app, options.journal);
  DeclareCompat(app, options);
}

void DeclareCompat(CLI::App& app, EndOptions& options) {
  app.add_option("--compat", options.compat,
                 "Write submitted.json and sampled.json of the Run:ai scale test tool there")
      ->type_name("DIR");
}

void DeclareSending(CLI::App& app, RunOptions& options) {
  DeclareLoad(app, options);
  Declare(app, options.limits);
  DeclareWorkload(app, options);
  DeclareDryRun(app, options);
}

void Declare(CLI::App& app, RunOptions& options) {
  DeclareSending(app, options);
  DeclareEnd(app, options);
  app.add_flag("--events", options.events,
               "Watch Kubernetes' Events too, and compare their times with what is seen");
  app.add_option("--audit", options.audit,
                 "An audit log of the API server, to compare with after the run; may be repeated")
      ->type_name("FILE")
      ->take_all();
  app.add_flag("--keep", options.keep, "Leave the objects there; `lifecycle clean` removes them");
}

Status CheckRunName(const std::string& name) {
  const auto plain = [](char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9'); };
  const bool fits =
      !name.empty() && name.size() <= kLongestRun && plain(name.front()) && plain(name.back()) &&
      std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || c == '-'; });
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is not a name of at most ", kLongestRun,
                   " small letters, digits and dashes, with a letter or digit at both ends"));
}

Result<EndSettings> ReadEnd(const EndOptions& options, const Kind& kind) {
  EndSettings settings;
  settings.until_ready = options.until.empty() ? !Ends(kind) : options.until == "ready";
  if (options.until == "complete" && !Ends(kind)) {
    return absl::InvalidArgumentError(absl::StrCat("--until: workloads of kind '",
                                                   std::string(kind.name),
                                                   "' never complete; use --until ready"));
  }
  settings.settle = FromSeconds(options.settle_seconds);
  return settings;
}

Result<RunSettings> Read(const RunOptions& options, const std::string& space,
                         std::chrono::system_clock::time_point now) {
  RunSettings settings;
  const auto kind = FindKind(options.kind);
  if (!kind.ok()) return kind.status();
  settings.kind = *kind;
  settings.name = options.name.empty() ? NameAt(now) : options.name;
  if (const Status status = CheckRunName(settings.name); !status.ok()) {
    return Named("--name", status);
  }
  settings.count = options.count;
  settings.rate = options.parallel > 0 ? 0 : options.rate;
  settings.connections = options.parallel > 0 ? options.parallel : options.connections;
  settings.each = options.each;
  settings.each.space = options.space.empty() ? space : options.space;
  settings.each.run = settings.name;
  const auto limits = Read(options.limits, settings.each);
  if (!limits.ok()) return limits.status();
  static_cast<LimitSettings&>(settings) = *limits;
  for (const auto& [option, count] :
       {std::pair{"--count", settings.count}, {"--fill", settings.fill}}) {
    if (std::uint64_t{count} * SlotsOf(**kind, settings.each.workers) <= kMostPods) continue;
    return absl::InvalidArgumentError(absl::StrCat(option, ": ", count, " workloads of ",
                                                   settings.each.workers, " workers are more than ",
                                                   kMostPods, " pods; use more runs"));
  }
  for (const std::string& text : options.node_selector) {
    if (const Status status = AddSelector(text, settings.each); !status.ok()) return status;
  }
  for (const std::string& text : options.tolerations) {
    if (const Status status = AddToleration(text, settings.each); !status.ok()) return status;
  }
  const auto end = ReadEnd(options, **kind);
  if (!end.ok()) return end.status();
  settings.until_ready = end->until_ready;
  settings.settle = end->settle;
  settings.journal = options.journal;
  settings.events = options.events;
  if (const Status status = CheckAudit(options.audit); !status.ok()) return status;
  settings.audit = options.audit;
  auto text = ReadTemplate(options, **kind);
  if (!text.ok()) return text.status();
  settings.text = *std::move(text);
  if (const auto first = RenderOne(settings, 0); !first.ok()) return first.status();
  return settings;
}

Result<std::vector<Object>> RenderOne(const RunSettings& settings, std::uint32_t index) {
  Settings each = settings.each;
  each.index = index;
  each.name = WorkloadName(settings.name, index);
  return Render(*settings.kind, settings.text, each);
}

}  // namespace twofold::lifecycle
