#include "cli/command/command.h"

namespace twofold::cli {

std::vector<Command> AllCommands() {
  std::vector<Command> all;
  for (const auto& commands :
       {LocalCommands(), QueueCommands(), FrontendCommands(), JobCommands(), WorkerCommands(),
        BenchmarkCommands(), RunCommands(), WatchCommands(), LoadCommands(), ValidateCommands(),
        ResultCommands(), ReportCommands(), StoreCommands(), ScalingCommands(), HistoryCommands(),
        LifecycleCommands(), NodeCommands(), ReplayCommands(), ParseCommands()}) {
    all.insert(all.end(), commands.begin(), commands.end());
  }
  return all;
}

}  // namespace twofold::cli
