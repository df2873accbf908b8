#include "backend/rsh/command_line.h"

#include <algorithm>
#include <string_view>

#include "lib/common/options.h"

namespace twofold::rsh {
namespace {

constexpr char kDescription[] =
    "Runs a command at another member of the gang, as `ssh` would, without sshd and keys.\n"
    "twofold-rsh [OPTIONS] HOST COMMAND...";

constexpr char kHelp[] = R"(
HOST is the address of a member as in TWOFOLD_GANG_PEERS, or its pod or node. The words of COMMAND are
joined by spaces and run by /bin/sh there. Input, output and exit code are relayed: 128 + N stands for
signal N, 255 for a failure of twofold-rsh itself. When it ends, however that comes about, or the job
does, the command is stopped with all that it has started; what is still there when the command ends
is, too.

It works in programs of rank 0, whose worker sets TWOFOLD_GANG, with members whose worker has a port
for it (twofold-backend --peers-address; benchmark suites have one).

Examples:
  twofold-rsh 10.0.0.2 hostname
  mpirun --mca plm_rsh_agent twofold-rsh --mca plm_rsh_no_tree_spawn 1 --leave-session-attached \
      --bind-to none --host 10.0.0.1,10.0.0.2 -np 2 NPmpi
)";

std::string Join(const char* const* begin, const char* const* end) {
  std::string joined;
  for (const char* const* word = begin; word != end; ++word) {
    if (word != begin) joined += ' ';
    joined += *word;
  }
  return joined;
}

}  // namespace

std::optional<int> ParseCall(int argc, const char* const* argv, Call& call) {
  CLI::App app{kDescription, "twofold-rsh"};
  app.footer(kHelp);
  bool ignored = false;
  app.add_flag("-n", call.no_input, "Input is /dev/null");
  app.add_flag("-q,-T,-x", ignored, "Nothing: callers of ssh pass them");
  // An option of the command is none of ours.
  const char* const* const end = argv + argc;
  const char* const* const host =
      std::find_if(argv + 1, end, [](std::string_view word) { return !word.starts_with('-'); });
  if (const auto code = ParseCommandLine(app, static_cast<int>(host - argv), argv)) return code;
  if (end - host < 2) return UsageError(app, "needs HOST and COMMAND (try --help)");
  call.host = *host;
  call.command = Join(host + 1, end);
  return std::nullopt;
}

}  // namespace twofold::rsh
