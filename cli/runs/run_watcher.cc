#include "cli/runs/run_watcher.h"

#include <absl/strings/str_cat.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <span>
#include <string_view>

#include "cli/runs/run_view.h"
#include "lib/common/printable.h"

namespace twofold::cli {
namespace {

constexpr Duration kBetweenLines = std::chrono::seconds(2);
constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kMostOfLine = 4096;

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
    {'p', run::Wish::kDetach, "pause, the local cluster ends; --resume goes on"},
    {'c', run::Wish::kCancel, "cancel the run"},
};

std::size_t TerminalWidth() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualWidth;
}

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

// Past std::cerr, which lets no such characters pass.
void ClearLine() {
  constexpr std::string_view kClear = "\r\x1b[K";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kClear.data(), kClear.size());
}

// Rounded up, so that a short wait is not none.
int Milliseconds(Duration time) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(time).count());
}

}  // namespace

RunWatcher::RunWatcher(bool is_local, Asks asks)
    : is_local_(is_local),
      terminal_(isatty(STDERR_FILENO) == 1),
      interactive_(asks == Asks::kAPerson && terminal_ && isatty(STDIN_FILENO) == 1) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

RunWatcher::~RunWatcher() {
  Finish();
  close(signals_);
}

void RunWatcher::Finish() {
  if (line_open_) std::cerr << std::endl;
  line_open_ = false;
  last_.clear();
}

void RunWatcher::Note(const std::string& line) {
  if (line_open_) ClearLine();
  std::cerr << Printable(line, kMostOfLine) << std::endl;
  line_open_ = false;
}

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
  if (terminal_) {
    ClearLine();
    std::cerr << run::ProgressLine(driver, progress, TerminalWidth() - 1) << std::flush;
    line_open_ = true;
    return;
  }
  const std::string text = run::ProgressText(driver, progress);
  const bool last = progress.ended() == progress.jobs;
  if (text == last_ || (!last && Now() - last_at_ < kBetweenLines)) return;
  last_ = text;
  last_at_ = Now();
  Note(text);
}

// 0: none has come.
int RunWatcher::TakeSignal() const {
  signalfd_siginfo info{};
  return read(signals_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

run::Wish RunWatcher::Wait(Duration at_most) {
  pollfd arrived = {signals_, POLLIN, 0};
  poll(&arrived, 1, Milliseconds(at_most));
  const int signal = TakeSignal();
  if (signal == 0) return run::Wish::kNone;
  return signal == SIGINT && interactive_ ? Ask() : run::Wish::kDetach;
}

// A second Ctrl-C is an answer, too.
run::Wish RunWatcher::Ask() {
  const Choices choices = is_local_ ? Choices(kOnThisMachine) : Choices(kOnACluster);
  Note(Question(choices));
  pollfd both[] = {{signals_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  poll(both, 2, -1);
  if (TakeSignal() != 0) return run::Wish::kDetach;
  std::string answer;
  return std::getline(std::cin, answer) ? WishOf(answer, choices) : run::Wish::kDetach;
}

}  // namespace twofold::cli
