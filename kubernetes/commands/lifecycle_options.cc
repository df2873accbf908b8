#include "kubernetes/commands/lifecycle_options.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/command/verdict.h"
#include "kubernetes/lifecycle/sending/send_plan.h"
#include "lib/common/file.h"
#include "lib/common/options.h"
#include "lib/suite/flags.h"
#include "suites/lifecycle/lifecycle.h"

namespace twofold::lifecycle {
namespace {

using suite::lifecycle::Spec;

constexpr std::uint64_t kMostPods = 1'000'000;  // as many as an Observer follows
constexpr std::size_t kMostAudits = 100;
constexpr std::size_t kMostOfTemplate = 1 << 20;

// ---- declaring

void DeclareFields(CLI::App& app, Options& options,
                   std::initializer_list<std::string_view> fields) {
  suite::AddFieldOptions(app, fields, options.spec);
}

/// Without a value it is the size that most ask for.
void DeclareVolume(CLI::App& app, Options& options) {
  app.add_option_function<std::string>(
         "--pvc", [&options](const std::string& size) { options.spec.set_pvc(size); },
         suite::FieldHelp(*Spec::descriptor(), "pvc") + "; 1Mi if none is given")
      ->expected(0, 1)
      ->default_str("1Mi")
      ->type_name("SIZE");
}

void DeclarePlots(CLI::App& app, Options& options) {
  CLI::Option* dir = app.add_option("--plots", options.plots,
                                    "Draw general and detailed pictures there, SVG and PNG")
                         ->type_name("DIR");
  app.add_flag("--svg-only", options.svg_only, "No PNG, which needs the program rsvg-convert")
      ->needs(dir);
  app.add_flag("--log-scale", options.logarithmic, "Times on logarithmic axes in pictures")
      ->needs(dir);
  app.add_option("--head", options.choice.head,
                 "Only the first N workloads (of a run: in its pictures); 0: all")
      ->type_name("N");
  app.add_option("--tail", options.choice.tail, "Only the last N of these; 0: all")->type_name("N");
  app.add_flag("--skip-errors", options.choice.skip_errors,
               "Leave out workloads with a span that certainly ends before it begins");
}

void DeclareJournal(CLI::App& app, Options& options) {
  app.add_option("--journal", options.journal.file,
                 "Write down all that is seen there; `lifecycle report FILE` makes the report "
                 "again, `lifecycle watch --journal FILE` goes on after a crash")
      ->type_name("FILE");
  AddOption(app, "--journal-limit", options.journal.limit_mib, WholeNumber(1, 1 << 24),
            "MiB of the journal; then it ends, and the run goes on");
}

// ---- reading

Status ForOption(const std::string& option, const Status& status) {
  return {status.code(), absl::StrCat(option, ": ", std::string(status.message()))};
}

/// "run-20261123-134501"
std::string NameAt(std::chrono::system_clock::time_point now) {
  return absl::FormatTime("run-%Y%m%d-%H%M%S", absl::FromChrono(now), absl::UTCTimeZone());
}

/// Whether so many workloads can be followed.
Status CheckPods(const Spec& spec) {
  const auto kind = FindKind(spec.kind());
  if (!kind.ok()) return kind.status();
  for (const auto& [field, count] : {std::pair{"count", spec.count()}, {"fill", spec.fill()}}) {
    if (std::uint64_t{count} * SlotsOf(**kind, spec.workers()) <= kMostPods) continue;
    return absl::InvalidArgumentError(absl::StrCat(field, ": ", count, " workloads of ",
                                                   spec.workers(), " workers are more than ",
                                                   kMostPods, " pods; use more runs"));
  }
  return absl::OkStatus();
}

Status CheckSpec(const Spec& spec) {
  Status status = suite::lifecycle::CheckTogether(spec);
  if (status.ok()) status = CheckPods(spec);
  return suite::OptionError(*Spec::descriptor(), status);
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

/// Sets the text of the plan, if it is not to be the kind's own.
Status ReadTemplate(const std::string& file, RunPlan& plan) {
  if (file.empty()) return absl::OkStatus();
  auto text = ReadFile(file, kMostOfTemplate, Readable::kFilesAndPipes);
  if (!text.ok()) {
    return ForOption("--template", absl::InvalidArgumentError(text.status().message()));
  }
  plan.text = *std::move(text);
  if (!plan.text.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--template: ", file, " is empty"));
}

/// Whether a workload can be made of it, and waited for.
Status CheckSending(const RunPlan& plan) {
  const auto sending = SendingOf(plan);
  if (!sending.ok()) return sending.status();
  if (const auto until = IsUntilReady(plan.spec, *sending->kind); !until.ok()) {
    return until.status();
  }
  Status status = RenderOne(*sending, plan.spec.count() - 1).status();  // has the longest name
  if (status.ok() && plan.spec.fill() > 0) {
    status = RenderOne(FillingOf(*sending), plan.spec.fill() - 1).status();
  }
  return status;
}

}  // namespace

void DeclareSending(CLI::App& app, Options& options) {
  cli::Declare(app, options.cluster);
  DeclareFields(app, options, {"kind", "count", "rate", "parallel", "connections", "namespace"});
  options.runs.resize(1);
  app.add_option("--name", options.runs.front(),
                 "Of the run; workloads are NAME-0, NAME-1, ...; else run-DATE-TIME");
  DeclareFields(app, options, {"wave", "delay", "fill", "fillRate"});
  DeclareVolume(app, options);
  DeclareFields(app, options, {"storageClass"});
  app.add_option("--etcd-quota", options.etcd_quota,
                 "What the API server's store may hold: at 80 % of it nothing more is created; 0: "
                 "do not look")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--template", options.template_file, "YAML instead of the kind's own template")
      ->type_name("FILE");
  DeclareFields(app, options,
                {"workers", "gpus", "gpu", "cpu", "memory", "containerImage", "seconds", "queue",
                 "scheduler", "nodeSelector", "tolerations"});
  app.add_flag("--dry-run", options.dry_run,
               "Send the objects of one workload with dryRun=All, print what the server says");
}

void DeclareWatching(CLI::App& app, Options& options) {
  DeclareFields(app, options, {"until", "settle"});
  DeclareReport(app, options);
  DeclareJournal(app, options);
  DeclareCompat(app, options);
}

void DeclareReport(CLI::App& app, Options& options) {
  CLI::Option* json = app.add_flag("--json", options.json, "As --output json");
  app.add_flag("--csv", options.csv, "As --output csv: a line a span")->excludes(json);
  app.add_option("--times", options.times,
                 "Write a line for each workload there: times.csv, with a heading for each column")
      ->type_name("FILE");
  DeclareFailIf(app, options);
}

void DeclareFailIf(CLI::App& app, Options& options) {
  const auto add = [&options](const std::vector<std::string>& texts) {
    options.spec.mutable_fail_if()->Add(texts.begin(), texts.end());
  };
  app.add_option_function<std::vector<std::string>>("--fail-if", add,
                                                    suite::FieldHelp(*Spec::descriptor(), "failIf"))
      ->type_name("WHAT");
  app.add_flag("--lenient", options.lenient,
               "Judge limits by the value, also of a percentile whose interval does not decide");
  DeclarePlots(app, options);
}

void DeclareCompat(CLI::App& app, Options& options) {
  app.add_option("--compat", options.compat,
                 "Write submitted.json and sampled.json of the Run:ai scale test tool there")
      ->type_name("DIR");
}

void DeclareKeeping(CLI::App& app, Options& options) {
  app.add_flag("--events", options.events,
               "Watch Kubernetes' Events too, and compare their times with what is seen");
  app.add_option("--audit", options.audit,
                 "An audit log of the API server, to compare with after the run; may be repeated")
      ->type_name("FILE");
  app.add_option("--store", options.store,
                 "Keep the run in this file, made if it is not there, for `twofold results`; no "
                 "frontend may be using it")
      ->type_name("FILE");
  cli::DeclareVerdict(app, options.verdict);
  metrics::Declare(app, options.page, "it begins");
  app.add_flag("--keep", options.keep, "Leave the objects there; `lifecycle clean` removes them");
}

void DeclareNamespace(CLI::App& app, Options& options, const std::string& whose) {
  app.add_option("--namespace", *options.spec.mutable_namespace_(),
                 whose + "; else that of the kubeconfig");
}

const std::string& SpaceOf(const Options& options, const std::string& otherwise) {
  return options.spec.namespace_().empty() ? otherwise : options.spec.namespace_();
}

Result<RunPlan> PlanOf(const Options& options, const std::string& space,
                       std::chrono::system_clock::time_point now) {
  if (Status status = CheckSpec(options.spec); !status.ok()) return status;
  const std::string& name = options.runs.front();
  RunPlan plan{.run = {SpaceOf(options, space), name.empty() ? NameAt(now) : name},
               .spec = options.spec,
               .journal = options.journal,
               .events = options.events,
               .audit = options.audit};
  if (Status status = CheckRunName(plan.run.name); !status.ok()) {
    return ForOption("--name", status);
  }
  const auto quota = suite::lifecycle::SizeOf(options.etcd_quota);
  if (!quota.ok()) return ForOption("--etcd-quota", quota.status());
  plan.etcd.quota = *quota;
  Status status = CheckAudit(options.audit);
  if (status.ok()) status = ReadTemplate(options.template_file, plan);
  if (status.ok()) status = CheckSending(plan);
  if (!status.ok()) return status;
  return plan;
}

}  // namespace twofold::lifecycle
