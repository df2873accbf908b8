#include "backend/suites/command/command.h"

#include <absl/strings/str_cat.h>

#include <cstring>
#include <utility>

namespace twofold::backend {
namespace {

std::string Describe(const ProgramEnd& program) {
  if (program.signal != 0) {
    return absl::StrCat("killed by signal ", program.signal, " (", strsignal(program.signal), ")");
  }
  if (program.exit_code != 0) return absl::StrCat("exit code ", program.exit_code);
  return {};
}

RunEnd ToRunEnd(ProgramEnd program) {
  RunEnd end;
  const std::string error = Describe(program);
  end.outcome = error.empty() ? v1::OUTCOME_SUCCEEDED : v1::OUTCOME_FAILED;
  end.report.set_error(error);
  end.report.set_exit_code(program.exit_code);
  end.report.set_signal(program.signal);
  end.report.set_output(std::move(program.output));
  return end;
}

}  // namespace

Command::~Command() {
  for (const auto& [slot, process] : running_) process->Abandon();
}

void Command::Start(Slot slot, Instant now, std::span<const std::string_view> arguments) {
  Program program = program_;
  program.argv.insert(program.argv.end(), arguments.begin(), arguments.end());
  auto process = Process::Start(
      io_, reaper_, program, [this, slot](ProgramEnd end) { ProgramEnded(slot, std::move(end)); });
  if (!process.ok()) {
    RunEnd end{v1::OUTCOME_FAILED, {}};
    end.report.set_error(absl::StrCat("start: ", std::string(process.status().message())));
    return Ended(slot, now, std::move(end));
  }
  running_[slot] = *std::move(process);
}

void Command::Stop(Slot slot) {
  const auto found = running_.find(slot);
  if (found != running_.end()) found->second->Stop();
}

void Command::ProgramEnded(Slot slot, ProgramEnd program) {
  running_.erase(slot);
  Ended(slot, Now(), ToRunEnd(std::move(program)));
}

}  // namespace twofold::backend
