#include "backend/benchmark/stage_run.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/benchmark/host.h"

namespace twofold::backend {
namespace {

using std::chrono::milliseconds;

// A server is looked at soon, and then less and less often.
constexpr Duration kFirstLook = milliseconds(2);
constexpr Duration kReadyPause = milliseconds(100);
constexpr Duration kFollowPause = milliseconds(100);
constexpr Duration kSizePause = milliseconds(250);

constexpr std::uint64_t kFirstTold = 4 << 10;   // of what was printed before it was followed
constexpr std::uint64_t kMostTold = 256 << 10;  // at once; who follows wants the newest
constexpr std::uint64_t kMostSearched = 1 << 20;

}  // namespace

Result<std::shared_ptr<StageRun>> StageRun::Start(boost::asio::io_context& io,
                                                  process::Reaper& reaper, const StageSetup& setup,
                                                  Events events) {
  const std::shared_ptr<StageRun> run(new StageRun(io, setup, std::move(events)));
  if (Status status = run->Launch(io, reaper, setup); !status.ok()) return status;
  return run;
}

StageRun::StageRun(boost::asio::io_context& io, const StageSetup& setup, Events events)
    : plan_(setup.plan),
      most_output_(setup.most_output),
      events_(std::move(events)),
      watch_(io),
      limit_(io),
      ready_pause_(kFirstLook),
      awaits_ready_(setup.plan.phase == suite::Phase::kServe) {}

StageRun::~StageRun() {
  if (process_) process_->Abandon();
}

Status StageRun::Launch(boost::asio::io_context& io, process::Reaper& reaper,
                        const StageSetup& setup) {
  // Or the other one would be taken for ours, and be measured.
  if (plan_.ready.port != 0 && Listens(plan_.ready.port)) {
    return absl::AlreadyExistsError(absl::StrCat("port ", plan_.ready.port, " is in use already"));
  }
  for (const auto& [output, path] : {std::pair{&out_, &setup.out}, {&err_, &setup.err}}) {
    auto file = OutputFile::Create(*path);
    if (!file.ok()) return file.status();
    output->file = *std::move(file);
  }
  process::Program program{.argv = plan_.argv, .null_in = true, .tells_progress = true};
  program.argv[0] = setup.program;
  program.environment = setup.environment;
  program.directory = setup.directory;
  program.out = out_.file->descriptor();
  program.err = err_.file->descriptor();
  started_ = Now();
  auto process = process::Process::Start(
      io, reaper, program,
      {.ended = [this](process::ProgramEnd end) { Ended(std::move(end)); },
       .progress = [this](process::ProgressLine line) { events_.progress(std::move(line)); }});
  if (!process.ok()) return process.status();
  process_ = *std::move(process);
  Watch();
  if (!plan_.limit) return absl::OkStatus();
  limit_.expires_after(*plan_.limit);
  limit_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->StopBecause(absl::StrCat("ran past its limit of ", ToSeconds(*self->plan_.limit), " s"));
  });
  return absl::OkStatus();
}

void StageRun::Watch() {
  watch_.expires_after(Pause());
  watch_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->Watch();  // first: who is told may end it
    self->Look();
  });
}

Duration StageRun::Pause() {
  if (awaits_ready_) return std::exchange(ready_pause_, std::min(2 * ready_pause_, kReadyPause));
  return followed_ ? kFollowPause : kSizePause;
}

void StageRun::Look() {
  LookAtSizes();
  if (followed_) {
    Tell(out_);
    Tell(err_);
  }
  if (awaits_ready_) LookForReady();
}

void StageRun::LookForReady() {
  const suite::Readiness& ready = plan_.ready;
  if (ready.port != 0 && !Listens(ready.port)) return;
  if (!ready.line.empty() && !HasLine(out_) && !HasLine(err_)) return;
  awaits_ready_ = false;
  events_.ready();
}

bool StageRun::HasLine(Output& output) {
  const std::uint64_t size = output.file->size();
  if (size == output.searched || output.searched >= kMostSearched) return false;
  output.searched = size;
  return output.file->Read(0, std::min(size, kMostSearched)).find(plan_.ready.line) !=
         std::string::npos;
}

void StageRun::LookAtSizes() {
  if (out_.file->size() <= most_output_ && err_.file->size() <= most_output_) return;
  StopBecause(absl::StrCat("printed more than ", most_output_ >> 20, " MiB"));
}

void StageRun::Follow(bool on) {
  if (on && !followed_) {
    for (Output* output : {&out_, &err_}) {
      output->told = output->file->size() - std::min(output->file->size(), kFirstTold);
      Tell(*output);
    }
  }
  followed_ = on;
}

void StageRun::Tell(Output& output) {
  const std::uint64_t size = output.file->size();
  if (size <= output.told) return;
  const std::uint64_t news = std::min(size - output.told, kMostTold);
  output.told = size;
  events_.printed(output.file->Read(size - news, news));
}

void StageRun::StopBecause(std::string why) {
  if (!why_stopped_.empty()) return;
  why_stopped_ = std::move(why);
  process_->Stop();
}

void StageRun::Ended(process::ProgramEnd end) {
  wall_ = Now() - started_;
  watch_.cancel();
  limit_.cancel();
  if (followed_) {
    Tell(out_);
    Tell(err_);
  }
  end_ = std::move(end);
  using How = StageEnd::How;
  if (!why_stopped_.empty()) return events_.ended({How::kBroken, why_stopped_});
  if (end_.exit.ok()) return events_.ended({How::kWell});
  events_.ended({How::kBadly, process::Describe(end_.exit)});
}

}  // namespace twofold::backend
