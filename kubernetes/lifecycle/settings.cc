#include "kubernetes/lifecycle/settings.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "kubernetes/lifecycle/record.h"
#include "kubernetes/lifecycle/templates/built_in.h"
#include "lib/common/file.h"
#include "lib/suite/flags.h"
#include "suites/lifecycle/lifecycle.h"

namespace twofold::lifecycle {
namespace {

using suite::lifecycle::Spec;

constexpr std::size_t kLongestRun = 40;         // leaves room for the number of the workload
constexpr std::uint64_t kMostPods = 1'000'000;  // as many as an Observer follows
constexpr std::size_t kMostAudits = 100;
constexpr std::size_t kMostOfTemplate = 1 << 20;  // of a template

Status Named(const std::string& option, const Status& status) {
  return {status.code(), absl::StrCat(option, ": ", std::string(status.message()))};
}

Result<std::string> ReadTemplate(const RunOptions& options, const Kind& kind) {
  if (options.template_file.empty()) return BuiltInTemplate(kind);
  auto text = ReadFile(options.template_file, kMostOfTemplate, Readable::kFilesAndPipes);
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
        absl::StrCat("nodeSelector: '", text, "' is not of the form NAME=VALUE"));
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
        absl::StrCat("tolerations: '", text, "' is not of the form KEY[=VALUE][:EFFECT]"));
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

void DeclareFields(CLI::App& app, std::initializer_list<std::string_view> fields,
                   EndOptions& options) {
  suite::AddFieldOptions(app, fields, options.spec);
}

void DeclareLoad(CLI::App& app, RunOptions& options) {
  cli::Declare(app, options.cluster);
  DeclareFields(app, {"kind", "count", "rate", "parallel", "connections", "namespace"}, options);
  app.add_option("--name", options.name,
                 "Of the run; workloads are NAME-0, NAME-1, ...; else run-DATE-TIME");
}

void DeclareWorkload(CLI::App& app, RunOptions& options) {
  app.add_option("--template", options.template_file, "YAML instead of the kind's own template")
      ->type_name("FILE");
  DeclareFields(app,
                {"workers", "gpus", "gpu", "cpu", "memory", "containerImage", "seconds", "queue",
                 "scheduler", "nodeSelector", "tolerations"},
                options);
}

void DeclareDryRun(CLI::App& app, RunOptions& options) {
  app.add_flag("--dry-run", options.dry_run,
               "Send the objects of one workload with dryRun=All, print what the server says");
}

/// The kind, and whether so many workloads of it can be followed.
Status ReadKind(const Spec& spec, RunSettings& settings) {
  const auto kind = FindKind(spec.kind());
  if (!kind.ok()) return kind.status();
  settings.kind = *kind;
  for (const auto& [field, count] : {std::pair{"count", spec.count()}, {"fill", spec.fill()}}) {
    if (std::uint64_t{count} * SlotsOf(**kind, spec.workers()) <= kMostPods) continue;
    return absl::InvalidArgumentError(absl::StrCat(field, ": ", count, " workloads of ",
                                                   spec.workers(), " workers are more than ",
                                                   kMostPods, " pods; use more runs"));
  }
  return absl::OkStatus();
}

Status ReadWorkload(const Spec& spec, const std::string& space, RunSettings& settings) {
  Settings& each = settings.each;
  each.space = spec.has_namespace_() ? spec.namespace_() : space;
  each.workers = spec.workers();
  each.gpu = spec.gpu();
  each.gpus = spec.gpus();
  each.cpu = spec.cpu();
  each.memory = spec.memory();
  each.image = spec.container_image();
  each.seconds = spec.seconds();
  each.queue = spec.queue();
  each.scheduler = spec.scheduler();
  for (const std::string& text : spec.node_selector()) {
    if (Status status = AddSelector(text, each); !status.ok()) return status;
  }
  for (const std::string& text : spec.tolerations()) {
    if (Status status = AddToleration(text, each); !status.ok()) return status;
  }
  return absl::OkStatus();
}

/// What the suite's spec says, too.
Status ReadSpec(const Spec& spec, const std::string& space, RunSettings& settings) {
  Status status = suite::lifecycle::CheckTogether(spec);
  if (status.ok()) status = ReadKind(spec, settings);
  if (status.ok()) status = ReadWorkload(spec, space, settings);
  if (!status.ok()) return suite::OptionError(*Spec::descriptor(), status);
  settings.count = spec.count();
  settings.rate = spec.has_parallel() ? 0 : spec.rate();
  settings.connections =
      static_cast<int>(spec.has_parallel() ? spec.parallel() : spec.connections());
  return absl::OkStatus();
}

}  // namespace

void DeclareEnd(CLI::App& app, EndOptions& options) {
  DeclareFields(app, {"until", "settle"}, options);
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
  Declare(app, options.spec, options.limits);
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
      ->type_name("FILE");
  app.add_option("--store", options.store,
                 "Keep the run in this file, made if it is not there, for `twofold results`; no "
                 "frontend may be using it")
      ->type_name("FILE");
  cli::Declare(app, options.page, "it begins");
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
  const Spec& spec = options.spec;
  settings.until_ready = spec.has_until() ? spec.until() == "ready" : !Ends(kind);
  if (!settings.until_ready && !Ends(kind)) {
    return absl::InvalidArgumentError(absl::StrCat("--until: workloads of kind '",
                                                   std::string(kind.name),
                                                   "' never complete; use --until ready"));
  }
  settings.settle = FromSeconds(spec.settle());
  return settings;
}

Result<RunSettings> Read(const RunOptions& options, const std::string& space,
                         std::chrono::system_clock::time_point now) {
  RunSettings settings;
  Status status = ReadSpec(options.spec, space, settings);
  if (!status.ok()) return status;
  settings.name = options.name.empty() ? NameAt(now) : options.name;
  settings.each.run = settings.name;
  status = CheckRunName(settings.name);
  if (!status.ok()) return Named("--name", status);
  const auto limits = Read(options.spec, options.limits, settings.each);
  if (!limits.ok()) return limits.status();
  static_cast<LimitSettings&>(settings) = *limits;
  const auto end = ReadEnd(options, *settings.kind);
  if (!end.ok()) return end.status();
  settings.until_ready = end->until_ready;
  settings.settle = end->settle;
  settings.journal = options.journal;
  settings.events = options.events;
  status = CheckAudit(options.audit);
  if (!status.ok()) return status;
  settings.audit = options.audit;
  auto text = ReadTemplate(options, *settings.kind);
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
