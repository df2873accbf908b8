#include <iostream>
#include <memory>
#include <string>

#include "cli/command/command.h"
#include "cli/runs/benchmark_file.h"
#include "cli/runs/expansion_view.h"
#include "cli/runs/kinds_view.h"
#include "lib/show/table.h"
#include "lib/spec/json_schema.h"
#include "suites/table/table.h"

namespace twofold::cli {
namespace {

Status ExpandFile(const std::string& path, const std::vector<std::string>& nodes,
                  const Globals& globals) {
  const auto text = ReadBenchmarkText(path);
  if (!text.ok()) return text.status();
  const auto benchmark = ExpandBenchmark(path, *text, nodes);
  if (!benchmark.ok()) return benchmark.status();
  std::cout << (globals.json() ? show::Line(ExpansionJson(benchmark->sweep, benchmark->expansion))
                               : ExpansionText(benchmark->sweep, benchmark->expansion));
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
    std::cout << (globals.json() ? show::Line(KindsJson()) : KindsText());
    return absl::OkStatus();
  }
  const auto fields = FieldsOf(name);
  if (!fields.ok()) return fields.status();
  std::cout << (globals.json() ? show::Line(FieldsJson(*fields)) : FieldsText(*fields));
  return absl::OkStatus();
}

Status ShowSchema() {
  std::cout << show::Line(spec::JsonSchema(suite::Kinds()));
  return absl::OkStatus();
}

Action BindKinds(CLI::App& app, const Globals& globals) {
  struct Options {
    std::string kind;
    bool schema = false;
  };
  auto options = std::make_shared<Options>();
  auto* kind =
      app.add_option("KIND", options->kind, "Its fields; BenchmarkSet: those around all kinds");
  app.add_flag("--json-schema", options->schema,
               "Instead, what a file may hold as a JSON schema, for editors")
      ->excludes(kind);
  return [options, &globals] {
    return options->schema ? ShowSchema() : ShowKinds(options->kind, globals);
  };
}

}  // namespace

std::vector<Command> BenchmarkCommands() {
  return {
      {"expand", "Check a benchmark file and list its jobs; nothing is run",
       "twofold expand examples/iperf-pairs.yaml --nodes node-a,node-b,node-c,node-d", BindExpand,
       Prints::kText, false},
      {"kinds", "The kinds of benchmarks, or the fields of one", "twofold kinds Fio", BindKinds,
       Prints::kText, false},
  };
}

}  // namespace twofold::cli
