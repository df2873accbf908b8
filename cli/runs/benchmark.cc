#include "cli/runs/benchmark.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <utility>

#include "cli/command/command.h"
#include "lib/common/counted.h"
#include "lib/spec/convert.h"
#include "lib/spec/schema.h"
#include "lib/yaml/block_text.h"
#include "suites/table/table.h"

namespace twofold::cli {
namespace {

using spec::Expansion;
using spec::Permutation;
using spec::PlannedJob;
using spec::Sweep;
using Names = std::vector<std::string>;

// ---- job list

// The fields that vary, in the order in which permutations have them.
Names VariedPaths(const Expansion& expansion) {
  Names paths;
  for (const Permutation& permutation : expansion.permutations) {
    for (const auto& [path, value] : permutation.values) {
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
  }
  return paths;
}

std::string ValueAt(const Permutation& permutation, const std::string& path) {
  for (const auto& varied : permutation.values) {
    if (varied.path == path) return CellText(varied.value);
  }
  return "-";
}

std::string LabelText(const Permutation& permutation) {
  Names labels;
  for (const auto& need : permutation.labels) {
    labels.push_back(absl::StrCat(need.label, "=", CellText(need.value)));
  }
  return labels.empty() ? "-" : absl::StrJoin(labels, " ");
}

/// The cells of one permutation that all its jobs repeat.
Names PermutationCells(const Permutation& permutation, const Names& paths, bool labels) {
  Names cells = {absl::StrCat(permutation.gang)};
  for (const std::string& path : paths) cells.push_back(ValueAt(permutation, path));
  if (labels) cells.push_back(LabelText(permutation));
  return cells;
}

bool LabelsDiffer(const Expansion& expansion) {
  const auto& all = expansion.permutations;
  return std::any_of(all.begin(), all.end(),
                     [&](const Permutation& one) { return one.labels != all.front().labels; });
}

std::string NameOf(const Sweep& sweep, const Expansion& expansion, std::size_t index) {
  return spec::JobName(sweep.name, index + 1, expansion.most_jobs);
}

std::string JobTable(const Sweep& sweep, const Expansion& expansion) {
  const Names paths = VariedPaths(expansion);
  const bool labels = LabelsDiffer(expansion);
  std::vector<Names> rows = {{"JOB", "PERMUTATION", "REPETITION", "WORKERS"}};
  rows[0].insert(rows[0].end(), paths.begin(), paths.end());
  if (labels) rows[0].emplace_back("WORKERS NEED");
  std::vector<Names> cells;
  for (const Permutation& one : expansion.permutations) {
    cells.push_back(PermutationCells(one, paths, labels));
  }
  for (std::size_t i = 0; i < expansion.jobs.size(); ++i) {
    const PlannedJob& job = expansion.jobs[i];
    Names row = {NameOf(sweep, expansion, i),
                 absl::StrCat(expansion.permutations[job.permutation].number),
                 absl::StrCat(job.warm_up ? "warm-up " : "", job.repetition)};
    row.insert(row.end(), cells[job.permutation].begin(), cells[job.permutation].end());
    rows.push_back(std::move(row));
  }
  return show::Table(rows);
}

// "40 jobs of IPerf: 8 permutations x 5 repetitions"
std::string CountsLine(const Sweep& sweep, const Expansion& expansion) {
  const std::size_t made = expansion.permutations.size();
  std::string line =
      absl::StrCat(Counted(expansion.jobs.size(), "job"), " of ", std::string(sweep.kind->name),
                   ": ", Counted(made, "permutation"));
  if (made != expansion.all_permutations) {
    absl::StrAppend(&line, " (of ", expansion.all_permutations, ")");
  }
  absl::StrAppend(&line, " x ");
  if (sweep.warmup > 0) absl::StrAppend(&line, "(", Counted(sweep.warmup, "warm-up"), " + ");
  absl::StrAppend(&line, Counted(sweep.repetitions, "repetition"), sweep.warmup > 0 ? ")" : "",
                  "\n");
  return line;
}

std::string UntilLine(const Sweep& sweep, const Expansion& expansion) {
  if (!sweep.until) return "";
  return absl::StrFormat("repeated until the headline is known to +- %g %%, at most %d jobs\n",
                         sweep.until->relative_interval * 100, expansion.most_jobs);
}

std::string NeedsLine(const Expansion& expansion) {
  if (LabelsDiffer(expansion) || expansion.permutations.front().labels.empty()) return "";
  return absl::StrCat("workers need: ", LabelText(expansion.permutations.front()), "\n");
}

Json PermutationJson(const Permutation& permutation) {
  Json values = Json::object();
  for (const auto& varied : permutation.values) values[varied.path] = varied.value;
  Json labels = Json::object();
  for (const auto& need : permutation.labels) labels[need.label] = need.value;
  return {{"number", permutation.number},          {"values", values},
          {"spec", Json::parse(permutation.spec)}, {"labels", labels},
          {"workers", permutation.gang},           {"nodes", permutation.nodes}};
}

Json JobJson(const Sweep& sweep, const Expansion& expansion, std::size_t index) {
  const PlannedJob& job = expansion.jobs[index];
  return {{"index", index + 1},
          {"name", NameOf(sweep, expansion, index)},
          {"permutation", expansion.permutations[job.permutation].number},
          {"repetition", job.repetition},
          {"warm_up", job.warm_up}};
}

std::string TextOf(const Sweep& sweep, const Expansion& expansion) {
  return absl::StrCat(JobTable(sweep, expansion), CountsLine(sweep, expansion),
                      UntilLine(sweep, expansion), NeedsLine(expansion));
}

Json JsonOf(const Sweep& sweep, const Expansion& expansion) {
  Json json = {{"name", sweep.name},
               {"kind", sweep.kind->name},
               {"suite", sweep.kind->suite},
               {"all_permutations", expansion.all_permutations},
               {"most_jobs", expansion.most_jobs},
               {"permutations", Json::array()},
               {"jobs", Json::array()}};
  for (const Permutation& one : expansion.permutations) {
    json["permutations"].push_back(PermutationJson(one));
  }
  for (std::size_t i = 0; i < expansion.jobs.size(); ++i) {
    json["jobs"].push_back(JobJson(sweep, expansion, i));
  }
  return json;
}

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

// ---- convert

/// Documents for `kubectl apply`; what they say otherwise stands above each.
std::string ManifestOf(const std::vector<spec::Converted>& all) {
  std::string text;
  for (const spec::Converted& each : all) {
    if (!text.empty()) text += "---\n";
    for (const std::string& note : each.notes) absl::StrAppend(&text, "# ", note, "\n");
    text += yaml::BlockText(each.object);
  }
  return text;
}

Json JsonOf(const std::vector<spec::Converted>& all) {
  Json objects = Json::array();
  for (const spec::Converted& each : all) {
    objects.push_back({{"object", each.object}, {"notes", each.notes}});
  }
  return objects;
}

Action BindConvert(CLI::App& app, const Globals& globals) {
  auto path = std::make_shared<std::string>();
  app.add_option("FILE", *path, "A benchmark, a BenchmarkSet, or a MetricSet of metrics-operator")
      ->required();
  return [path, &globals]() -> Status {
    const auto text = ReadBenchmarkText(*path);
    if (!text.ok()) return text.status();
    const auto all = spec::ToBenchmarks(*path, *text, suite::Kinds());
    if (!all.ok()) return all.status();
    std::cout << (globals.json() ? show::Line(JsonOf(*all)) : ManifestOf(*all));
    return absl::OkStatus();
  };
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
                    {"workers", kind.workers},
                    {"measures", kind.help}});
  }
  return json;
}

