#include "cli/commands/run_session.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "cli/commands/queue_workers.h"
#include "cli/commands/result_printer.h"
#include "cli/commands/run_source.h"
#include "cli/commands/run_view.h"

namespace twofold::cli {
namespace {

using run::Driver;
using run::Ending;
using run::Stop;

// Jobs on different nodes would run at the same time, and measure each other's traffic.
std::uint32_t ParallelOf(const spec::Sweep& sweep) {
  return sweep.nodes && sweep.max_parallel == 0 ? 1 : sweep.max_parallel;
}

RunOptions OptionsOf(const RunRecord& record, const spec::Sweep& sweep, bool any_suite) {
  return {.id = record.id,
          .name = sweep.name,
          .queue = record.queue,
          .suite = any_suite ? "" : std::string(sweep.kind->suite),
          .spread = record.spread,
          .max_parallel = ParallelOf(sweep),
          .job_limit = FromSeconds(sweep.job_limit_seconds),
          .run_limit = FromSeconds(sweep.run_limit_seconds)};
}

std::string HowToGoOn(const std::string& id) {
  return absl::StrCat("`twofold run --resume ", id, "`");
}

// Whether every permutation has a node for each member of its gang.
bool CanSpread(const spec::Expansion& expansion, const std::vector<run::Worker>& workers) {
  return std::all_of(expansion.permutations.begin(), expansion.permutations.end(),
                     [&](const spec::Permutation& one) {
                       const auto nodes = run::NodesOf(run::SuitableFor(one, workers));
                       return static_cast<std::int64_t>(nodes.size()) >= one.gang;
                     });
}

}  // namespace

RunSession::RunSession(const RunCommand& command, const Globals& globals, RunWatcher& watcher,
                       RunRecord record, Benchmark benchmark)
    : command_(command),
      globals_(globals),
      watcher_(watcher),
      record_(std::move(record)),
      benchmark_(std::move(benchmark)),
      frontend_(globals),
      options_(OptionsOf(record_, benchmark_.sweep, !command.workload.empty())),
      jobs_(frontend_, options_, benchmark_.expansion),
      driver_(run::RulesOf(benchmark_.sweep), benchmark_.expansion) {}

Status RunSession::Look() {
  const auto seen = jobs_.List();
  if (!seen.ok()) return seen.status();
  for (const run::Seen& one : *seen) driver_.See(one);
  return absl::OkStatus();
}

// Also decides whether the members of a gang can be on nodes of their own.
Status RunSession::CheckWorkers() {
  const auto workers = WorkersOf(frontend_, options_.queue);
  if (!workers.ok()) return workers.status();
  const bool enough = CanSpread(benchmark_.expansion, *workers);
  record_.spread = command_.spread.empty() ? enough : command_.spread == "node";
  options_.spread = record_.spread;
  options_.placed = !command_.local;
  // One machine has the labels that it has.
  if (command_.unchecked || command_.local) return absl::OkStatus();
  return run::CheckPlacement(benchmark_.expansion.permutations, {options_.queue, *workers});
}

Status RunSession::Begin() {
  if (Status status = CheckWorkers(); !status.ok()) return status;
  if (Status status = CreateRun(frontend_, record_, benchmark_); !status.ok()) return status;
  if (Status status = jobs_.Attend(); !status.ok()) return status;
  driver_.Begin(Driver::Earlier::kGoOn);
  return Attend();
}

Status RunSession::GoOn() {
  if (Status status = jobs_.Attend(); !status.ok()) return status;
  if (Status status = CheckWorkers(); !status.ok()) return status;
  if (Status status = Look(); !status.ok()) return status;
  driver_.Begin(Driver::Earlier::kGoOn);
  return Attend();
}

Status RunSession::RetryFailed() {
  const auto retried = jobs_.RetryFailed();
  if (!retried.ok()) return retried.status();
  watcher_.Note(absl::StrCat(*retried, " jobs are run again"));
  return GoOn();
}

Status RunSession::Pause() {
  if (Status status = Look(); !status.ok()) return status;
  if (Status status = run::Pause(jobs_, driver_); !status.ok()) return status;
  if (Status status = Look(); !status.ok()) return status;
  return Print();
}

Status RunSession::Show() {
  watcher_.Note(absl::StrCat("there is a run ", record_.id, " already; nothing is run"));
  if (Status status = Look(); !status.ok()) return status;
  return Print();
}

Status RunSession::Attend() {
  if (command_.detach) return Leave();
  watcher_.Note(absl::StrCat("run ", record_.id));
  const auto ending = run::Watch(jobs_, driver_, watcher_);
  watcher_.Finish();
  return ending.ok() ? Conclude(*ending) : ending.status();
}

Status RunSession::Leave() {
  if (Status status = run::SubmitAll(jobs_, driver_); !status.ok()) return status;
  watcher_.Note(absl::StrCat("run ", record_.id, ": ", driver_.jobs().size(), " jobs; attach with ",
                             HowToGoOn(record_.id)));
  return globals_.json ? Print() : absl::OkStatus();
}

Status RunSession::Conclude(Ending ending) {
  if (ending == Ending::kOver || globals_.json) {
    if (Status status = Print(); !status.ok()) return status;
  }
  if (ending == Ending::kOver) return Verdict();
  if (command_.local) {
    return absl::CancelledError("interrupted; the local cluster has ended with what was left");
  }
  return absl::CancelledError(absl::StrCat(
      "run ", record_.id, ending == Ending::kPaused ? " is paused" : " goes on without us",
      "; go on with ", HowToGoOn(record_.id)));
}

Status RunSession::Verdict() const {
  const run::Progress progress = run::ProgressOf(driver_);
  const std::string run = absl::StrCat("run ", record_.id, ": ");
  switch (driver_.stopped()) {
    case Stop::kAsked:
      return absl::CancelledError(run + "cancelled; go on with " + HowToGoOn(record_.id));
    case Stop::kFailFast:
      return absl::InternalError(run + "a job failed, so all others were cancelled (failFast)");
    case Stop::kLimit:
      return absl::InternalError(run + "its time is over (timeLimits.run)");
    case Stop::kNone:
      break;
  }
  if (progress.succeeded == progress.jobs) return absl::OkStatus();
  const std::string again = command_.local ? ""
                            : progress.failed > 0
                                ? absl::StrCat("; `twofold run --retry-failed ", record_.id,
                                               "` runs those that failed again")
                                : absl::StrCat("; go on with ", HowToGoOn(record_.id));
  return absl::InternalError(absl::StrCat(run, progress.jobs - progress.succeeded, " of ",
                                          progress.jobs, " jobs did not succeed", again));
}

Status RunSession::Print() const {
  const auto source = OpenRuns(globals_, "");
  if (!source.ok()) return source.status();
  v1::RunResultsRequest request;
  request.set_id(record_.id);
  request.set_jobs(globals_.json);
  if (globals_.json) return PrintJson(**source, request);
  const Status status = PrintTable(**source, request);
  if (status.ok()) std::cout << CountsText(benchmark_.sweep, driver_);
  return status;
}

}  // namespace twofold::cli
