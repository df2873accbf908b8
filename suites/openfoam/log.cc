#include <absl/strings/str_cat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "lib/suite/document.h"
#include "lib/suite/text.h"
#include "suites/openfoam/openfoam.h"

namespace twofold::suite::openfoam {
namespace {

// The number that follows `words` in `line`; nullopt: none does. A unit may follow it.
std::optional<double> NumberAfter(std::string_view line, std::string_view words) {
  const std::size_t found = line.find(words);
  if (found == std::string_view::npos) return std::nullopt;
  std::string_view rest = Strip(line.substr(found + words.size()));
  const auto number = TakeNumber(rest);
  const bool ends = rest.empty() || rest[0] == ' ' || rest[0] == ',' || rest == "s";
  return ends ? number : std::nullopt;
}

// The same of what may be nan or inf, as the flow is where the solution has diverged.
std::optional<double> FlowAfter(std::string_view line, std::string_view words) {
  const std::size_t found = line.find(words);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view rest = Strip(line.substr(found + words.size()));
  return ToCell(rest.substr(0, rest.find_first_of(" ,")));
}

// "1m2.5s" in seconds.
std::optional<double> MinutesAndSeconds(std::string_view text) {
  const auto minutes = TakeNumber(text);
  if (!minutes || !text.starts_with('m') || !text.ends_with('s')) return std::nullopt;
  const auto seconds = ToNumber(text.substr(1, text.size() - 2));
  if (!seconds) return std::nullopt;
  return *minutes * 60 + *seconds;
}

// The header of each program begins with these two lines, with others in between.
constexpr std::string_view kBuild = "Build  : ";
constexpr std::string_view kExec = "Exec   : ";

// "icoFoam" of "Exec   : /usr/bin/icoFoam -parallel".
std::string ProgramIn(std::string_view line) {
  const auto words = Words(line.substr(line.find(':') + 1));
  return words.empty() ? std::string() : std::string(words[0].substr(words[0].rfind('/') + 1));
}

// "incompressibleFluid" of "Exec   : foamRun -solver incompressibleFluid"; empty: it is not there.
std::string OptionIn(std::string_view line, std::string_view option) {
  const auto words = Words(line);
  const auto found = std::find(words.begin(), words.end(), option);
  const bool has_value = found != words.end() && std::next(found) != words.end();
  return has_value ? std::string(*std::next(found)) : std::string();
}

std::vector<std::size_t> HeadersIn(std::string_view text) {
  return LinesWhere(text, [](std::string_view line) { return line.starts_with(kBuild); });
}

class Reader {
 public:
  explicit Reader(std::string_view stage) : stage_(stage) {}

  Result<Log> Read(std::string_view text) {
    for (const std::string_view line : Lines(text)) {
      if (!ReadLine(line)) {
        return Unreadable(stage_, absl::StrCat("not understood: ", Quoted(line)));
      }
    }
    // Programs that prepare may say how long they took, and no time.
    if (without_time_ > 0 && log_.steps.size() > 1 && log_.torn.empty()) {
      log_.torn = absl::StrCat("of ", without_time_, " steps the line of their time is missing");
    }
    if (log_.solver.empty()) log_.solver = log_.program;
    return std::move(log_);
  }

 private:
  struct Row {
    std::string_view start;
    bool (Reader::*read)(std::string_view line);
  };

  bool ReadLine(std::string_view line) {
    // p_rgh: without its hydrostatic part, as solvers with gravity have it.
    static constexpr std::string_view kPressures[] = {":  Solving for p, ",
                                                      ":  Solving for p_rgh, "};
    static constexpr Row kRows[] = {
        {kBuild, &Reader::Build},
        {kExec, &Reader::Program},
        {"nProcs : ", &Reader::Processes},
        {"  nCells: ", &Reader::Cells},
        {"Max number of cells = ", &Reader::Balance},
        {"Selecting solver ", &Reader::Module},
        {"Time = ", &Reader::Start},
        {"Courant Number mean: ", &Reader::Courant},
        {"time step continuity errors : ", &Reader::Continuity},
        {"ExecutionTime = ", &Reader::End},
        {"WallClock = ", &Reader::Clock},
    };
    if (line == "End") return Ended();
    if (HasAny(line, kPressures)) return Pressure(line);
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const Row& each) { return line.starts_with(each.start); });
    if (row != std::end(kRows)) return (this->*row->read)(line);
    AddCpu(line);
    return true;
  }