// Those inside maps with their path.
void AddFields(std::span<const spec::Field> fields, const std::string& path, Json& json) {
  constexpr std::array<const char*, 4> kRoles = {"suite", "placement", "placement", "no effect"};
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
    if (row.value("required", false)) row["default"] = "required";
  }
  std::cout << show::Print(globals.form, columns, rows);
}

Result<std::span<const spec::Field>> FieldsOfKind(const std::string& name) {
  if (name == spec::kBenchmarkSet) return spec::SetFields();
  if (name == spec::kBenchmark) return spec::BenchmarkFields();
  const auto kind = spec::FindKind(suite::Kinds(), name, spec::kBenchmarkSet);
  if (!kind.ok()) return kind.status();
  return (*kind)->fields;
}

Status ShowFields(const std::string& name, const Globals& globals) {
  const auto fields = FieldsOfKind(name);
  if (!fields.ok()) return fields.status();
  Json rows = Json::array();
  AddFields(*fields, "", rows);
  PrintRows(kFieldColumns, std::move(rows), globals);
  return absl::OkStatus();
}

Action BindKinds(CLI::App& app, const Globals& globals) {
  struct Options {
    std::string kind;
    bool schema = false;
  };
  auto options = std::make_shared<Options>();
  auto* kind = app.add_option("KIND", options->kind,
                              "Its fields; BenchmarkSet, Benchmark: those around all kinds");
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

// No more than the parser takes, so that a wrong file name, such as that of a disk, ends soon.
Result<std::string> ReadBenchmarkText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(yaml::Limits().bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || !(file || file.eof())) return absl::InvalidArgumentError("cannot read " + path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

Result<Benchmark> ExpandBenchmark(const std::string& file, const std::string& text,
                                  const std::vector<std::string>& nodes) {
  auto sweep = spec::ReadSweep(file, text, suite::Kinds());
  if (!sweep.ok()) return sweep.status();
  auto expansion = spec::Expand(*sweep, {.nodes = nodes});
  if (!expansion.ok()) return expansion.status();
  return Benchmark{*std::move(sweep), *std::move(expansion)};
}

std::string JobList(const Benchmark& benchmark, show::Form form) {
  const auto& [sweep, expansion] = benchmark;
  return form == show::Form::kJson ? show::Line(JsonOf(sweep, expansion))
                                   : TextOf(sweep, expansion);
}

std::string CellText(const yaml::Json& value) {
  if (!value.is_string()) return yaml::ToText(value);
  const auto& text = value.get_ref<const std::string&>();
  const bool bare = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < '\x7f' && c != '"';
  });
  return bare ? text : yaml::ToText(value);
}

std::string ValuesText(const Permutation& permutation) {
  return absl::StrJoin(permutation.values, " ", [](std::string* text, const auto& varied) {
    absl::StrAppend(text, varied.path, "=", CellText(varied.value));
  });
}

std::vector<Command> BenchmarkCommands() {
  return {
      {"expand", "Check a benchmark file and list its jobs; nothing is run",
       "twofold expand examples/iperf-pairs.yaml --nodes node-a,node-b,node-c,node-d", BindExpand,
       Prints::kText, false, kExitsOfReading},
      {"convert", "A file as an object for kubectl apply, which the operator of a cluster runs",
       "twofold convert examples/fio-quick.yaml", BindConvert, Prints::kText,
       false, kExitsOfReading},
      {"kinds", "The kinds of benchmarks, or the fields of one", "twofold kinds Fio", BindKinds,
       Prints::kText, false, kExitsOfReading},
  };
}

}  // namespace twofold::cli
