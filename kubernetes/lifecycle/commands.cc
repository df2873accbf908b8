#include "kubernetes/lifecycle/commands.h"

namespace twofold::cli {

std::vector<Command> LifecycleCommands() {
  return {RunCommand(),    SubmitCommand(), WatchCommand(),   ReportCommand(),
          StatusCommand(), CleanCommand(),  SampledCommand(), ServerCommand()};
}

}  // namespace twofold::cli
