#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include "cli/command/command.h"
#include "cli/command/verdict.h"
#include "cli/load/measure.h"
#include "cli/load/options.h"
#include "cli/load/origin.h"
#include "cli/load/record/summary.h"
#include "cli/local/launch.h"
#include "cli/local/plan.h"
#include "cli/queues/call.h"
#include "cli/report/report.h"
#include "lib/common/counted.h"
#include "lib/common/file.h"
#include "lib/common/match.h"
#include "lib/common/program.h"
#include "lib/load/record.h"
#include "lib/report/sources/sources.h"
#include "lib/words/one_load.h"
#include "suites/table/workload.h"

namespace twofold::cli {
namespace {

constexpr char kInterruptedEnd[] = "interrupted";
constexpr char kInvalid[] = "invalid";

// ---- files

/// A file that is written at the end, and what is written there.
struct ResultFile {
  const char* option;
  std::string LoadOptions::*path;
  std::string (*text)(const v1::LoadRecord&);
};
const std::vector<ResultFile>& ResultFiles() {
  static const std::vector<ResultFile> files = {{"--json", &LoadOptions::json, &load::RecordJson},
                                                {"--csv", &LoadOptions::csv, &SlicesCsv}};
  return files;
}

// With several steps each has files of its own: load-8.json.
std::string PathOf(const std::string& path, const LoadOptions& options, int slots) {
  if (options.slots.size() == 1) return path;
  std::filesystem::path own(path);
  own.replace_filename(absl::StrCat(own.stem().string(), "-", slots, own.extension().string()));
  return own.string();
}

Status Named(const char* option, const Status& status) {
  return status.ok() ? status
                     : absl::InvalidArgumentError(
                           absl::StrCat(option, ": ", std::string(status.message())));
}

// Before anything is measured: a long load whose result cannot be written is of no use.
Status CheckFiles(const LoadOptions& options) {
  Status status;
  for (const ResultFile& file : ResultFiles()) {
    for (const int slots : options.slots) {
      if ((options.*file.path).empty()) continue;
      status.Update(Named(file.option, CheckWritable(PathOf(options.*file.path, options, slots))));
    }
  }
  if (!options.html.empty()) status.Update(Named("--html", CheckWritable(options.html)));
  return status;
}

Status WriteFiles(const LoadOptions& options, const LoadStep& step) {
  Status status;
  for (const ResultFile& file : ResultFiles()) {
    if ((options.*file.path).empty()) continue;
    const std::string path = PathOf(options.*file.path, options, step.slots);
    status.Update(Named(file.option, WriteFile(path, file.text(step.record))));
  }
  return status;
}

std::string SlotsText(int slots) { return Counted(static_cast<std::uint64_t>(slots), "slot"); }

// All steps on one page, one over the other.
Status WriteHtml(const LoadOptions& options, const std::vector<LoadStep>& steps) {
  if (options.html.empty()) return absl::OkStatus();
  std::vector<report::Source> sources;
  for (const LoadStep& step : steps) {
    sources.push_back({SlotsText(step.slots), step.record});
  }
  const auto document = report::DocumentOf(sources);
  return document.ok() ? cli::Write(ReportFiles{.html = options.html}, *document)
                       : document.status();
}

// ---- verdicts

void Judge(const LoadOptions& options, v1::LoadRecord& record) {
  bool undecided = false;
  bool broken = false;
  for (const Limit& limit : options.limits) {
    const v1::LoadLimit& judged = *record.add_limits() =
        limit.Judge(record.result(), options.lenient);
    undecided = undecided || judged.undecided();
    broken = broken || !(judged.met() || judged.undecided());
  }
  if (record.verdict() == kInvalid) return;
  if (undecided) record.set_verdict("undecided");
  if (broken) record.set_verdict("fail");
}

/// Those percentiles whose names are known here.
void AddTimes(const v1::LoadTime& times, std::vector<Figure>& figures) {
  struct NamedTime {
    const char* name;
    double share;
    bool known;
    double value;
  };
  const NamedTime rows[] = {{"p50", 0.5, times.has_p50(), times.p50()},
                            {"p99", 0.99, times.has_p99(), times.p99()}};
  for (const NamedTime& row : rows) {
    if (!row.known) continue;
    Figure& figure = figures.emplace_back(Figure{row.name, "s", row.value});
    for (const v1::LoadPercentile& each : times.percentiles()) {
      if (each.share() != row.share) continue;
      if (each.has_lower()) figure.lower = each.lower();
      if (each.has_upper()) figure.upper = each.upper();
    }
  }
}

Status NothingSucceeded(const v1::LoadRecord& record) {
  const v1::LoadJobs& jobs = record.result().jobs();
  const v1::LoadJobs& warm_up = record.warm_up();
  const std::uint64_t sent = jobs.sent() + warm_up.sent();
  if (jobs.unanswered() + warm_up.unanswered() == sent) {
    return absl::InternalError(absl::StrCat("none of ", Counted(sent, "job"),
                                            " has ended: are there workers? See ",
                                            "`twofold worker list --queue ", record.queue(), "`"));
  }
  if (jobs.rejected() + warm_up.rejected() == sent) {
    return absl::FailedPreconditionError(absl::StrCat("queue ", record.queue(), " took none of ",
                                                      Counted(sent, "job"),
                                                      ": it drains or is full (`twofold queues`)"));
  }
  return absl::InternalError(
      absl::StrCat("after the warm-up none of ", Counted(jobs.sent(), "job"), " has succeeded",
                   record.errors_size() > 0 ? ": " + record.errors(0).text() : ""));
}

std::string WhyNotKnown(const v1::LoadResult& result) {
  if (!result.steady()) return ", as it was not steady: " + result.why_not_steady();
  const std::uint64_t ended = result.succeeded() + result.failed();
  if (ended >= result.jobs_needed()) return "";
  return absl::StrCat(", as ", ended, " jobs had ended, and times like theirs take ",
                      result.jobs_needed());
}

// It was to end once something was known, and ended without.
std::string WhyNotReached(const LoadOptions& options, const v1::LoadRecord& record) {
  if (record.ended_because() != Name(load::RunEnd::kDuration)) return "";
  if (options.until > 0) {
    return absl::StrCat("--until: the throughput was not known within ", 100 * options.until,
                        " % when the load ended", WhyNotKnown(record.result()));
  }
  if (options.jobs == 0) return "";
  return absl::StrCat("--jobs: fewer than ", options.jobs, " had ended when the load ended");
}

// The first of what may be wrong, the worst first.
Status Conclude(const LoadOptions& options, const v1::LoadRecord& record) {
  if (record.ended_because() == kInterruptedEnd) {
    return EndWith(kExitInterrupted, "interrupted; the result is of the time until then");
  }
  if (record.result().succeeded() == 0) return NothingSucceeded(record);
  if (record.verdict() == kInvalid) {
    const std::string why = record.spoiled_size() > 0 ? record.spoiled(0).reason() : "";
    return EndWith(kExitSpoiled, absl::StrCat("something spoiled the numbers: ", why));
  }
  std::vector<std::string> reasons;
  if (std::string why = WhyNotReached(options, record); !why.empty()) {
    reasons.push_back(std::move(why));
  }
  bool broken = !reasons.empty();
  for (const v1::LoadLimit& limit : record.limits()) {
    if (limit.met()) continue;
    reasons.push_back(absl::StrCat(limit.undecided() ? "undecided: " : "", WhyNotMet(limit)));
    broken = broken || !limit.undecided();
  }
  if (reasons.empty()) return absl::OkStatus();
  return EndWith(broken ? kExitLimitNotKept : kExitUndecided, absl::StrJoin(reasons, "; "));
}

/// What a load comes to, which has ended with `end`.
Verdict VerdictOf(const Status& end, const v1::LoadRecord& record) {
  Verdict verdict{"none", std::string(end.message())};
  const std::pair<int, const char*> words[] = {{0, "pass"},
                                               {kExitLimitNotKept, "fail"},
                                               {kExitUndecided, "undecided"},
                                               {kExitSpoiled, kInvalid},
                                               {kExitInterrupted, kInterruptedEnd}};
  for (const auto& [code, word] : words) {
    if (code == (end.ok() ? 0 : ExitCode(end))) verdict.verdict = word;
  }
  const v1::LoadResult& result = record.result();
  if (result.has_throughput()) {
    Figure& figure = verdict.figures.emplace_back(Figure{"throughput", "1/s", result.throughput()});
    if (result.has_lower()) figure.lower = result.lower();
    if (result.has_upper()) figure.upper = result.upper();
  }
  AddTimes(result.from_plan(), verdict.figures);
  verdict.figures.push_back({"failed", "jobs", static_cast<double>(result.jobs().failed())});
  return verdict;
}

// ---- where

/// Where the load goes.
struct Target {
  std::string frontend;
  security::Client security;
  std::unique_ptr<local::OwnCluster> cluster;  // null: somebody else's
};

// Who may not list queues may still load them.
Status CheckQueue(const Frontend& frontend, const std::string& name) {
  const auto reply =
      frontend.Call<v1::Admin>(&v1::Admin::Stub::ListQueues, v1::ListQueuesRequest());
  if (absl::IsPermissionDenied(reply.status())) return absl::OkStatus();
  if (!reply.ok()) return reply.status();
  std::vector<std::string_view> names;
  for (const v1::Queue& queue : reply->queues()) {
    if (queue.name() == name) return absl::OkStatus();
    names.push_back(queue.name());
  }
  return absl::NotFoundError(
      absl::StrCat("there is no queue '", name, "' at ", frontend.address(), Hint(name, names)));
}

Result<Target> FindTarget(const LoadOptions& options, const Globals& globals) {
  if (!options.local) {
    const Frontend frontend(globals);
    const Status status = CheckQueue(frontend, options.queue);
    if (!status.ok()) return status;
    return Target{frontend.address(), frontend.security(), nullptr};
  }
  auto workload = suite::FindWorkload(suite::WithShell(options.shell, options.arguments));
  if (!workload.ok()) return workload.status();
  auto cluster = local::OwnCluster::Start(options.programs, *workload, options.slots);
  if (!cluster.ok()) return cluster.status();
  const std::string frontend = (*cluster)->frontend();
  return Target{frontend, {}, *std::move(cluster)};
}

// ---- the command

// One load is told in full, several are rows of a table.
bool IsTable(const LoadOptions& options, const Globals& globals) {
  return globals.form != show::Form::kText || options.slots.size() > 1;
}

void ShowStep(const LoadOptions& options, const Globals& globals, const LoadStep& step) {
  if (globals.json()) {
    std::cout << load::RecordJson(step.record) << std::endl;
  } else if (!IsTable(options, globals)) {
    std::cout << Summary(step.record) << std::flush;
  }
}

Result<LoadStep> RunStep(const LoadOptions& options, const Target& target, int slots,
                         const AwaitedSignals& signals, LiveLine& line) {
  const std::string queue = options.local ? local::QueueOfSlots(slots) : options.queue;
  auto plan = PlanLoad(options, queue, slots);
  if (!plan.ok()) return plan.status();
  plan->frontend = target.frontend;
  plan->security = target.security;
  const v1::Origin origin = OriginHere(target.frontend);
  if (options.slots.size() > 1) line.Note(SlotsText(slots));
  auto record = Measure(*std::move(plan), signals, line);
  if (!record.ok()) return record.status();
  LoadStep step{slots, *std::move(record)};
  *step.record.mutable_origin() = origin;
  Judge(options, step.record);
  return step;
}

Status RunSteps(const LoadOptions& options, const Globals& globals, const Target& target,
                const AwaitedSignals& signals) {
  LiveLine line;
  std::vector<LoadStep> steps;
  Status first;
  for (const int slots : options.slots) {
    auto step = RunStep(options, target, slots, signals, line);
    if (!step.ok()) return step.status();
    ShowStep(options, globals, *step);
    if (Status status = WriteFiles(options, *step); !status.ok()) return status;
    const Status end = Conclude(options, step->record);
    if (Status status = Write(options.verdict, VerdictOf(end, step->record)); !status.ok()) {
      return status;
    }
    first.Update(end);
    steps.push_back(*std::move(step));
    if (steps.back().record.ended_because() == kInterruptedEnd) break;
  }
  if (IsTable(options, globals) && !globals.json()) {
    std::cout << show::Print(globals.form, ScalingColumns(), ScalingRows(steps));
    if (globals.form == show::Form::kText) std::cout << kMeasuredInOneLoad << "\n";
  }
  const Status written = WriteHtml(options, steps);
  return written.ok() ? first : written;
}

Status Run(const LoadOptions& options, const Globals& globals) {
  Status status = Check(options);
  if (status.ok()) status = CheckFiles(options);
  if (!status.ok()) return status;
  const AwaitedSignals signals;
  const Result<Target> target = FindTarget(options, globals);
  if (!target.ok()) return target.status();
  InitLogging(/*verbose=*/false);          // not before: a supervisor sets up its own
  spdlog::set_level(spdlog::level::warn);  // progress says the rest
  return RunSteps(options, globals, *target, signals);
}

Action BindLoad(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<LoadOptions>();
  Declare(app, *options);
  return [options, &globals] { return Run(*options, globals); };
}

}  // namespace

std::vector<Command> LoadCommands() {
  return {{"load",
           "Put a load on a queue and say what came of it: throughput, latencies, limits",
           "twofold load --queue sleep --parallel 16 --duration 30s --fail-if p99>200ms -- 0.1",
           BindLoad,
           Prints::kTable,
           true,
           {kExitNotFound, kExitNoAnswer, kExitRefused, kExitLimitNotKept, kExitSpoiled,
            kExitUndecided, kExitInterrupted}}};
}

}  // namespace twofold::cli
