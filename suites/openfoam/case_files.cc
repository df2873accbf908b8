#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>

#include "suites/openfoam/openfoam.h"

namespace twofold::suite::openfoam {
namespace {

using Spec = v1::suites::OpenFoamSpec;

// S to XL: the table of the HPC committee's repository (develop.openfoam.com/committees/hpc,
// Lid_driven_cavity-3d), whose XL stops after 100 of 8000 steps, and so do its files for XXL, with
// the step of XL. The repository has no mesh for XXL, and iterations for S and XL only: 600 cells,
// and iterations in proportion to them, are assumed. XS is ours, for tests.
constexpr Size kSizes[] = {
    {"XS", 24, 0.0025, 20, 60},         {"S", 100, 0.001, 500, 250},
    {"M", 200, 0.00025, 2000, 600},     {"XL", 400, 0.0000625, 100, 1300},
    {"XXL", 600, 0.0000625, 100, 1950},
};

// 0.05, not 0.050000000000000003: it becomes the name of a time.
std::string NumberOf(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

File Dictionary(const std::string& folder, const std::string& name, const std::string& type,
                const std::string& text) {
  return {absl::StrCat(folder, "/", name),
          absl::StrCat("FoamFile\n{\n    version 2.0;\n    format ascii;\n    class ", type,
                       ";\n    object ", name, ";\n}\n\n", text)};
}

// Nothing is written during the run: the disk is not what is measured.
std::string ControlDict(const Spec& spec) {
  const double step = SizeOf(spec).step_s;
  return absl::StrCat(
      NeedsPetsc(spec) ? "libs (\"libpetscFoam.so\");\n" : "", "application icoFoam;\n",
      "startFrom startTime;\nstartTime 0;\nstopAt endTime;\n", "endTime ",
      NumberOf(step * StepsOf(spec)), ";\ndeltaT ", NumberOf(step), ";\n",
      "writeControl timeStep;\nwriteInterval 2000000000;\npurgeWrite 0;\nwriteFormat binary;\n",
      "writePrecision 6;\nwriteCompression off;\ntimeFormat general;\ntimePrecision 10;\n",
      "runTimeModifiable no;\n");
}

std::string BlockMeshDict(const Spec& spec) {
  const std::uint32_t edge = SizeOf(spec).edge;
  return absl::StrCat(
      "convertToMeters 0.1;\n",
      "vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 1) (1 0 1) (1 1 1) (0 1 1));\n",
      "blocks (hex (0 1 2 3 4 5 6 7) (", edge, " ", edge, " ", edge, ") simpleGrading (1 1 1));\n",
      "edges ();\n", "boundary\n(\n", "    movingWall { type wall; faces ((3 7 6 2)); }\n",
      "    fixedWalls\n    {\n        type wall;\n",
      "        faces ((0 4 7 3) (2 6 5 1) (1 5 4 0) (0 3 2 1) (4 5 6 7));\n    }\n);\n",
      "mergePatchPairs ();\n");
}

constexpr char kSchemes[] = R"(ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) Gauss linear; }
laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
)";

constexpr char kMultigrid[] = R"(solver PCG;
        preconditioner
        {
            preconditioner GAMG;
            smoother GaussSeidel;
            nPreSweeps 0;
            nPostSweeps 2;
            nFinestSweeps 2;
            cacheAgglomeration on;
            agglomerator faceAreaPair;
            nCellsInCoarsestLevel 512;
            mergeLevels 1;
            processorAgglomerator none;
            tolerance 0;
            relTol 0;
            maxIter 1;
        }
)";

constexpr char kIncompleteCholesky[] = "solver PCG;\n        preconditioner DIC;\n";

// BoomerAMG of hypre.
constexpr char kAlgebraicMultigrid[] = R"(pc_type hypre;
                pc_hypre_type boomeramg;
                pc_hypre_boomeramg_max_iter "1";
                pc_hypre_boomeramg_strong_threshold "0.7";
                pc_hypre_boomeramg_grid_sweeps_up "1";
                pc_hypre_boomeramg_grid_sweeps_down "1";
                pc_hypre_boomeramg_agg_nl "2";
                pc_hypre_boomeramg_agg_num_paths "1";
                pc_hypre_boomeramg_max_levels "25";
                pc_hypre_boomeramg_coarsen_type HMIS;
                pc_hypre_boomeramg_interp_type ext+i;
                pc_hypre_boomeramg_P_max "2";
                pc_hypre_boomeramg_truncfactor "0.2";)";

