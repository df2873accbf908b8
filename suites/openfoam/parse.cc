#include <absl/strings/str_cat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "lib/suite/mpirun.h"
#include "lib/suite/text.h"
#include "suites/openfoam/openfoam.h"

namespace twofold::suite::openfoam {
namespace {

using enum Better;

// ---- Whether a stage went well

// The last thing that was said, for programs that are not OpenFOAM's.
std::string LastLine(std::string_view text) {
  const auto lines = Lines(text);
  return lines.empty() ? "" : std::string(Strip(lines.back()));
}

// What went wrong in the words of whoever has some; empty: nothing is known of it.
std::string WordsOf(const StageOutput& stage) {
  for (const std::string_view text : {std::string_view(stage.err), std::string_view(stage.out)}) {
    if (std::string words = FatalError(text); !words.empty()) return words;
  }
  return MpiReason(stage.out, stage.err);
}

Status CheckEnd(const std::string& name, const StageOutput& stage) {
  if (std::string words = WordsOf(stage); !words.empty()) return ToolFailed(name, words);
  const std::string end = BadEnd(stage);
  if (end.empty()) return absl::OkStatus();
  const std::string last = LastLine(stage.err);
  return ToolFailed(name, last.empty() ? end : absl::StrCat(end, ": ", last));
}

Status CheckWhole(const std::string& name, const Log& log) {
  if (log.build.empty() && !log.steps.empty()) {
    return Unreadable(name, "its header, with the program and its version, is missing");
  }
  if (log.build.empty()) return Unreadable(name, "no output of OpenFOAM");
  if (!log.ended) return Unreadable(name, log.program + " did not reach its End");
  return absl::OkStatus();
}

// ---- What each program says

struct Reading {
  std::optional<v1::suites::OpenFoamSpec> spec;  // nullopt: not known
  Measurements result;
  std::map<std::string, double> preparation;  // seconds of the slowest worker, by stage
  std::optional<double> cells;
  std::optional<double> imbalance;  // how much more cells than on average the largest part has, %
  bool solved = false;
  Dimensions dimensions;  // of what is added

