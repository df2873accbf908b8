#include "backend/workload/command.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/process/environment.h"

namespace twofold::backend {
namespace {

RunEnd ToRunEnd(process::ProgramEnd program) {
  RunEnd end =
      program.exit.ok() ? RunEnd{.report = v1::Report()} : Failed(process::Describe(program.exit));
  end.report->set_exit_code(program.exit.code);
  end.report->set_signal(program.exit.signal);
  end.report->set_output(std::move(program.output));
  return end;
}

}  // namespace

Command::~Command() {
  for (const auto& [slot, run] : runs_) {
    if (run.process) run.process->Abandon();
  }
}

void Command::Start(Slot slot, Instant now, const Job& job) {
  process::Program program = program_;
  program.argv.insert(program.argv.end(), job.arguments.begin(), job.arguments.end());
  program.environment = JobEnvironment(job);
  program.tells_progress = true;
  program.tells_ready = PreparesByProgram(job);
  if (job.gang != nullptr && peers_ != nullptr) Join(slot, *job.gang, program);
  if (job.gang == nullptr || PreparesByProgram(job)) return Launch(slot, now, program);
  runs_[slot].prepared = std::move(program);
  Ready(slot);
}

void Command::Join(Slot slot, const GangSeat& seat, process::Program& program) {
  runs_[slot].member = IdOf(seat);
  if (seat.rank > 0) {
    // What is started there is a program of the gang, too, but none that is asked whether it is
    // ready.
    return peers_->Announce(
        seat, no_record_, true,
        process::Overlay(program.environment, {"TWOFOLD_READY_FD", "TWOFOLD_PROGRESS_FD"}), {});
  }
  for (std::string& variable : peers_->Environment(seat)) {
    program.environment.push_back(std::move(variable));
  }
}

// The run has ended when nothing is left of what rank 0 has started here.
void Command::Leave(Slot slot, Instant now, RunEnd end) {
  Run& run = runs_.at(slot);
  run.process.reset();
  if (!run.member) {
    runs_.erase(slot);
    return Ended(slot, now, std::move(end));
  }
  const MemberId member = *run.member;
  run.leaving = true;
  peers_->Forget(member);
  peers_->Withdraw(member, [this, slot, end = std::move(end)]() mutable {
    runs_.erase(slot);
    Ended(slot, Now(), std::move(end));
  });
}

void Command::Go(Slot slot, Instant now) {
  Run& run = runs_.at(slot);
  if (run.process) return;  // it runs since Start
  const process::Program program = std::move(run.prepared);
  Launch(slot, now, program);
}

void Command::Launch(Slot slot, Instant now, const process::Program& program) {
  auto process = process::Process::Start(
      io_, reaper_, program,
      {.ended = [this, slot](process::ProgramEnd end) { ProgramEnded(slot, std::move(end)); },
       .ready = [this, slot] { Ready(slot); },
       .progress = [this, slot](process::ProgressLine line) { Progressed(slot, std::move(line)); },
       .printed = [this, slot](std::string_view bytes) { Printed(slot, bytes); }});
  if (!process.ok()) {
    runs_[slot];  // there may have been nothing to remember so far
    return Leave(slot, now, Failed(absl::StrCat("start: ", process.status().message())));
  }
  Run& run = runs_[slot];
  run.process = *std::move(process);
  run.process->Follow(run.followed);
}

void Command::Follow(Slot slot, bool on) {
  Run& run = runs_.at(slot);
  run.followed = on;
  if (run.process) run.process->Follow(on);
}

void Command::Stop(Slot slot) {
  const auto found = runs_.find(slot);
  if (found == runs_.end()) return;
  if (found->second.process) return found->second.process->Stop();
  if (!found->second.leaving) Leave(slot, Now(), {});
}

void Command::ProgramEnded(Slot slot, process::ProgramEnd program) {
  Leave(slot, Now(), ToRunEnd(std::move(program)));
}

}  // namespace twofold::backend