constexpr char kBlockCholesky[] = R"(pc_type bjacobi;
                sub_pc_type icc;)";

std::string Petsc(const char* preconditioner, const char* update) {
  return absl::StrCat(
      "solver petsc;\n        preconditioner petsc;\n        petsc\n        {\n",
      "            options\n            {\n                ksp_type cg;\n",
      "                ksp_cg_single_reduction true;\n                mat_type mpiaij;\n",
      "                ", preconditioner, "\n            }\n            caching\n            {\n",
      "                matrix { update ", update, "; }\n                preconditioner { update ",
      update, "; }\n            }\n        }\n");
}

struct Method {
  std::string_view name;
  std::string (*pressure)();
  bool fixed_iterations = false;
  bool petsc = false;
};

constexpr Method kMethods[] = {
    {"fixedITER", [] { return std::string(kIncompleteCholesky); }, true},
    {"fixedNORM", [] { return std::string(kIncompleteCholesky); }},
    {"FOAM-DIC-PCG.fixedNORM", [] { return std::string(kIncompleteCholesky); }},
    {"FOAM-GAMG-PCG.fixedNORM", [] { return std::string(kMultigrid); }},
    {"PETSc-AMG-CG.fixedNORM", [] { return Petsc(kAlgebraicMultigrid, "always"); }, false, true},
    {"PETSc-AMG-CG.fixedNORM.caching", [] { return Petsc(kAlgebraicMultigrid, "never"); }, false,
     true},
    {"PETSc-ICC-CG.fixedNORM", [] { return Petsc(kBlockCholesky, "always"); }, false, true},
};

const Method& MethodOf(const Spec& spec) {
  return *std::find_if(std::begin(kMethods), std::end(kMethods),
                       [&](const Method& each) { return each.name == spec.iterative_method(); });
}

std::string Solution(const Spec& spec) {
  const Method& method = MethodOf(spec);
  const std::uint32_t most = method.fixed_iterations ? SizeOf(spec).pressure_iterations : 3000;
  return absl::StrCat(
      "solvers\n{\n    p\n    {\n        ", method.pressure(), "        tolerance ",
      method.fixed_iterations ? "0" : "1e-04", ";\n        relTol 0;\n", "        maxIter ", most,
      ";\n    }\n    pFinal { $p; }\n    U\n    {\n",
      "        solver PBiCGStab;\n        preconditioner DILU;\n        tolerance 0;\n",
      "        relTol 0;\n        maxIter 5;\n    }\n}\n",
      "PISO\n{\n    nCorrectors 2;\n    nNonOrthogonalCorrectors 0;\n    pRefCell 0;\n",
      "    pRefValue 0;\n}\n");
}

// Method simple needs no library, and gives the same parts on every worker.
std::string DecomposeDict(const Spec& spec) {
  return absl::StrCat("numberOfSubdomains ", spec.num_procs(), ";\nmethod simple;\n",
                      "simpleCoeffs { n (", absl::StrJoin(CutInto(spec.num_procs()), " "),
                      "); delta 0.001; }\n");
}

constexpr char kProperties[] = "nu [0 2 -1 0 0 0 0] 0.01;\n";

constexpr char kVelocity[] = R"(dimensions [0 1 -1 0 0 0 0];
internalField uniform (0 0 0);
boundaryField
{
    movingWall { type fixedValue; value uniform (1 0 0); }
    fixedWalls { type noSlip; }
}
)";

