#include "kubernetes/commands/lifecycle_commands.h"

namespace twofold::cli {

std::vector<Command> LifecycleCommands() {
  return {lifecycle::RunCommand(),     lifecycle::SubmitCommand(), lifecycle::WatchCommand(),
          lifecycle::ReportCommand(),  lifecycle::StatusCommand(), lifecycle::CleanCommand(),
          lifecycle::SampledCommand(), lifecycle::ServerCommand()};
}

}  // namespace twofold::cli
