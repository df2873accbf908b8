#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/common/options.h"
#include "lib/common/result.h"
#include "lib/security/options.h"
#include "lib/show/table.h"

namespace twofold::cli {

using show::Json;

/// What every command can be told.
struct Globals {
  show::Form form = show::Form::kText;  ///< --output
  std::string dir;                      ///< --dir, the state folder of the local cluster
  std::string frontend;                 ///< --frontend; empty: see the room cli/queues
  security::ClientOptions security;

  [[nodiscard]] bool json() const { return form == show::Form::kJson; }
};

/// A command prints its result to stdout and returns what went wrong; main prints that.
using Action = std::function<Status()>;

/// What a command prints; a table can be had as CSV and Markdown, too.
enum class Prints : std::uint8_t { kText, kTable };

/// How commands end beside 0 (done), 1 (failed) and 2 (kExitUsage); `twofold --help` says of each
/// what it means, and that is the same for all commands.
inline constexpr int kExitNotFound = 3;
inline constexpr int kExitNoAnswer = 4;
inline constexpr int kExitRefused = 5;
inline constexpr int kExitCutShort = 6;
inline constexpr int kExitLimitNotKept = 7;
inline constexpr int kExitSpoiled = 8;
inline constexpr int kExitUndecided = 9;
inline constexpr int kExitInterrupted = 130;  ///< as shells have it

/// Those of commands that ask a frontend, a store or an API server for something that has a name;
/// that ask for a list; and that read files and nothing else.
inline const std::vector<int> kExitsOfAsking = {kExitNotFound, kExitNoAnswer, kExitRefused};
inline const std::vector<int> kExitsOfListing = {kExitNoAnswer, kExitRefused};
inline const std::vector<int> kExitsOfReading = {kExitNotFound};

/// One row of the table of commands.
struct Command {
  std::string name;  ///< "queues", or with its group "local up"
  std::string help;
  std::string example;  ///< or several, one a line
  /// Adds the command's own options and says what to run once they are parsed.
  std::function<Action(CLI::App&, const Globals&)> bind;
  Prints prints = Prints::kText;
  bool asks_frontend = true;                ///< it has --frontend
  std::vector<int> exits = kExitsOfAsking;  ///< beside 0, 1 and 2; all that it can end with

  /// Of a command whose exit codes are its own: what --help says of them. Then `exits` is not used,
  /// and wrong usage ends it with `usage_exit`.
  std::string own_exits = {};
  int usage_exit = kExitUsage;
};

/// Those of all rooms, in the order of --help.
std::vector<Command> AllCommands();

// The rows of each room.
std::vector<Command> LocalCommands();
std::vector<Command> QueueCommands();
std::vector<Command> FrontendCommands();
std::vector<Command> JobCommands();
std::vector<Command> WorkerCommands();
std::vector<Command> BenchmarkCommands();
std::vector<Command> RunCommands();
std::vector<Command> WatchCommands();
std::vector<Command> NodeCommands();
std::vector<Command> ReplayCommands();
std::vector<Command> ParseCommands();
std::vector<Command> ResultCommands();
std::vector<Command> ReportCommands();
std::vector<Command> StoreCommands();
std::vector<Command> ScalingCommands();
std::vector<Command> HistoryCommands();
std::vector<Command> LifecycleCommands();
std::vector<Command> LoadCommands();
std::vector<Command> ValidateCommands();

/// Makes subcommands of the rows; the chosen one's action is left in `chosen`. `app`, `globals` and
/// `chosen` must outlive the parsing.
void AddCommands(CLI::App& app, const std::vector<Command>& commands, Globals& globals,
                 Action& chosen);

/// The exit code for a command line that cannot be parsed.
int UsageExit(const CLI::App& app, const std::vector<Command>& commands);

/// What a command returns that ends with this exit code, for what no status code says. Without a
/// message main prints none: the command has said it all.
Status EndWith(int exit_code, const std::string& message);

/// The exit code for what the action of a command has returned: one of its row, or 1.
int ExitCode(const Status& status);

/// What --help says of the exit codes of all commands.
std::string ExitCodesHelp();

}  // namespace twofold::cli