constexpr char kPressure[] = R"(dimensions [0 2 -2 0 0 0 0];
internalField uniform 0;
boundaryField
{
    movingWall { type zeroGradient; }
    fixedWalls { type zeroGradient; }
}
)";

constexpr char kScript[] =
    R"sh(# foam.sh PROGRAM ARGUMENTS...: runs a program of OpenFOAM in the case of this worker, wherever mpirun has
# started us. foam.sh --library FILE: fails if the loader does not find it.
export LC_ALL=C
export WM_PROJECT_DIR="${WM_PROJECT_DIR:-/usr/share/openfoam}"  # where Debian has it
cd "$TWOFOLD_WORK/run" || exit

# OpenFOAM tells whole seconds, so the first process adds the time after each step, if bash knows it.
stamp() {
  while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in
      'Starting time loop' | ExecutionTime*) printf 'WallClock = %s\n' "$EPOCHREALTIME" ;;
    esac
  done
}

if [ "$1" = --library ]; then
  IFS=:
  for folder in $LD_LIBRARY_PATH; do
    [ ! -e "$folder/$2" ] || exit 0
  done
  /sbin/ldconfig -p | grep -q -F "$2" && exit 0
  echo "$2 is not installed, nor on LD_LIBRARY_PATH: the PETSc methods need petsc4Foam" >&2
  exit 1
fi
if ! command -v "$1" > /dev/null; then
  echo "$1 is not installed: looked in $PATH" >&2
  exit 127
fi
if [ "${OMPI_COMM_WORLD_RANK:-0}" = 0 ] && [ -n "$EPOCHREALTIME" ]; then
  "$@" | stamp
  status=${PIPESTATUS[0]}
else
  "$@"
  status=$?
fi
times
exit "$status"
)sh";

}  // namespace

const std::vector<std::string> kFolders = {"0", "constant", "system"};

const Size& SizeOf(const Spec& spec) {
  return *std::find_if(std::begin(kSizes), std::end(kSizes),
                       [&](const Size& each) { return each.name == spec.problem_size(); });
}

std::uint32_t StepsOf(const Spec& spec) {
  return spec.steps() > 0 ? spec.steps() : SizeOf(spec).steps;
}

bool NeedsPetsc(const Spec& spec) { return MethodOf(spec).petsc; }

Cut CutInto(std::uint32_t parts) {
  Cut best = {parts, 1, 1};
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t z = 1; z <= parts / z / z; ++z) {
    if (parts % z != 0) continue;
    for (std::uint32_t y = z; y <= parts / z / y; ++y) {
      if (parts / z % y != 0) continue;
      const std::uint32_t x = parts / z / y;
      if (x + y + z >= least) continue;  // n slices: n - 1 cuts, each as large as any other
      least = x + y + z;
      best = {x, y, z};
    }
  }
  return best;
}

std::vector<File> CaseFiles(const Spec& spec) {
  std::vector<File> files = {
      {"foam.sh", kScript},
      Dictionary("system", "controlDict", "dictionary", ControlDict(spec)),
      Dictionary("system", "blockMeshDict", "dictionary", BlockMeshDict(spec)),
      Dictionary("system", "fvSchemes", "dictionary", kSchemes),
      Dictionary("system", "fvSolution", "dictionary", Solution(spec)),
      Dictionary("0", "U", "volVectorField", kVelocity),
      Dictionary("0", "p", "volScalarField", kPressure)};
  // Each fork reads its own of the two.
  for (const char* name : {"transportProperties", "physicalProperties"}) {
    files.push_back(Dictionary("constant", name, "dictionary", kProperties));
  }
  if (spec.num_procs() > 1) {
    files.push_back(Dictionary("system", "decomposeParDict", "dictionary", DecomposeDict(spec)));
  }
  return files;
}

}  // namespace twofold::suite::openfoam
