#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/commands/expansion_view.h"
#include "cli/commands/kinds_view.h"
#include "cli/json.h"
#include "lib/spec/expansion.h"

namespace twofold::cli {
namespace {

// No more than the parser takes, so that a wrong file name, such as that of a disk, ends soon.
Result<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(spec::Limits().bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || !(file || file.eof())) return absl::InvalidArgumentError("cannot read " + path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

Status ExpandFile(const std::string& path, const std::vector<std::string>& nodes,
                  const Globals& globals) {
  const auto text = ReadText(path);
  if (!text.ok()) return text.status();
  const auto sweep = spec::ReadSweep(path, *text);
  if (!sweep.ok()) return sweep.status();
  const auto expansion = spec::Expand(*sweep, nodes);
  if (!expansion.ok()) return expansion.status();
  std::cout << (globals.json ? JsonLine(ExpansionJson(*sweep, *expansion))
                             : ExpansionText(*sweep, *expansion));
  return absl::OkStatus();
}

Action BindExpand(CLI::App& app, const Globals& globals) {
  struct Options {
    std::string path;
    std::vector<std::string> nodes;
  };
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "A benchmark or a BenchmarkSet, YAML or JSON")->required();
  app.add_option("--nodes", options->nodes, "Names of the nodes that its nodes.select chooses from")
      ->delimiter(',');
  return [options, &globals] { return ExpandFile(options->path, options->nodes, globals); };
}

Status ShowKinds(const std::string& name, const Globals& globals) {
  if (name.empty()) {
    std::cout << (globals.json ? JsonLine(KindsJson()) : KindsText());
    return absl::OkStatus();
  }
  const auto fields = FieldsOf(name);
  if (!fields.ok()) return fields.status();
  std::cout << (globals.json ? JsonLine(FieldsJson(*fields)) : FieldsText(*fields));
  return absl::OkStatus();
}

Action BindKinds(CLI::App& app, const Globals& globals) {
  auto name = std::make_shared<std::string>();
  app.add_option("KIND", *name, "Its fields; BenchmarkSet: those around all kinds");
  return [name, &globals] { return ShowKinds(*name, globals); };
}

}  // namespace

std::vector<Command> BenchmarkCommands() {
  return {
      {"expand", "Check a benchmark file and list the jobs that it comes to; nothing is run",
       "twofold expand examples/iperf-pairs.yaml --nodes node-a,node-b,node-c,node-d", BindExpand,
       false},
      {"kinds", "The kinds of benchmarks, or the fields of one", "twofold kinds Fio", BindKinds,
       false},
  };
}

}  // namespace twofold::cli