  void Add(const std::string& name, double value, const std::string& unit, Better better,
           bool headline = false) {
    result.measurements.push_back({name, value, unit, better, headline, dimensions});
  }
  void Add(const std::string& name, std::optional<double> value, const std::string& unit,
           Better better) {
    if (value) Add(name, *value, unit, better);
  }
};

Status ReadMesh(const std::string& name, const Log& log, Reading& reading) {
  if (!log.cells) return Unreadable(name, "no number of cells");
  reading.cells = log.cells;
  if (!reading.spec) return absl::OkStatus();
  const double edge = SizeOf(*reading.spec).edge;
  if (*log.cells == edge * edge * edge) return absl::OkStatus();
  return Unreadable(name, absl::StrCat("a mesh of ", *log.cells, " cells, not of ", edge, "^3"));
}

// Of many parts the worker keeps both ends of the output, which may lack this number.
void ReadDecomposition(const Log& log, Reading& reading) {
  if (!log.most_cells || !log.average_cells || *log.average_cells <= 0) return;
  reading.imbalance = (*log.most_cells / *log.average_cells - 1) * 100;
}

bool IsTimed(const Log& log) {
  return log.loop_start_s && std::all_of(log.steps.begin(), log.steps.end(),
                                         [](const Step& step) { return step.clock_s.has_value(); });
}

// Seconds of each step; empty: the log has no clock, as those of other systems.
std::vector<double> StepTimes(const Log& log) {
  std::vector<double> times;
  if (!IsTimed(log)) return times;
  double before = *log.loop_start_s;
  for (const Step& step : log.steps) {
    times.push_back(*step.clock_s - std::exchange(before, *step.clock_s));
  }
  return times;
}

// A number of a step that its solver may not say.
struct StepColumn {
  Column column;
  std::optional<double> Step::*value;
};

const std::vector<StepColumn>& StepColumns() {
  static const std::vector<StepColumn> columns = {
      {{"pressure_iterations", "", kLower}, &Step::pressure_iterations},
      {{"pressure_residual", "", kNone}, &Step::pressure_residual},
      {{"continuity_error", "", kNone}, &Step::continuity},
      {{"courant_mean", "", kNone}, &Step::courant_mean}};
  return columns;
}

void AddSteps(const Log& log, const std::vector<double>& times, Reading& reading) {
  Series series{"steps", reading.dimensions, {{"time", "s", kNone}, {"cpu_time", "s", kLower}}, {}};
  std::vector<std::optional<double> Step::*> said;  // of all steps
  for (const StepColumn& each : StepColumns()) {
    if (!std::all_of(log.steps.begin(), log.steps.end(),
                     [&](const Step& step) { return (step.*each.value).has_value(); })) {
      continue;
    }
    series.columns.push_back(each.column);
    said.push_back(each.value);
  }
  if (!times.empty()) series.columns.push_back({"step_time", "s", kLower});
  double cpu_before = 0;
  for (std::size_t i = 0; i < log.steps.size(); ++i) {
    const Step& step = log.steps[i];
    auto& row = series.rows.emplace_back();
    row = {step.time_s, step.cpu_s - std::exchange(cpu_before, step.cpu_s)};
    for (const auto value : said) row.push_back(*(step.*value));
    if (!times.empty()) row.push_back(times[i]);
  }
  reading.result.series.push_back(std::move(series));
}

double Sum(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

void AddRates(std::vector<double> times, Reading& reading) {
  const double loop = Sum(times);
  if (times.empty() || loop <= 0) return;
  const auto steps = static_cast<double>(times.size());
  if (reading.cells) reading.Add("cell_rate", *reading.cells * steps / loop, "1/s", kHigher, true);
  reading.Add("loop_time", loop, "s", kLower);
  reading.Add("step_time_mean", loop / steps, "s", kLower);
  std::sort(times.begin(), times.end());
  reading.Add("step_time_p50", times[times.size() / 2], "s", kLower);
  reading.Add("step_time_max", times.back(), "s", kLower);
}

// How it came out, for comparing runs: the same case with other processes has nearly the same flow.
void AddFlow(const Log& log, Reading& reading) {
  const Step& last = log.steps.back();
  std::optional<double> iterations;
  for (const Step& step : log.steps) {
    if (step.pressure_iterations) {
      iterations = iterations.value_or(0) + *step.pressure_iterations;
    }
  }
  reading.Add("pressure_iterations", iterations, "", kLower);
  reading.Add("pressure_residual", last.pressure_residual, "", kNone);
  reading.Add("continuity_error", last.continuity, "", kNone);
  reading.Add("courant_mean", last.courant_mean, "", kNone);
  reading.Add("courant_max", last.courant_max, "", kNone);
}

Status CheckSteps(const std::string& name, const Log& log, const Reading& reading) {
  if (log.steps.empty()) return Unreadable(name, "no time step");
  if (!log.torn.empty()) return Unreadable(name, log.torn);
  for (std::size_t i = 1; i < log.steps.size(); ++i) {
    const Step& before = log.steps[i - 1];
    const Step& step = log.steps[i];
    const bool cpu_goes_back = step.cpu_s < before.cpu_s;  // nan neither goes on nor back
    if (before.time_s < step.time_s && !cpu_goes_back) continue;
    return Unreadable(name, absl::StrCat("its time goes back, from ", before.time_s, " s by ",
                                         before.cpu_s, " s of CPU to ", step.time_s, " s by ",
                                         step.cpu_s, " s: two runs in one log"));
  }
  if (!reading.spec || log.steps.size() == StepsOf(*reading.spec)) return absl::OkStatus();
  return Unreadable(name,
                    absl::StrCat(log.steps.size(), " time steps, not ", StepsOf(*reading.spec)));
}

// Two lines of each process.
Status AddCpu(const std::string& name, const Log& log, Reading& reading) {
  if (log.cpu_lines == 0 && !log.real_s) return absl::OkStatus();  // it was run by hand
  if (!log.real_s && log.processes && log.cpu_lines != 2 * *log.processes) {
    return Unreadable(name, absl::StrCat("CPU times of ", log.cpu_lines / 2, " processes, not of ",
                                         *log.processes));
  }
  reading.Add("user_time", log.cpu_s[0], "s", kLower);
  reading.Add("system_time", log.cpu_s[1], "s", kLower);
  return absl::OkStatus();
}

// "1912" of "51ed7a6034-20230103 OPENFOAM=1912 version=v1912"; openfoam.org has "10-c4cf895ad8fa".
std::string VersionOf(const std::string& build) {
  for (const std::string_view word : Words(build)) {
    if (const auto version = After(word, "OPENFOAM=")) return std::string(*version);
  }
  return build;
}

// Whether the solver ran by itself as it should have, and its parts are no longer than the whole.
Status CheckRun(const std::string& name, const Log& log, const std::vector<double>& times,
                std::optional<double> wall, const Reading& reading) {
  constexpr double kClocks = 1.05;  // of two processes, read at other moments
  if (wall && Sum(times) > *wall * kClocks + 1) {
    return Unreadable(name, absl::StrCat("steps of ", Sum(times), " s in a run of ", *wall, " s"));
  }
  if (!reading.spec || !log.processes || *log.processes == reading.spec->num_procs()) {
    return absl::OkStatus();
  }
  return Unreadable(name,
                    absl::StrCat(*log.processes, " processes, not ", reading.spec->num_procs()));
}

// What was solved, and by how many: times of another mesh or of more steps are not compared.
Dimensions WaysOf(const Log& log, const Reading& reading) {
  Dimensions ways = {{"solver", log.solver}};
  const auto say = [&](const char* name, std::optional<double> value) {
    if (value) ways.emplace_back(name, NumberText(*value));
  };
  say("numProcs", log.processes);
  say("cells", reading.cells);
  ways.emplace_back("steps", absl::StrCat(log.steps.size()));
  return ways;
}

Status ReadSolution(const std::string& name, const StageOutput& stage, const Log& log,
                    Reading& reading) {
  if (reading.solved) return Unreadable(name, "two runs in one log: a second solver");
  if (Status status = CheckSteps(name, log, reading); !status.ok()) return status;
  reading.solved = true;
  reading.dimensions = WaysOf(log, reading);
  reading.result.tool = "OpenFOAM " + VersionOf(log.build);
  const std::vector<double> times = StepTimes(log);
  const auto wall = stage.wall ? std::optional(ToSeconds(*stage.wall)) : log.real_s;
  if (Status status = CheckRun(name, log, times, wall, reading); !status.ok()) return status;
  if (wall) reading.Add("solver_time", *wall, "s", kLower, true);
  if (wall && !times.empty() && *wall >= Sum(times)) {
    reading.Add("start_time", *wall - Sum(times), "s", kLower);
  }
  AddRates(times, reading);
  // CPU seconds of process 0, which are in every log.
  reading.Add("execution_time", log.steps.back().cpu_s, "s", kLower, !wall);
  AddFlow(log, reading);
  AddSteps(log, times, reading);
  return AddCpu(name, log, reading);
}

Status ReadProgram(const std::string& name, const StageOutput& stage, const Log& log,
                   Reading& reading) {
  // Of a program that may change the mesh, and is not known to say its cells, they are not known.
  constexpr std::string_view kKeepCells[] = {
      "checkMesh",    "renumberMesh",  "setFields",      "setExprFields", "topoSet",  "mapFields",
      "mapFieldsPar", "potentialFoam", "reconstructPar", "postProcess",   "foamToVTK"};
  if (log.program == "blockMesh") return ReadMesh(name, log, reading);
  if (log.program == "decomposePar") {
    ReadDecomposition(log, reading);
  } else if (IsSolver(log)) {
    return ReadSolution(name, stage, log, reading);
  } else if (!IsOneOf(log.program, kKeepCells)) {
    reading.cells.reset();
  }
  return absl::OkStatus();
}

Status ReadStage(const StageOutput& stage, Reading& reading) {
  const std::string name = StageName(stage, "openfoam");
  Status status = CheckEnd(name, stage);
  if (!status.ok()) return status;
  if (stage.wall && name != "solve") {
    double& slowest = reading.preparation[name];
    slowest = std::max(slowest, ToSeconds(*stage.wall));
  }
  if (name == "plugin" || name == "send") return absl::OkStatus();
  const auto logs = ReadLogs(name, stage.out);
  if (!logs.ok()) return logs.status();
  for (const Log& log : *logs) {
    status = CheckWhole(name, log);
    if (status.ok()) status = ReadProgram(name, stage, log, reading);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

struct Part {
  const char* stage;
  const char* name;
};
constexpr Part kParts[] = {
    {"mesh", "mesh_time"}, {"decompose", "decompose_time"}, {"send", "send_time"}};

void AddPreparation(Reading& reading) {
  reading.dimensions.clear();
  for (const Part& part : kParts) {
    const auto found = reading.preparation.find(part.stage);
    if (found != reading.preparation.end()) reading.Add(part.name, found->second, "s", kLower);
  }
  if (reading.imbalance) reading.Add("imbalance", *reading.imbalance, "%", kLower);
  if (reading.cells) reading.Add("cells", *reading.cells, "", kNone);
}

}  // namespace

Result<Measurements> Parse(const Outputs& outputs) {
  Reading reading;
  if (!outputs.spec.empty()) {
    auto spec = ReadSpec(outputs.spec);
    if (!spec.ok()) return spec.status();
    reading.spec = *std::move(spec);
  }
  for (const StageOutput& stage : outputs.stages) {
    if (Status status = ReadStage(stage, reading); !status.ok()) return status;
  }
  if (!reading.solved) return Unreadable("solve", "no time steps of a solver");
  AddPreparation(reading);
  return std::move(reading.result);
}

}  // namespace twofold::suite::openfoam
