#include "lib/process/process.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <utility>

#include "lib/common/printable.h"

namespace twofold::process {
namespace {

constexpr std::size_t kTailBytes = 4096;  // what a Report has room for

// A program that ends closes its descriptors as well: so long until its end is noticed, too.
constexpr Duration kSettle = std::chrono::milliseconds(50);

constexpr std::size_t kMostText = 200;
constexpr std::size_t kMostLine = kMostText + 64;  // with the number before it

}  // namespace

std::optional<ProgressLine> ParseProgress(std::string_view line) {
  ProgressLine progress;
  const char* const end = line.data() + line.size();
  const auto [after, error] = std::from_chars(line.data(), end, progress.fraction);
  const bool good = error == std::errc() && (after == end || *after == ' ' || *after == '\t') &&
                    progress.fraction >= 0 && progress.fraction <= 1;
  if (!good) return std::nullopt;
  const std::string_view text = line.substr(static_cast<std::size_t>(after - line.data()));
  progress.text =
      Printable(text.substr(std::min(text.size(), text.find_first_not_of(" \t"))), kMostText);
  return progress;
}

std::optional<ProgressLine> ProgressReader::Append(std::string_view bytes) {
  std::optional<ProgressLine> newest;
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), bytes.find('\n'));
    line_.append(bytes.substr(0, std::min(length, kMostLine - line_.size())));
    if (length == bytes.size()) break;
    if (auto progress = ParseProgress(line_)) newest = std::move(progress);
    line_.clear();
    bytes.remove_prefix(length + 1);
  }
  return newest;
}

void OutputTail::Append(std::string_view bytes) {
  bytes.remove_prefix(bytes.size() - std::min(bytes.size(), limit_));
  kept_.append(bytes);
  if (kept_.size() > 2 * limit_) kept_.erase(0, kept_.size() - limit_);
}

std::string OutputTail::Last() const {
  return kept_.substr(kept_.size() - std::min(kept_.size(), limit_));
}

Result<std::shared_ptr<Process>> Process::Start(boost::asio::io_context& io, Reaper& reaper,
                                                const Program& program, Events events) {
  const Result<Child> child = Spawn(program);
  if (!child.ok()) return child.status();
  const std::shared_ptr<Process> process(new Process(io, reaper, child->pid, std::move(events)));
  process->Watch(*child);
  return process;
}

Process::Process(boost::asio::io_context& io, Reaper& reaper, pid_t pid, Events events)
    : reaper_(reaper),
      pid_(pid),
      events_(std::move(events)),
      output_(std::make_shared<PipeReader>(io)),
      ready_(std::make_shared<PipeReader>(io)),
      progress_(std::make_shared<PipeReader>(io)),
      grace_(io),
      settle_(io),
      tail_(kTailBytes) {}

Process::~Process() { ClosePipes(); }

void Process::Watch(const Child& child) {
  reaper_.Watch(pid_, [self = shared_from_this()](int status) { self->Exited(status); });
  output_->Start(child.output, [this](std::string_view bytes) { Printed(bytes); });
  ready_->Start(
      child.ready,
      [this](std::string_view bytes) {
        if (bytes.find('\n') != std::string_view::npos) BecomeReady();
      },
      [this] { ReadyClosed(); });
  progress_->Start(child.progress, [this](std::string_view bytes) {
    if (auto line = progress_lines_.Append(bytes)) events_.progress(*std::move(line));
  });
}

void Process::Printed(std::string_view bytes) {
  tail_.Append(bytes);
  if (followed_) events_.printed(bytes);
}

void Process::Follow(bool on) {
  followed_ = on;
  if (const std::string tail = tail_.Last(); on && !tail.empty()) events_.printed(tail);
}

void Process::ReadyClosed() {
  settle_.expires_after(kSettle);
  settle_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && self->running_) self->BecomeReady();
  });
}

// The pipe stays open: a program that has more to say there must not die of it.
void Process::BecomeReady() {
  if (!std::exchange(told_ready_, true)) events_.ready();
}

void Process::Exited(int wait_status) {
  running_ = false;
  grace_.cancel();
  settle_.cancel();
  output_->Finish();
  ClosePipes();
  events_.ended({ExitOf(wait_status), tail_.Last()});
}

void Process::Stop(Duration grace) {
  if (!running_) return;
  kill(-pid_, SIGTERM);
  kill(-pid_, SIGCONT);  // a stopped process would not see it
  grace_.expires_after(grace);
  grace_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && self->running_) kill(-self->pid_, SIGKILL);
  });
}

void Process::Abandon() {
  if (!std::exchange(running_, false)) return;
  kill(-pid_, SIGKILL);
  reaper_.Forget(pid_);
  grace_.cancel();
  settle_.cancel();
  ClosePipes();
}

void Process::ClosePipes() {
  output_->Close();
  ready_->Close();
  progress_->Close();
}

}  // namespace twofold::process