  bool Build(std::string_view line) {
    log_.build = Strip(line.substr(line.find(':') + 1));
    return true;
  }
  bool Program(std::string_view line) {
    log_.program = ProgramIn(line);
    if (IsModular()) log_.solver = OptionIn(line, "-solver");
    return !log_.program.empty();
  }
  // foamRun and foamMultiRun, of openfoam.org since version 11, solve by modules.
  [[nodiscard]] bool IsModular() const {
    return log_.program == "foamRun" || log_.program == "foamMultiRun";
  }
  bool Module(std::string_view line) {
    const std::string module(Strip(line.substr(line.rfind(' '))));
    if (!IsModular() || !modules_.insert(module).second) return true;
    log_.solver = modules_.size() == 1 ? module : absl::StrCat(log_.solver, "+", module);
    return true;
  }

  static bool Take(std::optional<double> number, double& to) {
    if (number) to = *number;
    return number.has_value();
  }
  static bool Take(std::optional<double> number, std::optional<double>& to) {
    to = number;
    return number.has_value();
  }

  bool Processes(std::string_view line) { return Take(NumberAfter(line, " : "), log_.processes); }
  bool Cells(std::string_view line) { return Take(NumberAfter(line, ": "), log_.cells); }
  bool Balance(std::string_view line) {
    const std::size_t end = line.find(')');
    return end != std::string_view::npos && Take(NumberAfter(line, " = "), log_.most_cells) &&
           Take(NumberAfter(line.substr(0, end), " average "), log_.average_cells);
  }

  bool Ended() {
    NoteLostEnd();
    return log_.ended = true;
  }
  void NoteLostEnd() {
    if (!begun_ || !log_.torn.empty()) return;
    log_.torn =
        absl::StrCat("the step of ", step_.time_s, " s has no ExecutionTime, as its line is lost");
  }

  // decomposePar says a time, too. Some solvers (pimpleFoam) say before it what the flow is before
  // the step.
  bool Start(std::string_view line) {
    NoteLostEnd();
    if (std::exchange(begun_, true)) step_ = Step();
    return Take(NumberAfter(line, " = "), step_.time_s);
  }
  bool Courant(std::string_view line) {
    return Take(FlowAfter(line, " mean: "), step_.courant_mean) &&
           Take(FlowAfter(line, " max: "), step_.courant_max);
  }
  bool Pressure(std::string_view line) {
    double iterations = 0;
    double residual = 0;
    const bool good = Take(NumberAfter(line, "No Iterations "), iterations) &&
                      Take(FlowAfter(line, "Initial residual = "), residual);
    if (!step_.pressure_iterations) step_.pressure_residual = residual;
    step_.pressure_iterations = step_.pressure_iterations.value_or(0) + iterations;
    return good;
  }
  bool Continuity(std::string_view line) {
    return Take(FlowAfter(line, "sum local = "), step_.continuity);
  }
  bool End(std::string_view line) {
    // nan is left out where it is used.
    const auto seconds = NumberAfter(line, " = ");
    const bool good = Take(seconds ? seconds : FlowAfter(line, " = "), step_.cpu_s);
    if (!std::exchange(begun_, false)) ++without_time_;
    log_.steps.push_back(std::exchange(step_, {}));
    return good;
  }
  // foam.sh says it: once before the first step, and after each.
  bool Clock(std::string_view line) {
    return Take(NumberAfter(line, " = "),
                log_.steps.empty() ? log_.loop_start_s : log_.steps.back().clock_s);
  }

