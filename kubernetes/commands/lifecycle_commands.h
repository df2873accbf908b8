#pragma once

#include "cli/command/command.h"

/// The commands of `twofold lifecycle`, a file each.
namespace twofold::lifecycle {

cli::Command RunCommand();
cli::Command SubmitCommand();
cli::Command WatchCommand();
cli::Command ReportCommand();
cli::Command StatusCommand();
cli::Command CleanCommand();
cli::Command SampledCommand();
cli::Command ServerCommand();

}  // namespace twofold::lifecycle
