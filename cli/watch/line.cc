#include "cli/watch/line.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iostream>
#include <utility>
#include <vector>

#include "cli/queues/frontend.h"
#include "cli/results/run_source.h"
#include "cli/runs/new_run.h"
#include "cli/runs/run_record.h"
#include "cli/watch/intake.h"
#include "lib/words/run_state.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::cli {
namespace {

constexpr std::uint32_t kRunsAPage = 200;

/// The runs that the watch `name` has begun, the newest first.
Result<std::vector<v1::Run>> RunsOf(const std::string& name, const Globals& globals) {
  const auto source = OpenRuns(globals);
  if (!source.ok()) return source.status();
  std::vector<v1::Run> runs;
  v1::ListRunsRequest request;
  request.set_page_size(kRunsAPage);
  do {
    auto reply = (*source)->List(request);
    if (!reply.ok()) return reply.status();
    for (v1::Run& run : *reply->mutable_runs()) {
      if (LabelOf(run, kWatchLabel) == name) runs.push_back(std::move(run));
    }
    request.set_page_token(reply->next_page_token());
  } while (!request.page_token().empty());
  return runs;
}

// "run r1 of bench.yaml: ended, 4 of 4 jobs succeeded"
std::string EndText(const v1::Run& run) {
  return absl::StrCat("run ", run.id(), " of ", LabelOf(run, kFileLabel), ": ", StateOf(run), ", ",
                      SucceededOf(run.counts()), " of ",
                      run.counts().planned() + EndedOf(run.counts()), " jobs succeeded");
}

}  // namespace

RunLine::RunLine(const std::string& name, const RunCommand& how, Duration patience,
                 const Globals& globals, run::Watcher& log)
    : name_(name), how_(how), patience_(patience), globals_(globals), log_(log) {}

void RunLine::Add(const std::string& run) {
  const bool known =
      std::any_of(line_.begin(), line_.end(), [&](const Place& place) { return place.run == run; });
  if (!known) line_.push_back({run});
}

// Who was here before us may have ended while the newest of the runs that have begun was looked at:
// only it may want further repetitions.
Status RunLine::TakeUp() {
  const auto runs = RunsOf(name_, globals_);
  if (!runs.ok()) return runs.status();
  bool has_begun = false;
  for (const v1::Run& run : *runs) {
    const bool is_newest = !std::exchange(has_begun, has_begun || EndedOf(run.counts()) > 0);
    const bool ended = is_newest && StateOf(run) == std::string("ended");
    if (!ended && !IsUnfinished(run)) continue;
    line_.push_front({run.id(), ended});
    if (!ended)
      log_.Note(absl::StrCat("run ", run.id(), " of ", LabelOf(run, kFileLabel), " is taken up, ",
                             StateOf(run)));
  }
  return absl::OkStatus();
}

void RunLine::Say(Place& place, const std::string& what) {
  if (what == std::exchange(place.said, what)) return;
  log_.Note(absl::StrCat("run ", place.run, ": ", what));
}

bool RunLine::RunFirst() {
  Place& place = line_.front();
  const auto run = GetRun(globals_, place.run);
  bool is_over = absl::IsNotFound(run.status());
  Status status = run.status();
  if (run.ok()) status = CarryOut(place, *run, is_over);
  if (!status.ok() && !absl::IsCancelled(status)) Say(place, std::string(status.message()));
  if (is_over) line_.pop_front();
  return is_over;
}

// OK: it was looked after, until it was over or somebody wished to leave.
Status RunLine::CarryOut(Place& place, const v1::Run& run, bool& is_over) {
  const bool is_unfinished = IsUnfinished(run);
  if (!is_unfinished && !place.may_want_more) {
    is_over = true;
    log_.Note(EndText(run));
    return absl::OkStatus();
  }
  auto record = RecordOf(run);
  auto known = record.ok() ? Expanded(*std::move(record)) : record.status();
  is_over = !known.ok() || (!is_unfinished && !known->benchmark.sweep.until);
  if (is_over) return known.status();
  const bool is_new = EndedOf(run.counts()) + run.counts().waiting() + run.counts().running() == 0;
  RunCommand command = how_;
  // What has been submitted waits for its workers: they may be starting anew.
  command.unchecked = command.unchecked || !is_new;
  const RunSetting setting{command, globals_, log_};
  const Status status = RunSession(setting, *std::move(known)).GoOn();
  std::cout << std::flush;
  place.may_want_more = false;
  return is_new ? WaitForWorkers(place, status) : status;
}

// FAILED_PRECONDITION, NOT_FOUND: no worker can run it, or there is no such queue.
Status RunLine::WaitForWorkers(Place& place, const Status& status) {
  if (!absl::IsFailedPrecondition(status) && !absl::IsNotFound(status)) {
    place.waits_since.reset();
    return status;
  }
  if (!place.waits_since) place.waits_since = Now();
  if (Now() - *place.waits_since < patience_) return status;
  v1::CancelRunRequest request;
  request.set_id(place.run);
  const auto reply = Frontend(globals_).CancelRun(request);
  if (!reply.ok()) return reply.status();
  return absl::FailedPreconditionError(absl::StrCat(
      "given up, as no workers that can run it have come (--patience): ",
      std::string(status.message()), "; `twofold run --resume ", place.run, "` runs it"));
}

}  // namespace twofold::cli
