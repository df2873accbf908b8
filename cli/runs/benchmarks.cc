#include <array>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "cli/runs/benchmark.h"
#include "lib/show/table.h"
#include "lib/spec/schema.h"
#include "suites/table/table.h"

namespace twofold::cli {
namespace {

// ---- expand

Status ExpandFile(const std::string& path, const std::vector<std::string>& nodes,
                  const Globals& globals) {
  const auto text = ReadBenchmarkText(path);
  if (!text.ok()) return text.status();
  const auto benchmark = ExpandBenchmark(path, *text, nodes);
  if (!benchmark.ok()) return benchmark.status();
  std::cout << JobList(*benchmark, globals.form);
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

// ---- kinds

const show::Columns kKindColumns = {
    {"KIND", "kind"}, {"SUITE", "suite"}, {"WORKERS", "workers"}, {"MEASURES", "measures"}};

const show::Columns kFieldColumns = {{"FIELD", "field"}, {"TYPE", "type"}, {"DEFAULT", "default"},
                                     {"UNIT", "unit"},   {"FOR", "for"},   {"MEANING", "meaning"}};

Json KindsJson() {
  Json json = Json::array();
  for (const spec::Kind& kind : suite::Kinds()) {
    json.push_back({{"kind", kind.name},
                    {"suite", kind.suite},
                    {"suite_missing", !kind.has_suite},
                    {"workers", kind.workers},
                    {"measures", kind.help}});
  }
  return json;
}

// Those inside maps with their path.
void AddFields(std::span<const spec::Field> fields, const std::string& path, Json& json) {
  constexpr std::array<const char*, 3> kRoles = {"suite", "placement", "no effect"};
  for (const spec::Field& field : fields) {
    const std::string its_path = spec::Join(path, field.name);
    json.push_back({{"field", its_path},
                    {"type", spec::Description(field.type)},
                    {"default", field.initial},
                    {"required", field.need == spec::Need::kRequired},
                    {"unit", field.unit},
                    {"for", kRoles.at(static_cast<std::size_t>(field.role))},
                    {"meaning", field.help}});
    AddFields(spec::FieldsIn(field.type), its_path, json);
  }
}

// What programs find in a value of its own, people find beside another one.
void PrintRows(const show::Columns& columns, Json rows, const Globals& globals) {
  for (Json& row : rows) {
    if (globals.json()) break;
    if (row.value("suite_missing", false)) row["suite"] = row.value("suite", "") + " (missing)";
    if (row.value("required", false)) row["default"] = "required";
  }
  std::cout << show::Print(globals.form, columns, rows);
}

// The fields of a kind, or of a BenchmarkSet.
Status ShowFields(const std::string& name, const Globals& globals) {
  std::span<const spec::Field> fields = spec::SetFields();
  if (name != spec::kBenchmarkSet) {
    const auto kind = spec::FindKind(suite::Kinds(), name, spec::kBenchmarkSet);
    if (!kind.ok()) return kind.status();
    fields = (*kind)->fields;
  }
  Json rows = Json::array();
  AddFields(fields, "", rows);
  PrintRows(kFieldColumns, std::move(rows), globals);
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
  return [options, &globals]() -> Status {
    if (!options->kind.empty()) return ShowFields(options->kind, globals);
    if (options->schema) {
      std::cout << show::Line(spec::JsonSchema(suite::Kinds()));
    } else {
      PrintRows(kKindColumns, KindsJson(), globals);
    }
    return absl::OkStatus();
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
