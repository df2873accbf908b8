#include "backend/benchmark/stage_run.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/benchmark/host.h"
#include "backend/workload/after.h"
#include "lib/common/printable.h"

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

// Arguments are of a spec, which may be longer than a result.
constexpr std::size_t kMostArgument = 1000;
constexpr int kMostArguments = 100;

}  // namespace

Result<std::shared_ptr<StageRun>> StageRun::Start(boost::asio::io_context& io,
                                                  process::Reaper& reaper, const Prepared& prepared,
                                                  std::size_t index, std::uint64_t most_output,
                                                  Events events) {
  const suite::Stage& plan = prepared.rank_plan().stages[index];
  const std::shared_ptr<StageRun> run(new StageRun(io, plan, most_output, std::move(events)));
  if (Status status = run->Launch(io, reaper, prepared, index); !status.ok()) return status;
  return run;
}

StageRun::StageRun(boost::asio::io_context& io, const suite::Stage& plan, std::uint64_t most_output,
                   Events events)
    : plan_(plan),
      most_output_(most_output),
      events_(std::move(events)),
      watch_(io),
      limit_(io),
      ready_pause_(kFirstLook),
      awaits_ready_(plan.phase == suite::Phase::kServe) {}

StageRun::~StageRun() {
  if (process_) process_->Abandon();
}

Status StageRun::Launch(boost::asio::io_context& io, process::Reaper& reaper,
                        const Prepared& prepared, std::size_t index) {
  // Or the other one would be taken for ours, and be measured.
  if (plan_.ready.port != 0 && Listens(plan_.ready.port)) {
    return absl::AlreadyExistsError(absl::StrCat("port ", plan_.ready.port, " is in use already"));
  }
  const std::string prefix = absl::StrCat(prepared.folder->out(), "/", index);
  for (const auto& [output, suffix] : {std::pair{&out_, ".out"}, {&err_, ".err"}}) {
    auto file = OutputFile::Create(prefix + suffix);
    if (!file.ok()) return file.status();
    output->file = *std::move(file);
  }
  process::Program program{.argv = plan_.argv, .null_in = true, .tells_progress = true};
  program.argv[0] = prepared.programs[index];
  program.environment = prepared.environment;
  for (const auto& [name, value] : plan_.environment) {
    program.environment.push_back(absl::StrCat(name, "=", value));
  }
  program.directory = prepared.folder->run();
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
  After(limit_, *plan_.limit, weak_from_this(), [](StageRun& run) {
    run.StopBecause(absl::StrCat("ran past its limit of ", ToSeconds(*run.plan_.limit), " s"));
  });
  return absl::OkStatus();
}

void StageRun::Watch() {
  After(watch_, Pause(), weak_from_this(), [](StageRun& run) {
    run.Watch();  // first: who is told may end it
    run.Look();
  });
}

Duration StageRun::Pause() {
  if (awaits_ready_) return std::exchange(ready_pause_, std::min(2 * ready_pause_, kReadyPause));
  return followed_ ? kFollowPause : kSizePause;
}

void StageRun::Look() {
  LookAtSizes();
  if (followed_) Tell();
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
    }
    Tell();
  }
  followed_ = on;
}

void StageRun::Tell() {
  for (Output* output : {&out_, &err_}) {
    const std::uint64_t size = output->file->size();
    if (size <= output->told) continue;
    const std::uint64_t news = std::min(size - output->told, kMostTold);
    output->told = size;
    events_.printed(output->file->Read(size - news, news));
  }
}

void StageRun::StopBecause(std::string why) {
  if (!why_stopped_.empty()) return;
  why_stopped_ = std::move(why);
  Stop();
}

void StageRun::Ended(process::ProgramEnd end) {
  wall_ = Now() - started_;
  watch_.cancel();
  limit_.cancel();
  if (followed_) Tell();
  end_ = std::move(end);
  using How = StageEnd::How;
  if (!why_stopped_.empty()) return events_.ended({How::kBroken, why_stopped_});
  if (end_.exit.ok()) return events_.ended({How::kWell});
  events_.ended({How::kBadly, process::Describe(end_.exit)});
}

v1::StageRecord RecordOf(const Prepared& prepared, std::size_t index, const StageEnd& end,
                         const StageRun* run, const OutputLimits& limits, Instant start) {
  const suite::Stage& stage = prepared.rank_plan().stages[index];
  v1::StageRecord record;
  record.set_name(stage.name);
  for (const std::string& argument : stage.argv) {
    if (record.argv_size() == kMostArguments) break;
    record.add_argv(Printable(argument, kMostArgument));
  }
  record.set_tool_version(prepared.versions[index]);
  if (end.how == StageEnd::How::kBroken) record.set_error(Printable(end.why, kMostArgument));
  record.set_exit_code(-1);
  if (run == nullptr) return record;
  record.set_started_ns(static_cast<std::uint64_t>((run->started() - start).count()));
  record.set_wall_ns(static_cast<std::uint64_t>(run->wall().count()));
  const process::Exit& exit = run->program_end().exit;
  record.set_signal(exit.signal);
  if (exit.signal == 0) record.set_exit_code(exit.code);
  // What is read of a stage has to be whole; of others both ends are enough.
  const std::uint64_t kept = stage.phase == suite::Phase::kRun ? limits.read : limits.kept;
  *record.mutable_out() = Keep("stdout", run->out(), kept);
  *record.mutable_err() = Keep("stderr", run->err(), kept);
  for (const std::string& path : stage.collect) {
    const auto file = OutputFile::Open(prepared.folder->Absolute(path));
    // One that is missing is missed by Parse, if it needs it.
    if (file.ok()) *record.add_files() = Keep(path, **file, kept);
  }
  return record;
}

}  // namespace twofold::backend
