#include <absl/strings/str_cat.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "cli/command/command.h"
#include "cli/runs/run_command.h"
#include "cli/runs/run_watcher.h"
#include "cli/watch/files.h"
#include "cli/watch/intake.h"
#include "cli/watch/line.h"
#include "lib/common/instant.h"
#include "lib/common/options.h"

// Files drive runs: a version of a benchmark file that has a new runid is run once.
//
//   files.h   what is new in the folder
//   intake.h  begins a run for it: from then on the frontend has it
//   line.h    carries the runs out, one after the other, by cli/runs
//
// All state is in the frontend: whatever is started anew finds there which runs were begun, and
// which of their jobs have ended.
namespace twofold::cli {
namespace {

constexpr Duration kBetweenLooks = std::chrono::seconds(1);

struct WatchOptions {
  std::string path;
  std::string name;
  double patience_seconds = 600;
  RunCommand how;
};

/// Shows runs, and lets the files be looked at while it waits.
class WatchLog final : public run::Watcher {
 public:
  void LookAt(Intake& intake, RunLine& line) {
    intake_ = &intake;
    line_ = &line;
  }

  void Show(const run::Driver& driver) override { shown_.Show(driver); }
  void Note(const std::string& line) override { shown_.Note(line); }
  void Finish() override { shown_.Finish(); }

  run::Wish Wait(Duration at_most) override {
    const Instant end = Now() + at_most;
    do {
      Look();
      wish_ = shown_.Wait(std::clamp<Duration>(end - Now(), Duration::zero(), kBetweenLooks));
    } while (wish_ == run::Wish::kNone && Now() < end);
    return wish_;
  }

  /// Somebody has wished that the watch ends.
  [[nodiscard]] bool ended() const { return wish_ != run::Wish::kNone; }

 private:
  void Look() {
    if (intake_ == nullptr || Now() - looked_ < kBetweenLooks) return;
    looked_ = Now();
    intake_->Look();
    for (const std::string& run : intake_->Begin()) line_->Add(run);
  }

  RunWatcher shown_{false, RunWatcher::Asks::kNobody};
  Intake* intake_ = nullptr;
  RunLine* line_ = nullptr;
  run::Wish wish_ = run::Wish::kNone;
  Instant looked_{};
};

bool WatchCanBeTriedAgain(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

// What earlier watches have begun comes first. The files are looked at meanwhile: what they say now
// may be overwritten before the frontend answers.
Status TakeUp(RunLine& line, Intake& intake, run::Watcher& log) {
  bool said = false;
  for (;;) {
    Status status = line.TakeUp();
    if (!WatchCanBeTriedAgain(status)) return status;
    if (!std::exchange(said, true)) log.Note(std::string(status.message()) + "; trying again");
    intake.Look();
    if (log.Wait(kBetweenLooks) != run::Wish::kNone) return absl::OkStatus();
  }
}

Status WatchFiles(const WatchOptions& options, const Globals& globals) {
  auto files = BenchmarkFiles::At(options.path);
  if (!files.ok()) return files.status();
  WatchLog log;
  RunLine line(options.name, options.how, FromSeconds(options.patience_seconds), globals, log);
  Intake intake(options.name, options.how, globals, *std::move(files), log);
  if (Status status = TakeUp(line, intake, log); !status.ok()) return status;
  log.LookAt(intake, line);
  while (!log.ended()) {
    const bool goes_on = !line.empty() && line.RunFirst();
    if (!goes_on && !log.ended()) log.Wait(kBetweenLooks);
  }
  log.Note("the watch ends; the next one goes on where it was");
  return absl::OkStatus();
}

Action BindWatchFiles(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<WatchOptions>();
  app.add_option("PATH", options->path,
                 "A benchmark file, or a folder of them (.yaml, .yml, .json), such as a ConfigMap")
      ->required();
  app.add_option("--name", options->name,
                 "Tells the runs of several watches on one frontend apart; else PATH");
  AddOption(app, "--patience", options->patience_seconds, Seconds(),
            "Seconds that a run waits for workers that can run it; then it is cancelled");
  AddPlaces(app, options->how);
  return [options, &globals] {
    if (options->name.empty()) options->name = options->path;
    return WatchFiles(*options, globals);
  };
}

}  // namespace

std::vector<Command> WatchCommands() {
  return {{"watch",
           "Run benchmark files when they appear or change, each metadata.runid once, in order",
           "twofold watch /etc/twofold/benchmarks --frontend localhost:9997", BindWatchFiles}};
}

}  // namespace twofold::cli
