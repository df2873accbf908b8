#include "cli/runs/run_session.h"

#include <absl/strings/str_cat.h>

#include <iostream>
#include <utility>

#include "cli/report/report.h"
#include "cli/results/results.h"
#include "cli/runs/placement.h"
#include "cli/runs/run_view.h"
#include "lib/common/counted.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::cli {
namespace {

using run::Stop;
using run::Wish;

}  // namespace

RunSession::RunSession(const RunSetting& setting, KnownRun run)
    : setting_(setting),
      record_(std::move(run.record)),
      benchmark_(std::move(run.benchmark)),
      frontend_(setting.globals),
      common_(CommonOptions(record_, benchmark_.sweep)),
      jobs_(frontend_, common_, benchmark_.sweep.name, benchmark_.expansion),
      driver_(run::RulesOf(benchmark_.sweep), benchmark_.expansion) {}

// `option` is --resume or --retry-failed.
std::string RunSession::HowToGoOn(const std::string& option) const {
  const std::string local = setting_.local ? setting_.local->Option() + " " : "";
  return absl::StrCat("`twofold run ", local, option, " ", record_.id, "`");
}

void RunSession::SayWhatIsKept() const {
  if (!setting_.local) return;
  setting_.watcher.Note(absl::StrCat("kept: `twofold results ", record_.id, " --store ",
                                     ShellWord(setting_.local->StoreFile()), "`"));
}

// Also decides whether the members of a gang can be on nodes of their own.
Status RunSession::CheckWorkers() {
  const RunCommand& command = setting_.command;
  const auto found = run::WorkersIfListed(frontend_, record_.queue);
  if (!found.ok()) return found.status();
  const std::optional<std::vector<run::Worker>>& workers = *found;
  const bool enough = workers && run::CanSpread(benchmark_.expansion.permutations, *workers);
  record_.spread = command.spread.empty() ? enough : command.spread == "node";
  common_ = CommonOptions(record_, benchmark_.sweep);
  if (!workers) {
    setting_.watcher.Note(
        "this token may not list workers: jobs that none can run wait for some that can, and "
        "gangs are not spread over nodes without --spread node");
  }
  // A local run has workers of its own, as many as it takes.
  if (command.unchecked || setting_.local || !workers) return absl::OkStatus();
  return run::CheckPlacement(benchmark_.expansion.permutations, {record_.queue, *workers});
}

Status RunSession::Create() {
  if (Status status = CheckWorkers(); !status.ok()) return status;
  if (Status status = CreateRun(frontend_, record_, benchmark_); !status.ok()) return status;
  return jobs_.Attend();
}

Status RunSession::TakeOver() {
  if (Status status = jobs_.Attend(); !status.ok()) return status;
  return CheckWorkers();
}

Status RunSession::Begin() {
  if (Status status = Create(); !status.ok()) return status;
  driver_.Begin();
  return Attend();
}

Status RunSession::GoOn() {
  if (Status status = TakeOver(); !status.ok()) return status;
  if (Status status = run::Look(jobs_, driver_); !status.ok()) return status;
  driver_.Begin();
  return Attend();
}

Status RunSession::RetryFailed() {
  const auto retried = jobs_.RetryFailed();
  if (!retried.ok()) return retried.status();
  setting_.watcher.Note(absl::StrCat("run again: ", Counted(*retried, "job")));
  return GoOn();
}

Status RunSession::Pause() {
  if (Status status = run::Look(jobs_, driver_); !status.ok()) return status;
  if (Status status = run::Pause(jobs_, driver_); !status.ok()) return status;
  if (Status status = run::Look(jobs_, driver_); !status.ok()) return status;
  return Print();
}

Status RunSession::Show() {
  setting_.watcher.Note(absl::StrCat("there is a run ", record_.id, " already; nothing is run"));
  if (Status status = run::Look(jobs_, driver_); !status.ok()) return status;
  const Status status = Print();
  SayWhatIsKept();
  return status;
}

