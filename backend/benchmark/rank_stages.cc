#include "backend/benchmark/rank_stages.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "backend/benchmark/artifact.h"
#include "backend/benchmark/output_file.h"
#include "lib/common/printable.h"

namespace twofold::backend {
namespace {

using Action = StageSequence::Do;

// Arguments are of a spec, which may be longer than a result.
constexpr std::size_t kMostArgument = 1000;
constexpr int kMostArguments = 100;

// What is read of a stage has to be whole; of others both ends are enough.
std::uint64_t KeptOf(const suite::Stage& stage, const OutputLimits& limits) {
  return stage.phase == suite::Phase::kRun ? limits.read : limits.kept;
}

}  // namespace

RankStages::RankStages(boost::asio::io_context& io, process::Reaper& reaper,
                       const Prepared& prepared, const OutputLimits& limits, Instant start,
                       bool barrier, Events events)
    : io_(io),
      reaper_(reaper),
      prepared_(prepared),
      stages_(prepared.rank_plan().stages),
      limits_(limits),
      start_(start),
      events_(std::move(events)),
      sequence_(stages_, barrier),
      ran_(stages_.size()) {}

void RankStages::Go() {
  sequence_.Go();
  Advance();
}

void RankStages::Close() {
  sequence_.Close();
  Advance();
}

void RankStages::Follow(bool on) {
  followed_ = on;
  for (const Ran& ran : ran_) {
    if (ran.run && !ran.record) ran.run->Follow(on);
  }
}

// What is done may cause the next event before it returns; one loop takes them all.
void RankStages::Advance() {
  if (std::exchange(advancing_, true)) return;
  auto step = sequence_.Next();
  while (step.what != Action::kWait) {
    Do(step);
    step = sequence_.Next();
  }
  advancing_ = false;
}

void RankStages::Do(const StageSequence::Step& step) {
  switch (step.what) {
    case Action::kStart:
      return StartStage(step.stage);
    case Action::kStop:
      return ran_[step.stage].run->Stop();
    case Action::kTellReady:
      return events_.ready();
    case Action::kTellMeasured:
      return events_.measured();
    case Action::kTellOver:
      return events_.over();
    case Action::kWait:
      break;
  }
}

StageSetup RankStages::SetupOf(std::size_t index) const {
  const suite::Stage& stage = stages_[index];
  const std::string prefix = absl::StrCat(prepared_.folder->out(), "/", index);
  StageSetup setup{.plan = stage,
                   .program = prepared_.programs[index],
                   .environment = prepared_.environment,
                   .directory = prepared_.folder->run(),
                   .out = prefix + ".out",
                   .err = prefix + ".err",
                   .most_output = limits_.printed};
  for (const auto& [name, value] : stage.environment) {
    setup.environment.push_back(absl::StrCat(name, "=", value));
  }
  return setup;
}

void RankStages::StartStage(std::size_t index) {
  started_.push_back(index);
  auto run = StageRun::Start(io_, reaper_, SetupOf(index),
                             {.ready =
                                  [this, index] {
                                    sequence_.Ready(index);
                                    Advance();
                                  },
                              .ended = [this, index](const StageEnd& end) { Ended(index, end); },
                              .progress = events_.progress,
                              .printed = events_.printed});
  if (!run.ok()) {
    return Ended(index, {StageEnd::How::kBroken,
                         absl::StrCat("start: ", std::string(run.status().message()))});
  }
  ran_[index].run = *std::move(run);
  ran_[index].run->Follow(followed_);
  TellProgress(index);
}

// Which part it is, where there are several; a program may say more.
void RankStages::TellProgress(std::size_t index) {
  if (stages_.size() < 2) return;
  const auto before = static_cast<float>(started_.size() - 1);
  events_.progress({before / static_cast<float>(stages_.size()), stages_[index].name});
}

void RankStages::Ended(std::size_t index, const StageEnd& end) {
  ran_[index].record = RecordOf(index, end);
  sequence_.Ended(index, end);
  Advance();
}

v1::StageRecord RankStages::RecordOf(std::size_t index, const StageEnd& end) const {
  v1::StageRecord record;
  record.set_name(stages_[index].name);
  for (const std::string& argument : stages_[index].argv) {
    if (record.argv_size() == kMostArguments) break;
    record.add_argv(Printable(argument, kMostArgument));
  }
  record.set_tool_version(prepared_.versions[index]);
  if (end.how == StageEnd::How::kBroken) record.set_error(Printable(end.why, kMostArgument));
  record.set_exit_code(-1);
  if (!ran_[index].run) return record;
  const StageRun& run = *ran_[index].run;
  record.set_started_ns(static_cast<std::uint64_t>((run.started() - start_).count()));
  record.set_wall_ns(static_cast<std::uint64_t>(run.wall().count()));
  const process::Exit& exit = run.program_end().exit;
  record.set_signal(exit.signal);
  if (exit.signal == 0) record.set_exit_code(exit.code);
  KeepOutputs(index, record);
  return record;
}

void RankStages::KeepOutputs(std::size_t index, v1::StageRecord& record) const {
  const StageRun& run = *ran_[index].run;
  const std::uint64_t kept = KeptOf(stages_[index], limits_);
  *record.mutable_out() = Keep("stdout", run.out(), kept);
  *record.mutable_err() = Keep("stderr", run.err(), kept);
  for (const std::string& path : stages_[index].collect) {
    const auto file = OutputFile::Open(prepared_.folder->Absolute(path));
    // One that is missing is missed by Parse, if it needs it.
    if (file.ok()) *record.add_files() = Keep(path, **file, kept);
  }
}

std::vector<v1::StageRecord> RankStages::records() const {
  std::vector<v1::StageRecord> all;
  for (const std::size_t index : started_) {
    if (ran_[index].record) all.push_back(*ran_[index].record);
  }
  return all;
}

std::string RankStages::newest() const {
  const auto index = sequence_.newest();
  return index ? stages_[*index].name : std::string();
}

std::string RankStages::Tail(std::string_view stage, std::size_t bytes) const {
  const auto found = std::find_if(started_.rbegin(), started_.rend(), [&](std::size_t index) {
    return stages_[index].name == stage && ran_[index].run;
  });
  if (found == started_.rend()) return {};
  const StageRun& run = *ran_[*found].run;
  const std::string err = run.err().Last(bytes / 2);
  return run.out().Last(bytes - err.size()) + err;
}

}  // namespace twofold::backend
