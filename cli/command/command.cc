#include "cli/command/command.h"

#include <absl/strings/cord.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "lib/common/options.h"
#include "lib/show/width.h"

namespace twofold::cli {
namespace {

struct ExitRow {
  int code;
  const char* meaning;
  std::vector<absl::StatusCode> statuses;
};

const std::vector<ExitRow>& ExitRows() {
  using enum absl::StatusCode;
  static const std::vector<ExitRow> rows = {
      {0, "done", {kOk}},
      {1, "failed", {}},  // all that is not named
      {kExitUsage,
       "wrong usage: an option, file or program that cannot be used",
       {kInvalidArgument}},
      {kExitNotFound,
       "nothing of that name: file, queue, job, run, frontend, deployment, cluster",
       {kNotFound}},
      {kExitNoAnswer,
       "no answer, or none in time: of the frontend, supervisor, API server or store",
       {kUnavailable, kDeadlineExceeded}},
      {kExitRefused,
       "refused in this state: a cluster runs already, a queue drains or is full",
       {kFailedPrecondition, kResourceExhausted}},
      {kExitCutShort, "interrupted, before a run or a copy was over", {kCancelled}},
      {kExitLimitNotKept, "load: a limit of --fail-if was not kept", {}},
      {kExitSpoiled, "load: the load generator itself spoiled the numbers", {}},
      {kExitUndecided,
       "a limit of --fail-if cannot be judged: too few jobs, or numbers that say nothing",
       {}},
      {kExitInterrupted, "load: interrupted; files and summary are of the time until then", {}},
  };
  return rows;
}

constexpr char kExitPayload[] = "twofold/exit-code";

// What one command has: `own`, and what all have.
bool IsOf(const std::vector<int>& own, int code) {
  return code <= kExitUsage || std::find(own.begin(), own.end(), code) != own.end();
}

std::string ExitCodesText(const std::function<bool(int)>& wanted) {
  std::string text = "Exit codes:\n";
  for (const ExitRow& row : ExitRows()) {
    if (wanted(row.code)) absl::StrAppend(&text, "  ", row.code, "  ", row.meaning, "\n");
  }
  return text;
}

std::string ExitCodesOf(const Command& row) {
  if (!row.own_exits.empty()) return "Exit codes:\n" + row.own_exits;
  return ExitCodesText([&row](int code) { return IsOf(row.exits, code); });
}

// Such that a command ends as its --help says.
Status Within(const std::vector<int>& own, Status status) {
  if (!IsOf(own, ExitCode(status))) status.SetPayload(kExitPayload, absl::Cord("1"));
  return status;
}

const std::map<std::string, std::string> kGroups = {
    {"frontend", "Hand queues over between frontends that share a database"},
    {"local", "A cluster of processes on this machine: frontend, workers, load clients"},
    {"nodes", "Simulated nodes and GPUs in a Kubernetes cluster, to test what is not there"},
    {"queue", "Pause, resume and drain queues"},
    {"job", "Submit, look at, follow, explain, cancel and requeue jobs"},
    {"lifecycle", "How long workloads of Kubernetes take from moment to moment of their lives"},
    {"run", "Run benchmarks, and delete runs"},
    {"store", "Move all jobs, runs and results of a frontend to another store"},
    {"worker", "Look at, pause, resume and drain workers"},
};

// The subcommand `name` of `app`, made if it is not there.
CLI::App* GroupOf(CLI::App& app, const std::string& name) {
  for (CLI::App* group : app.get_subcommands([](CLI::App*) { return true; })) {
    if (group->get_name() == name) return group;
  }
  return app.add_subcommand(name, kGroups.at(name))->require_subcommand(1);
}

std::map<std::string, show::Form> FormsOf(Prints prints) {
  std::map<std::string, show::Form> forms = {{"text", show::Form::kText},
                                             {"json", show::Form::kJson}};
  if (prints == Prints::kTable) {
    forms["csv"] = show::Form::kCsv;
    forms["markdown"] = show::Form::kMarkdown;
  }
  return forms;
}

void AddGlobals(CLI::App& command, Prints prints, Globals& globals) {
  const auto forms = FormsOf(prints);
  command
      .add_option_function<std::string>(
          "--output", [&globals, forms](const std::string& form) { globals.form = forms.at(form); },
          prints == Prints::kTable ? "text, json, csv or markdown" : "text or json")
      ->check(CLI::IsMember(forms))
      ->default_str("text");
  command.add_flag_callback(
      "--wide", [] { show::FitTables(0); },
      "Tables on a terminal as wide as they are, not cut to its width");
  command.add_option("--dir", globals.dir,
                     "State folder of the local cluster; else $TWOFOLD_DIR, else ./.twofold");
}

}  // namespace

void AddCommands(CLI::App& app, const std::vector<Command>& commands, Globals& globals,
                 Action& chosen) {
  for (const Command& row : commands) {
    const std::size_t space = row.name.find(' ');
    CLI::App& parent = space == std::string::npos ? app : *GroupOf(app, row.name.substr(0, space));
    CLI::App* command = parent.add_subcommand(
        space == std::string::npos ? row.name : row.name.substr(space + 1), row.help);
    const std::string examples = absl::StrReplaceAll(row.example, {{"\n", "\n  "}});
    command->footer("Example:\n  " + examples + "\n\n" + ExitCodesOf(row));
    AddGlobals(*command, row.prints, globals);
    if (row.asks_frontend) {
      command->add_option(
          "--frontend", globals.frontend,
          "HOST:PORT of the frontend; else $TWOFOLD_FRONTEND, else the local cluster's, else "
          "localhost:9997");
      security::Declare(*command, globals.security);
    }
    const Action action = row.bind(*command, globals);
    // Called after those of its own subcommands, which go first.
    const Action whole = row.own_exits.empty()
                             ? [action, exits = row.exits] { return Within(exits, action()); }
                             : action;
    command->callback([whole, &chosen] {
      if (!chosen) chosen = whole;
    });
  }
}

int UsageExit(const CLI::App& app, const std::vector<Command>& commands) {
  const auto given = app.get_subcommands();
  const std::string name = given.empty() ? "" : given.front()->get_name();
  const auto row = std::find_if(commands.begin(), commands.end(),
                                [&](const Command& command) { return command.name == name; });
  return row == commands.end() ? kExitUsage : row->usage_exit;
}

Status EndWith(int exit_code, const std::string& message) {
  Status status = absl::InternalError(message);
  status.SetPayload(kExitPayload, absl::Cord(absl::StrCat(exit_code)));
  return status;
}

int ExitCode(const Status& status) {
  int code = 1;
  if (const auto payload = status.GetPayload(kExitPayload);
      payload && absl::SimpleAtoi(std::string(*payload), &code)) {
    return code;
  }
  for (const ExitRow& row : ExitRows()) {
    const auto& statuses = row.statuses;
    if (std::find(statuses.begin(), statuses.end(), status.code()) != statuses.end()) {
      return row.code;
    }
  }
  return 1;
}

std::string ExitCodesHelp() {
  return ExitCodesText([](int /*code*/) { return true; });
}

}  // namespace twofold::cli