  // "0m1.5s 0m0.2s": what the shell has used, and then what its programs have. Or "user 1.5".
  void AddCpu(std::string_view line) {
    const auto words = Words(line);
    if (words.size() != 2) return;
    if (const auto seconds = ToNumber(words[1])) {
      if (words[0] == "real") log_.real_s = *seconds;
      if (words[0] == "user") log_.cpu_s[0] = *seconds;
      if (words[0] == "sys") log_.cpu_s[1] = *seconds;
      return;
    }
    const auto user = MinutesAndSeconds(words[0]);
    const auto system = MinutesAndSeconds(words[1]);
    if (!user || !system) return;
    log_.cpu_s[0] += *user;
    log_.cpu_s[1] += *system;
    ++log_.cpu_lines;
  }

  const std::string stage_;
  Log log_;
  Step step_;                      // that has begun, or is about to
  bool begun_ = false;             // its time is known
  std::size_t without_time_ = 0;   // steps that ended and had not begun
  std::set<std::string> modules_;  // of the solver
};

// Without what a parallel run puts before each line: "[0] ".
std::string_view WithoutRank(std::string_view line) {
  const std::size_t end = line.starts_with('[') ? line.find(']') : std::string_view::npos;
  if (end == std::string_view::npos) return Strip(line);
  return Strip(line.substr(end + 1));
}

}  // namespace

Result<std::vector<Log>> ReadLogs(std::string_view stage, std::string_view text) {
  std::vector<Log> logs;
  for (const std::string_view part : SplitAtRuns(text, HeadersIn(text))) {
    Result<Log> log = Reader(stage).Read(part);
    if (!log.ok()) return log.status();
    logs.push_back(*std::move(log));
  }
  return logs;
}

bool IsSolver(const Log& log) {
  return std::any_of(log.steps.begin(), log.steps.end(),
                     [](const Step& step) { return step.time_s != 0; });
}

std::vector<std::size_t> Runs(std::string_view text) {
  // What makes a mesh and its parts is done once a run; the others look at what has been solved.
  constexpr std::string_view kOnce[] = {"blockMesh", "decomposePar"};
  constexpr std::string_view kAfter[] = {"reconstructPar", "reconstructParMesh", "postProcess",
                                         "foamToVTK", "foamToEnsight"};
  const auto headers = HeadersIn(text);
  std::vector<std::size_t> starts;
  std::set<std::string> done;  // in this run: of kOnce, and "" for a solver
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::size_t end = i + 1 < headers.size() ? headers[i + 1] : text.size();
    const Result<Log> log = Reader("").Read(text.substr(headers[i], end - headers[i]));
    const std::string program = ProgramIn(LineWith(text.substr(headers[i]), {{kExec}}));
    const bool is_solver = !IsOneOf(program, kOnce) && (!log.ok() || IsSolver(*log));
    const bool goes_on = !done.contains("") || (!is_solver && IsOneOf(program, kAfter));
    if (starts.empty() || !goes_on || done.contains(program)) {
      starts.push_back(headers[i]);
      done.clear();
    }
    if (is_solver) done.insert("");
    if (IsOneOf(program, kOnce)) done.insert(program);
  }
  return starts;
}

std::string FatalError(std::string_view text) {
  constexpr std::string_view kSigns[] = {"FOAM FATAL ERROR", "FOAM FATAL IO ERROR"};
  const auto lines = Lines(text);
  auto line = std::find_if(lines.begin(), lines.end(),
                           [&](std::string_view each) { return HasAny(each, kSigns); });
  if (line == lines.end()) {
    return text.find("Foam::sigFpe") == std::string_view::npos
               ? ""
               : "floating point exception: the solution has diverged";
  }
  std::string words;
  while (++line != lines.end()) {
    const std::string_view part = WithoutRank(*line);
    const bool over = part.starts_with("From function") || part.starts_with("From ") ||
                      part.starts_with("FOAM exiting") || part.starts_with("file:");
    if (over && !words.empty()) break;
    if (!over && !part.empty())
      absl::StrAppend(&words, words.empty() ? "" : " ", std::string(part));
  }
  return words.empty() ? "a fatal error without words" : words;
}

}  // namespace twofold::suite::openfoam
