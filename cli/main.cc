#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>

#include "cli/command/command.h"
#include "cli/command/text_only.h"
#include "lib/common/complaint.h"
#include "lib/common/options.h"
#include "lib/show/width.h"

namespace {

/// Of the terminal; 0: standard output is none.
std::size_t WidthOfOutput() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  namespace cli = twofold::cli;
  CLI::App app("Queues, jobs and local clusters of Twofold", "twofold");
  app.require_subcommand(1);
  app.footer(cli::ExitCodesHelp());
  twofold::show::FitTables(WidthOfOutput());
  cli::Globals globals;
  cli::Action chosen;
  const auto commands = cli::AllCommands();
  cli::AddCommands(app, commands, globals, chosen);
  if (const auto code = twofold::ParseCommandLine(app, argc, argv)) {
    return *code == twofold::kExitUsage ? cli::UsageExit(app, commands) : *code;
  }
  // To a pipe or file goes what there is, as it came.
  std::optional<cli::TextOnly> out;
  if (isatty(STDOUT_FILENO) == 1) out.emplace(std::cout);
  const cli::TextOnly err(std::cerr);
  // Our one line says what is wrong; gRPC's own lines would only surround it.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  const twofold::Status status = chosen();
  if (!status.ok() && !status.message().empty()) {
    const auto form = twofold::ComplaintFormOf(argc, argv);
    std::cerr << twofold::Complaint(app.get_name(), status, form) << std::flush;
  }
  return cli::ExitCode(status);
}
