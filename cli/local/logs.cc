#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/local/log_file.h"
#include "cli/local/plan.h"
#include "cli/local/show.h"
#include "lib/common/options.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

using local::StateFolder;

constexpr Duration kLookAgain = std::chrono::milliseconds(100);

struct LogOptions {
  std::string name;     ///< a deployment (all its processes), a process, or "supervisor"
  int lines = 20;       ///< of each log, from its end
  bool follow = false;  ///< goes on until the cluster has ended
  bool json = false;
};

std::vector<std::string> ProcessesOf(const StateFolder& folder, const std::string& name) {
  std::vector<std::string> processes;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder.LogsDir(), error)) {
    if (file.path().extension() != ".log") continue;
    const std::string process = file.path().stem();
    const std::string deployment = process.substr(0, process.rfind('-'));
    if (local::IsCalled(process, name) || local::IsCalled(deployment, name))
      processes.push_back(process);
  }
  std::sort(processes.begin(), processes.end());
  return processes;
}

Status ShowEnds(const StateFolder& folder, const std::vector<std::string>& processes,
                const LogOptions& options) {
  Json json;
  for (const std::string& process : processes) {
    const Result<std::string> tail = local::Tail(folder.LogFile(process), options.lines);
    if (!tail.ok()) return tail.status();
    json[process] = *tail;
    if (options.json) continue;
    if (processes.size() > 1) std::cout << "==> " << process << " <==\n";
    std::cout << *tail;
  }
  if (options.json) std::cout << show::Line(json);
  return absl::OkStatus();
}

/// Prints what the followed logs give, with a heading where the process changes.
class Printer {
 public:
  explicit Printer(bool json) : json_(json) {}

  void Print(const std::string& process, const std::string& text, bool alone) {
    if (json_) {
      std::cout << show::Line({{"process", process}, {"text", text}});
    } else {
      if (!alone && process != last_) std::cout << "==> " << process << " <==\n";
      std::cout << text;
    }
    last_ = process;
  }

 private:
  bool json_;
  std::string last_;
};

// Looks once more after the end of the cluster: for its last words.
void Follow(const StateFolder& folder, const LogOptions& options) {
  std::map<std::string, local::FollowedLog> logs;
  Printer printer(options.json);
  for (bool runs = true; runs; std::this_thread::sleep_for(kLookAgain)) {
    runs = folder.Locked();
    for (const std::string& process : ProcessesOf(folder, options.name)) {
      logs.try_emplace(process, folder.LogFile(process), options.lines);
    }
    for (auto& [process, log] : logs) {
      for (std::string text; !(text = log.Next()).empty();) {
        printer.Print(process, text, logs.size() == 1);
      }
    }
    std::cout.flush();
    if (!std::cout) return;  // nobody reads it any more
  }
}

/// Prints the end of logs to stdout. Followed logs come as whole lines, with a heading (or in JSON
/// an object for each piece) that says whose they are; processes that are started later join in.
///
/// Errors   kNotFound: there is no such log.
Status ShowLogs(const StateFolder& folder, const LogOptions& options) {
  const std::vector<std::string> processes = ProcessesOf(folder, options.name);
  if (processes.empty()) {
    return absl::NotFoundError(absl::StrCat("no log of '", options.name, "' in ", folder.dir(),
                                            " (names: `twofold local status`, or supervisor)"));
  }
  if (!options.follow) return ShowEnds(folder, processes, options);
  Follow(folder, options);
  return absl::OkStatus();
}

}  // namespace

Action BindLocalLogs(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<LogOptions>();
  app.add_option("NAME", options->name,
                 "A deployment, one of its processes, or 'supervisor'; scalability-tester- may be "
                 "left out")
      ->required();
  AddOption(app, "-n,--lines", options->lines, WholeNumber(0, 1'000'000),
            "Lines of each log, from its end");
  app.add_flag("-f,--follow", options->follow,
               "Go on with what is logged from now, until Ctrl-C or the end of the cluster");
  return [options, &globals] {
    options->json = globals.json();
    return ShowLogs(Folder(globals), *options);
  };
}

}  // namespace twofold::cli
