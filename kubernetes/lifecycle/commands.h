#pragma once

#include "cli/command/command.h"

namespace twofold::cli {

// The commands of `twofold lifecycle`, a file each.
Command RunCommand();
Command SubmitCommand();
Command WatchCommand();
Command ReportCommand();
Command StatusCommand();
Command CleanCommand();
Command SampledCommand();
Command ServerCommand();

}  // namespace twofold::cli