Status RunSession::Attend() {
  if (setting_.command.detach) return Leave();
  setting_.watcher.Note(absl::StrCat("run ", record_.id));
  if (setting_.local) {
    setting_.watcher.Note(absl::StrCat("store ", setting_.local->StoreFile(), ", logs in ",
                                       setting_.local->LogsDir()));
  }
  const auto ending = run::Watch(jobs_, driver_, setting_.watcher);
  setting_.watcher.Finish();
  const Status status = ending.ok() ? Conclude(*ending) : ending.status();
  SayWhatIsKept();
  return status;
}

Status RunSession::Leave() {
  if (Status status = run::SubmitAll(jobs_, driver_); !status.ok()) return status;
  setting_.watcher.Note(absl::StrCat("run ", record_.id, ": ",
                                     Counted(driver_.jobs().size(), "job"), "; attach with ",
                                     HowToGoOn("--resume")));
  return setting_.globals.json() ? Print() : absl::OkStatus();
}

Status RunSession::Conclude(Wish left) {
  if (driver_.stopped() != Stop::kNone) {
    if (Status status = MarkAsCancelled(); !status.ok()) return status;
  }
  if (left == Wish::kNone || setting_.globals.json()) {
    if (Status status = Print(); !status.ok()) return status;
  }
  return left == Wish::kNone ? Verdict() : Left(left);
}

Status RunSession::Left(Wish wish) const {
  const bool goes_on = wish == Wish::kDetach;
  return absl::CancelledError(absl::StrCat("run ", record_.id,
                                           goes_on ? " goes on without us" : " is paused",
                                           "; go on with ", HowToGoOn("--resume")));
}

Status RunSession::Ended(const std::vector<run::Seen>& jobs, Stop stop) {
  for (const run::Seen& seen : jobs) driver_.See(seen);
  if (stop == Stop::kNone) return Verdict();
  driver_.StopNow(stop);
  if (Status status = MarkAsCancelled(); !status.ok()) return status;
  return Verdict();
}

// Its jobs were, one by one, while we watched.
Status RunSession::MarkAsCancelled() const {
  v1::CancelRunRequest request;
  request.set_id(record_.id);
  return frontend_.CancelRun(request).status();
}

Status RunSession::Verdict() const {
  const run::Progress progress = run::ProgressOf(driver_);
  const std::string run = absl::StrCat("run ", record_.id, ": ");
  switch (driver_.stopped()) {
    case Stop::kAsked:
      return absl::CancelledError(run + "cancelled; go on with " + HowToGoOn("--resume"));
    case Stop::kFailFast:
      return absl::InternalError(run + "a job failed, so all others were cancelled (failFast)");
    case Stop::kNoProgram:
      return absl::FailedPreconditionError(
          absl::StrCat(run, run::ShortfallText(driver_),
                       "; the others need it, too, and were cancelled. Once it is there, ",
                       HowToGoOn("--retry-failed"), " runs all of them"));
    case Stop::kLimit:
      return absl::InternalError(run + "its time is over (timeLimits.run)");
    case Stop::kNone:
      break;
  }
  if (progress.succeeded == progress.jobs) return absl::OkStatus();
  const std::string again =
      progress.failed > 0
          ? absl::StrCat("; ", HowToGoOn("--retry-failed"), " runs those that failed again")
          : absl::StrCat("; go on with ", HowToGoOn("--resume"));
  return absl::InternalError(absl::StrCat(run, run::ShortfallText(driver_), again));
}

Status RunSession::Print() const {
  const auto source = OpenRuns(setting_.globals);
  if (!source.ok()) return source.status();
  v1::RunResultsRequest request;
  request.set_id(record_.id);
  request.set_jobs(setting_.globals.json());
  const Status status = PrintResults(**source, request, setting_.globals.form);
  if (!status.ok()) return status;
  if (!setting_.globals.json()) std::cout << run::CountsText(benchmark_.sweep, driver_);
  return WriteReport(**source);
}

Status RunSession::WriteReport(RunSource& source) const {
  const std::string& file = setting_.command.html;
  if (file.empty()) return absl::OkStatus();
  const auto run = ReadRun(source, record_.id);
  if (!run.ok()) return run.status();
  const auto document = report::DocumentOf({&*run, 1});
  return document.ok() ? Write({.html = file}, *document) : document.status();
}

}  // namespace twofold::cli
