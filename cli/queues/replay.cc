#include "lib/trace/replay.h"

#include <array>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "cli/command/command.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

using queue::trace::Difference;
using queue::trace::ReplayOptions;
using queue::trace::ReplayReport;

// By TraceEnd.
constexpr std::array<const char*, 4> kEnds = {"stopped", "killed", "cut", "not_read"};

Json ToJson(const ReplayReport& report) {
  Json json = {{"verdict", report.difference ? "differs" : "reproduced"},
               {"inputs", report.inputs},
               {"effects", report.effects},
               {"queues", report.queues},
               {"end", kEnds.at(static_cast<std::size_t>(report.end))}};
  if (report.difference) {
    const Difference& difference = *report.difference;
    json["difference"] = {
        {"input", difference.input},       {"seconds", ToSeconds(difference.time)},
        {"queue", difference.queue},       {"call", difference.call},
        {"expected", difference.expected}, {"got", difference.got}};
  }
  return json;
}

Status ReplayFile(const std::string& path, const ReplayOptions& options, const Globals& globals) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::InvalidArgumentError("cannot read " + path);
  const auto report = Replay(file, options);
  if (!report.ok()) {
    return {report.status().code(), path + ": " + std::string(report.status().message())};
  }
  std::cout << (globals.json() ? show::Line(ToJson(*report)) : Text(*report));
  if (!report->difference) return absl::OkStatus();
  return absl::InternalError(path + " was not reproduced: input " +
                             std::to_string(report->difference->input) + " differs");
}

Action BindReplay(CLI::App& app, const Globals& globals) {
  struct Options {
    std::string path;
    bool print = false;
    ReplayOptions replay;
  };
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "A trace, written by `twofold-frontend --trace FILE`")
      ->required();
  app.add_flag("--print", options->print, "Show the inputs and their effects as text");
  app.add_option("--queue", options->replay.queue, "Only this queue");
  app.add_option("--until", options->replay.until, "Stop after this input (1, 2, ...)")
      ->check(CLI::PositiveNumber);
  return [options, &globals]() -> Status {
    if (options->print && globals.json()) {
      return absl::InvalidArgumentError("--print is text: leave out --output json");
    }
    if (options->print) {
      options->replay.print = [](const std::string& line) { std::cout << line << '\n'; };
    }
    return ReplayFile(options->path, options->replay, globals);
  };
}

}  // namespace

std::vector<Command> ReplayCommands() {
  return {
      {"replay", "Run a frontend's trace through the queue core and compare the effects",
       "twofold replay frontend.trace --queue sleep --print", BindReplay, Prints::kText, false,
       kExitsOfReading},
  };
}

}  // namespace twofold::cli
