#include "cli/runs/run_watcher.h"

#include <absl/strings/str_cat.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <span>

#include "cli/runs/run_view.h"

namespace twofold::cli {
namespace {

constexpr Duration kBetweenRunLines = std::chrono::seconds(2);

/// What may become of a run that is interrupted: a key, and what it does.
struct Choice {
  char key;
  run::Wish wish;
  const char* text;
};
using Choices = std::span<const Choice>;

constexpr Choice kOnACluster[] = {
    {'d', run::Wish::kDetach, "detach, jobs go on"},
    {'p', run::Wish::kPause, "pause, what waits is withdrawn"},
    {'c', run::Wish::kCancel, "cancel the run"},
};
constexpr Choice kOnThisMachine[] = {
    {'p', run::Wish::kRest, "pause, the local cluster ends; --resume goes on"},
    {'c', run::Wish::kCancel, "cancel the run"},
};

run::Wish WishOf(const std::string& answer, Choices choices) {
  for (const Choice& choice : choices) {
    if (answer.starts_with(choice.key)) return choice.wish;
  }
  return run::Wish::kNone;
}

std::string Question(Choices choices) {
  std::string question;
  for (const Choice& choice : choices) {
    absl::StrAppend(&question, std::string(1, choice.key), ": ", choice.text, "; ");
  }
  return question + "Enter: go on ";
}

}  // namespace

RunWatcher::RunWatcher(bool is_local, Asks asks)
    : is_local_(is_local),
      interactive_(asks == Asks::kAPerson && line_.terminal() && isatty(STDIN_FILENO) == 1) {}

void RunWatcher::Finish() {
  line_.Finish();
  last_.clear();
}

void RunWatcher::Note(const std::string& line) { line_.Note(line); }

void RunWatcher::NameFailures(const run::Driver& driver) {
  for (const run::Driver::Job& job : driver.jobs()) {
    if (job.seen.phase != run::Phase::kFailed || !named_.insert(job.seen.id).second) continue;
    Note(absl::StrCat("job ", job.seen.id, " failed, ", run::JobText(driver, job),
                      job.seen.reason.empty() ? "" : ": ", job.seen.reason));
  }
}

void RunWatcher::Show(const run::Driver& driver) {
  NameFailures(driver);
  const run::Progress progress = run::ProgressOf(driver);
  if (line_.terminal()) {
    return line_.Replace(run::ProgressLine(driver, progress, LiveLine::Width()));
  }
  run::Progress counts = progress;
  counts.left.reset();  // it changes all the time
  const std::string text = run::ProgressText(driver, counts);
  const bool last = progress.ended() == progress.jobs;
  if (text == last_ || (!last && Now() - last_at_ < kBetweenRunLines)) return;
  last_ = text;
  last_at_ = Now();
  Note(run::ProgressText(driver, progress));
}

run::Wish RunWatcher::Wait(Duration at_most) {
  const int signal = signals_.Wait(at_most);
  if (signal == 0) return run::Wish::kNone;
  return signal == SIGINT && interactive_ ? Ask() : Unasked();
}

run::Wish RunWatcher::Unasked() const { return is_local_ ? run::Wish::kRest : run::Wish::kDetach; }

// A second Ctrl-C is an answer, too.
run::Wish RunWatcher::Ask() {
  const Choices choices = is_local_ ? Choices(kOnThisMachine) : Choices(kOnACluster);
  Note(Question(choices));
  pollfd both[] = {{signals_.descriptor(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  poll(both, 2, -1);
  if (signals_.Take() != 0) return Unasked();
  std::string answer;
  return std::getline(std::cin, answer) ? WishOf(answer, choices) : Unasked();
}

}  // namespace twofold::cli
