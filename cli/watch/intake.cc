#include "cli/watch/intake.h"

#include <absl/strings/str_cat.h>

#include <string_view>
#include <utility>

#include "cli/runs/benchmark.h"
#include "cli/runs/new_run.h"
#include "cli/runs/run_record.h"
#include "lib/common/counted.h"
#include "lib/spec/sweep.h"
#include "lib/words/run_state.h"
#include "suites/table/table.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kLongestLabel = 240;  // bytes of a value; 253 are allowed

// The frontend has to answer first; until then nothing can be begun.
bool IsAway(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace

bool IsUnfinished(const v1::Run& run) {
  const std::string_view state = StateOf(run);
  if (state == "paused") return WithdrawnOf(run.counts()) == 0;
  return state == "planned" || state == "waiting" || state == "running";
}

Result<v1::Run> GetRun(const Globals& globals, const std::string& id) {
  const auto source = OpenRuns(globals);
  if (!source.ok()) return source.status();
  v1::GetRunRequest request;
  request.set_id(id);
  return (*source)->Get(request);
}

Intake::Intake(const std::string& name, const RunCommand& how, const Globals& globals,
               BenchmarkFiles files, run::Watcher& log)
    : name_(name),
      how_(how),
      globals_(globals),
      files_(std::move(files)),
      log_(log),
      frontend_(globals) {}

void Intake::Say(const Version& version, const std::string& what) {
  log_.Note(absl::StrCat(version.file, ": ", what));
}

void Intake::Look() {
  if (waiting_.size() >= kMostWaiting) return;
  Changes changes = files_.Look();
  for (const std::string& fault : changes.faults) log_.Note(fault);
  for (const std::string& file : changes.gone) {
    log_.Note(file + ": is gone; runs that it has begun go on");
  }
  for (Version& version : changes.versions) waiting_.push_back({std::move(version)});
}

std::vector<std::string> Intake::Begin() {
  std::vector<std::string> runs;
  std::deque<Waiting> left;
  bool all_wait = false;
  for (Waiting& waiting : waiting_) {
    const Next next = all_wait ? Next::kWaits : Try(waiting, runs);
    all_wait = all_wait || next == Next::kWaitsWithAllBehind;
    if (next != Next::kDone) left.push_back(std::move(waiting));
  }
  waiting_ = std::move(left);
  return runs;
}

Intake::Next Intake::Try(Waiting& waiting, std::vector<std::string>& runs) {
  const Status status = BeginRun(waiting.version, runs);
  if (status.ok()) return Next::kDone;
  const std::string why(status.message());
  if (absl::IsInvalidArgument(status)) {
    log_.Note(absl::StrCat(why, "; nothing is run"));  // begins with the file's name
    return Next::kDone;
  }
  if (why != std::exchange(waiting.said, why)) Say(waiting.version, why + "; trying again");
  return IsAway(status) ? Next::kWaitsWithAllBehind : Next::kWaits;
}

// OK: it is done with, and said.
Status Intake::BeginRun(const Version& version, std::vector<std::string>& runs) {
  const auto sweep = spec::ReadSweep(version.file, version.text, suite::Kinds());
  if (!sweep.ok()) return sweep.status();
  if (sweep->run_id.empty()) return Idle(version, *sweep);
  RunCommand command = how_;
  command.file = version.file;
  auto run = NewRun(command, version.text, globals_);
  if (!run.ok()) return run.status();
  run->record.labels = {{kWatchLabel, name_.substr(0, kLongestLabel)},
                        {kFileLabel, version.file.substr(0, kLongestLabel)}};
  const Status status = CreateRun(frontend_, run->record, run->benchmark);
  if (absl::IsAlreadyExists(status)) return Found(*run, runs);
  if (!status.ok()) return status;
  Say(version, absl::StrCat("run ", run->record.id, " is in line, ",
                            Counted(run->benchmark.expansion.jobs.size(), "job")));
  runs.push_back(run->record.id);
  return absl::OkStatus();
}

// What is wrong with it is said already now; which nodes it may choose from is not known yet.
Status Intake::Idle(const Version& version, const spec::Sweep& sweep) {
  if (!sweep.nodes) {
    const auto checked = ExpandBenchmark(version.file, version.text, {});
    if (!checked.ok()) return checked.status();
  }
  Say(version, "idle, as it has no metadata.runid");
  return absl::OkStatus();
}

// There is a run with this id. It may be ours: begun by who was here before us, or by a call whose
// answer has not reached us.
Status Intake::Found(const KnownRun& run, std::vector<std::string>& runs) {
  const auto stored = GetRun(globals_, run.record.id);
  if (!stored.ok()) return stored.status();
  const std::string state = StateOf(*stored);
  const Version version{run.record.file, ""};
  if (stored->definition() != run.record.text) {
    Say(version,
        absl::StrCat("refused: runid ", stored->id(), " was used before, by run ", stored->name(),
                     " (", state, "), which is another benchmark; give this one a new runid"));
    return absl::OkStatus();
  }
  Say(version, absl::StrCat("run ", stored->id(), " is there already, ", state));
  if (LabelOf(*stored, kWatchLabel) == name_ && IsUnfinished(*stored)) runs.push_back(stored->id());
  return absl::OkStatus();
}

}  // namespace twofold::cli
