#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/suite.h"
#include "suites/openfoam/spec.pb.h"

/// The lid-driven cavity by OpenFOAM's icoFoam; see README.md.
namespace twofold::suite::openfoam {

/// The spec, checked.
Result<v1::suites::OpenFoamSpec> ReadSpec(std::string_view json);

GangPlan Plan(const v1::suites::OpenFoamSpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// Asks icoFoam for its help, which ends with its version: the label "openfoam.version".
inline constexpr std::array<const char*, 3> kProbe = {
    "bash", "-c", R"(WM_PROJECT_DIR="${WM_PROJECT_DIR:-/usr/share/openfoam}" exec icoFoam -help)"};
Result<Labels> Offer(const StageOutput& probe);

/// A size of the case: a cube with edges of 0.1 m, filled with cells of one size.
struct Size {
  std::string_view name;
  std::uint32_t edge;                 ///< cells along each edge
  double step_s;                      ///< of simulated time
  std::uint32_t steps;                ///< unless the spec says how many
  std::uint32_t pressure_iterations;  ///< of each solution, with fixedITER
};

/// REQUIRES: a checked spec.
const Size& SizeOf(const v1::suites::OpenFoamSpec& spec);
std::uint32_t StepsOf(const v1::suites::OpenFoamSpec& spec);
bool NeedsPetsc(const v1::suites::OpenFoamSpec& spec);

/// Into how many slices a cube is cut along x, y and z for so many parts: those with the least
/// surface between them.
using Cut = std::array<std::uint32_t, 3>;
Cut CutInto(std::uint32_t parts);

/// The case of OpenFOAM with its folders, and `foam.sh`, which runs a program of OpenFOAM in it.
/// For Debian's 1912, its successors, and the versions 8 to 12 of openfoam.org.
extern const std::vector<std::string> kFolders;
std::vector<File> CaseFiles(const v1::suites::OpenFoamSpec& spec);

/// One time step of a solver. What a solver does not say is missing: steady ones have no Courant
/// number, those of heat alone no pressure.
struct Step {
  double time_s = 0;                   ///< simulated; iterations of a steady solver
  std::optional<double> courant_mean;  ///< of the flow before this step, over all cells
  std::optional<double> courant_max;
  std::optional<double> pressure_residual;    ///< before the first solution of the pressure
  std::optional<double> pressure_iterations;  ///< of all its solutions
  std::optional<double> continuity;           ///< error after the last one, sum over all cells
  double cpu_s = 0;                           ///< of process 0, since its start
  std::optional<double> clock_s;              ///< at its end, since 1970
};

/// What one program of OpenFOAM has printed.
struct Log {
  std::string build;    ///< "OPENFOAM=1912 patch=200626"; empty: none of OpenFOAM
  std::string program;  ///< "icoFoam"
  /// What it solves with: the program, or of foamRun the modules that it has loaded, joined by '+'.
  std::string solver;
  std::optional<double> processes;
  std::optional<double> cells;          ///< "nCells", of blockMesh
  std::optional<double> most_cells;     ///< of decomposePar: those of the largest part,
  std::optional<double> average_cells;  ///< and of all
  std::vector<Step> steps;              ///< whole ones
  std::optional<double> loop_start_s;   ///< the clock before the first of them
  std::array<double, 2> cpu_s = {};     ///< user and system time
  double cpu_lines = 0;                 ///< of foam.sh, from which it is added up: two a process
  std::optional<double> real_s;         ///< of `time -p mpirun`, as kube-perftest runs it
  bool ended = false;                   ///< it has said "End"
  std::string torn = {};  ///< which line of a step is missing; programs that prepare lack some
};

/// The programs in `text`, in their order; one without a name, if there is none of OpenFOAM.
/// Errors   kDataLoss: a line that is cut off or garbled.
Result<std::vector<Log>> ReadLogs(std::string_view stage, std::string_view text);

/// Whether it is of a program that solves, which goes through times: all others prepare, or look at
/// what was solved.
bool IsSolver(const Log& log);

/// Where runs begin (Suite::runs): mesh, parts, what else prepares, solver, and what looks at its
/// fields are one run, in this order. A second solver, mesh or decomposition begins the next one,
/// as of a case that was restarted, and so does what prepares it.
std::vector<std::size_t> Runs(std::string_view text);

/// What OpenFOAM said went wrong, in its own words; empty: nothing.
std::string FatalError(std::string_view text);

}  // namespace twofold::suite::openfoam
