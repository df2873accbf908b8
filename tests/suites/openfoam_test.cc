#include "suites/openfoam/openfoam.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "lib/suite/text.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTwo[] = R"({"problemSize": "XS", "numProcs": 2, "steps": 5})";

// All that a job with `kTwo` on one worker leaves, each stage having run for 2 s.
Outputs GoodJob() {
  Outputs outputs{.spec = kTwo, .stages = {}};
  for (const char* stage : {"mesh", "decompose", "solve"}) {
    const std::string sample = std::string(stage) == "solve" ? "solve_two" : stage;
    outputs.stages.push_back({.stage = stage,
                              .out = Sample("openfoam/" + sample + ".txt"),
                              .exit_code = 0,
                              .wall = std::chrono::seconds(2)});
  }
  return outputs;
}

StageOutput& Solve(Outputs& outputs) { return outputs.stages.back(); }

void Replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t found = text.find(from);
  ASSERT_NE(found, std::string::npos) << from;
  text.replace(found, from.size(), to);
}

GangPlan PlanOf(const char* spec, std::size_t members) {
  auto plan = FindSuite("openfoam")->plan(spec, GangOf(members));
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

std::string FileIn(const RankPlan& rank, std::string_view path) {
  for (const File& file : rank.files) {
    if (file.path == path) return file.content;
  }
  ADD_FAILURE() << "no file " << path;
  return {};
}

// ---- Plan

TEST(OpenFoamPlan, OneProcessNeedsNoMpi) {
  ExpectGolden("openfoam/plan_one.txt",
               Text(PlanOf(R"({"problemSize": "S", "iterativeMethod": "fixedITER"})", 1)));
}

TEST(OpenFoamPlan, EveryWorkerMakesMeshAndPartsAndRankZeroSolves) {
  ExpectGolden("openfoam/plan_each.txt",
               Text(PlanOf(R"({"problemSize": "M", "numProcs": 12, "numNodes": 3,
                               "iterativeMethod": "FOAM-GAMG-PCG.fixedNORM"})",
                           3)));
}

TEST(OpenFoamPlan, RankZeroSendsTheOthersTheirPartsIfAsked) {
  const GangPlan plan =
      PlanOf(R"({"problemSize": "XS", "numProcs": 5, "numNodes": 2, "staging": "send",
                 "transport": "RDMA", "network": "10.0.0.0/24"})",
             2);
  EXPECT_EQ(FileIn(plan.ranks[0], "parts.txt"), "10.0.0.2 processor1 processor3\n");
  EXPECT_TRUE(plan.ranks[1].stages.empty());
  ExpectGolden("openfoam/plan_send.txt", Text(plan));
}

TEST(OpenFoamPlan, WorkersWithOneAddressGetAllParts) {
  Gang gang = GangOf(3);
  gang.members[2].address = gang.members[1].address;
  const auto plan =
      FindSuite("openfoam")
          ->plan(R"({"problemSize": "XS", "numProcs": 3, "numNodes": 3, "staging": "send"})", gang);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(FileIn(plan->ranks[0], "parts.txt"), "10.0.0.2 processor0 processor1 processor2\n");
}

TEST(OpenFoamPlan, PetscMethodsLookForTheirPluginFirst) {
  for (const char* method :
       {"PETSc-AMG-CG.fixedNORM", "PETSc-AMG-CG.fixedNORM.caching", "PETSc-ICC-CG.fixedNORM"}) {
    const GangPlan plan =
        PlanOf((std::string(R"({"iterativeMethod": ")") + method + "\"}").c_str(), 1);
    EXPECT_EQ(plan.ranks[0].stages[0].name, "plugin");
    EXPECT_THAT(FileIn(plan.ranks[0], "system/controlDict"), HasSubstr("libpetscFoam.so"));
    EXPECT_THAT(FileIn(plan.ranks[0], "system/fvSolution"), HasSubstr("solver petsc;"));
  }
}

TEST(OpenFoamPlan, CubesAreCutIntoPartsWithLittleSurface) {
  EXPECT_THAT(openfoam::CutInto(1), ElementsAre(1, 1, 1));
  EXPECT_THAT(openfoam::CutInto(2), ElementsAre(2, 1, 1));
  EXPECT_THAT(openfoam::CutInto(7), ElementsAre(7, 1, 1));
  EXPECT_THAT(openfoam::CutInto(8), ElementsAre(2, 2, 2));
  EXPECT_THAT(openfoam::CutInto(12), ElementsAre(3, 2, 2));
  EXPECT_THAT(openfoam::CutInto(48), ElementsAre(4, 4, 3));
  EXPECT_THAT(openfoam::CutInto(1000), ElementsAre(10, 10, 10));
  for (std::uint32_t parts = 1; parts <= 300; ++parts) {
    const auto cut = openfoam::CutInto(parts);
    EXPECT_EQ(cut[0] * cut[1] * cut[2], parts);
  }
}

TEST(OpenFoamPlan, TheEndOfEachSizeIsTheTimeOfItsSteps) {
  for (const auto& [size, end] :
       {std::pair{"XS", "endTime 0.05;"}, std::pair{"S", "endTime 0.5;"},
        std::pair{"M", "endTime 0.5;"}, std::pair{"XL", "endTime 0.00625;"},
        std::pair{"XXL", "endTime 0.00625;"}}) {
    const GangPlan plan = PlanOf((std::string(R"({"problemSize": ")") + size + "\"}").c_str(), 1);
    EXPECT_THAT(FileIn(plan.ranks[0], "system/controlDict"), HasSubstr(end)) << size;
  }
}

TEST(OpenFoamPlan, OptionsOfMpirunComeAfterOursAndMayPlaceProcesses) {
  const GangPlan plan =
      PlanOf(R"({"numProcs": 4, "mpirunArgs": ["--map-by", "core", "--prefix", "/opt"]})", 1);
  const std::string text = Text(plan);
  EXPECT_THAT(text, Not(HasSubstr("--map-by node")));
  EXPECT_THAT(text, HasSubstr("--map-by core"));
  EXPECT_THAT(plan.unlisted, ElementsAre("mpirunArgs: '--prefix'", "mpirunArgs: '/opt'"));
}

TEST(OpenFoamSpec, WhatIsWrongIsNamed) {
  EXPECT_EQ(*FindSuite("openfoam")->check(R"({"numProcs": 48, "numNodes": 12})"), 12U);
  for (const auto& [spec, words] :
       {std::pair{R"({"problemSize": "L"})", "problemSize: 'L' is none of XS, S, M, XL, XXL"},
        std::pair{R"({"numNodes": 2})", "numNodes: 2 workers for 1 processes"},
        std::pair{R"({"numProcs": 0})", "numProcs: 0"},
        std::pair{R"({"problemSize": "XS", "numProcs": 29})", "numProcs: 29 parts are 29 slices"},
        std::pair{R"({"iterativeMethod": "PETSc"})", "iterativeMethod: 'PETSc' is none of"},
        std::pair{R"({"staging": "nfs"})", "staging: 'nfs' is none of each, send"},
        std::pair{R"({"staging": "send", "mpirunArgs": ["--rank-by", "core"]})",
                  "staging: send: not together with mpirunArgs --rank-by"},
        std::pair{R"({"network": "eth0; reboot"})", "network: 'eth0; reboot'"}}) {
    const auto checked = FindSuite("openfoam")->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_THAT(std::string(checked.status().message()), HasSubstr(words));
  }
}

// ---- Parse

TEST(OpenFoamParse, AWholeJobHasTheTimesOfItsParts) {
  const auto result = openfoam::Parse(GoodJob());
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectGolden("openfoam/job.csv", CsvRows("job", *result));
  EXPECT_EQ(result->tool, "OpenFOAM 1912");
  EXPECT_EQ(ValueOf(*result, "solver_time"), 2);
  EXPECT_EQ(ValueOf(*result, "mesh_time"), 2);
  EXPECT_EQ(ValueOf(*result, "decompose_time"), 2);
  EXPECT_EQ(ValueOf(*result, "cells"), 13824);
}

// start + loop = solver, and the steps are the loop.
TEST(OpenFoamParse, TheTimesOfStepsAddUp) {
  const auto result = openfoam::Parse(GoodJob());
  ASSERT_TRUE(result.ok()) << result.status();
  const double loop = ValueOf(*result, "loop_time");
  double sum = 0;
  for (const auto& row : result->series[0].rows) sum += row.back();
  EXPECT_NEAR(sum, loop, 1e-6);
  EXPECT_NEAR(loop, 1795415468.968521 - 1795415466.928009, 1e-6);
  EXPECT_NEAR(ValueOf(*result, "cell_rate"), 13824 * 5 / loop, 1e-3);
}

TEST(OpenFoamParse, SavedLogsGiveWhatTheyHave) {
  ExpectGoldenNumbers("openfoam", "openfoam/solve_one.txt");
  ExpectGoldenNumbers("openfoam", "openfoam/solve_two.txt");
  ExpectGoldenNumbers("openfoam", "openfoam/kube_perftest.txt");
}

TEST(OpenFoamParse, TheSlowestWorkerCountsAsTimeToPrepare) {
  Outputs outputs = GoodJob();
  outputs.stages.push_back(outputs.stages[0]);
  outputs.stages.back().rank = 1;
  outputs.stages.back().wall = std::chrono::seconds(7);
  const auto result = openfoam::Parse(outputs);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(ValueOf(*result, "mesh_time"), 7);
}

TEST(OpenFoamParse, ErrorsAreInTheWordsOfOpenFoam) {
  for (const auto& [sample, words] :
       {std::pair{"no_field", "solve: cannot find file \"/case/0/p\""},
        std::pair{"petsc", "solve: Unknown symmetric matrix solver type petsc Valid"},
        std::pair{"no_part", "solve: Cannot find file \"points\" in directory"},
        std::pair{"diverged", "solve: floating point exception: the solution has diverged"}}) {
    Outputs outputs = GoodJob();
    Solve(outputs).err = Sample(std::string("openfoam/error_") + sample + ".err");
    Solve(outputs).exit_code = 1;
    EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), words));
    Solve(outputs).exit_code = 0;
    EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), words));
  }
}

// kube-perftest's script went on when blockMesh had failed.
TEST(OpenFoamParse, AMeshThatFailedOrIsAnotherIsAnError) {
  Outputs outputs = GoodJob();
  Replace(outputs.stages[0].out, "nCells: 13824", "nCells: 13000");
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "mesh: a mesh of 13000 cells, not of 24^3"));
  outputs = GoodJob();
  Replace(outputs.stages[0].out, "\nEnd\n", "\n");
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "mesh: blockMesh did not reach its End"));
  outputs = GoodJob();
  outputs.stages[0].out.clear();
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "mesh: no output of OpenFOAM"));
}

TEST(OpenFoamParse, AMissingPluginIsNamed) {
  Outputs outputs;
  outputs.stages.push_back({.stage = "plugin",
                            .out = "",
                            .err = "libpetscFoam.so is not installed: the PETSc methods need it\n",
                            .exit_code = 1});
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "plugin: exit code 1: libpetscFoam.so is not"));
}

TEST(OpenFoamParse, FewerStepsOrProcessesThanAskedForAreAnError) {
  Outputs outputs = GoodJob();
  outputs.spec = R"({"problemSize": "XS", "numProcs": 2})";
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "solve: 5 time steps, not 20"));
  outputs = GoodJob();
  Replace(Solve(outputs).out, "nProcs : 2", "nProcs : 3");
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "solve: 3 processes, not 2"));
  outputs = GoodJob();
  Replace(Solve(outputs).out, "\n0m0.268s 0m0.111s", "");
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "solve: CPU times of 1.5 processes, not of 2"));
}

TEST(OpenFoamParse, ASignalIsAnErrorWhateverTheOutput) {
  Outputs outputs = GoodJob();
  Solve(outputs).exit_code = {};
  Solve(outputs).signal = 9;
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "solve: killed by signal 9"));
}

TEST(OpenFoamParse, WhatIsCutOffIsAnErrorWhereverItIs) {
  const std::string whole = Sample("openfoam/solve_two.txt");
  const std::size_t end = whole.find("\nEnd\n") + 4;
  for (std::size_t size = 0; size < end; size += 13) {
    Outputs outputs = GoodJob();
    Solve(outputs).out = whole.substr(0, size);
    EXPECT_FALSE(openfoam::Parse(outputs).ok()) << size;
  }
}

// ---- Offer

TEST(OpenFoamOffer, TheVersionIsALabel) {
  for (const auto& [line, version] :
       {std::pair{"Using: OpenFOAM- (1912) - visit www.openfoam.com\nBuild: x\n", "1912"},
        std::pair{"Using: OpenFOAM-v2212 (2212) - visit www.openfoam.com\n", "v2212"},
        std::pair{"Using: OpenFOAM-10 (see https://openfoam.org)\n", "10"}}) {
    const auto labels = openfoam::Offer({.stage = "probe", .out = line, .exit_code = 0});
    ASSERT_TRUE(labels.ok()) << labels.status();
    EXPECT_EQ(labels->at("openfoam.version"), version);
  }
}

TEST(OpenFoamOffer, AWorkerWithoutOpenFoamSaysSo) {
  const auto labels = openfoam::Offer({.stage = "probe", .out = "", .exit_code = 127});
  EXPECT_THAT(std::string(labels.status().message()),
              HasSubstr("no OpenFOAM here: icoFoam -help ended with exit code 127"));
}

// ---- One run, whole, and plausible

Result<Measurements> ReadFoam(const std::string& text) {
  return FindSuite("openfoam")->parse(SavedText(text));
}

// 140 s of CPU were read as 40, with a step of -80 s.
TEST(OpenFoamParse, ARestartedCaseIsTwoRuns) {
  const std::string log = Sample("openfoam/restarted.log");
  EXPECT_TRUE(FailsWith(ReadFoam(log), "2 runs in one document"));
  const auto runs = EachRun("openfoam", log);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_TRUE(FailsWith(runs[0], "simpleFoam did not reach its End"));
  ASSERT_TRUE(runs[1].ok()) << runs[1].status();
  EXPECT_DOUBLE_EQ(ValueOf(*runs[1], "execution_time"), 40);
  EXPECT_EQ(runs[1]->series[0].rows.size(), 3U);
}

TEST(OpenFoamParse, TimeThatGoesBackIsOfTwoRuns) {
  std::string log = Sample("openfoam/restarted.log");
  log.erase(log.rfind("Build  :"), log.rfind("Create time") - log.rfind("Build  :"));
  EXPECT_TRUE(
      FailsWith(ReadFoam(log), "its time goes back, from 3 s by 100 s of CPU to 3 s by 20 s"));
}

TEST(OpenFoamParse, MeshPartsAndSolverInOneLogAreOneRun) {
  const auto result = ReadFoam(Sample("openfoam/mesh.txt") + Sample("openfoam/decompose.txt") +
                               Sample("openfoam/solve_two.txt"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "cells"), 13824);
  EXPECT_GT(ValueOf(*result, "cell_rate"), 0);
  const std::string mesh = Sample("openfoam/mesh.txt");
  EXPECT_TRUE(FailsWith(ReadFoam(mesh + mesh), "2 runs in one document"));
}

// A log of a program that goes through no times.
std::string LogOf(const std::string& program) {
  return absl::StrCat("Build  : OPENFOAM=1912 patch=200626\nExec   : ", program,
                      "\nTime = 0\nExecutionTime = 0.08 s  ClockTime = 0 s\n\nEnd\n\n");
}

TEST(OpenFoamParse, ProgramsThatPrepareOrLookAtFieldsAreOfTheRunOfTheirSolver) {
  const std::string mesh = Sample("openfoam/mesh.txt");
  const std::string solver = Sample("openfoam/solve_two.txt");
  const auto plain = ReadFoam(mesh + solver);
  std::string run = mesh;
  for (const char* program : {"checkMesh", "renumberMesh", "topoSet", "setFields", "topoSet"}) {
    run += LogOf(program);
  }
  run += solver + LogOf("reconstructPar") + LogOf("postProcess");
  const auto result = ReadFoam(run);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->measurements, plain->measurements);
  EXPECT_TRUE(FailsWith(ReadFoam(run + run), "2 runs in one document"));
  const auto runs = EachRun("openfoam", run + run);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& each : runs) EXPECT_EQ(each->measurements, plain->measurements);
  // What prepares a second solver is of its run.
  EXPECT_TRUE(FailsWith(ReadFoam(solver + LogOf("setFields") + solver), "2 runs in one document"));
}

TEST(OpenFoamParse, CellsOfAMeshThatWasChangedAreNotKnown) {
  const std::string solver = Sample("openfoam/solve_two.txt");
  const auto result = ReadFoam(Sample("openfoam/mesh.txt") + LogOf("snappyHexMesh") + solver);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(Says(*result, "cells"));
  EXPECT_EQ(result->measurements, ReadFoam(solver)->measurements);
}

TEST(OpenFoamParse, WhatASolverDoesNotSayIsMissing) {
  const std::string log = Sample("openfoam/simple.log");
  const auto steady = ReadFoam(log);
  ASSERT_TRUE(steady.ok()) << steady.status();
  EXPECT_FALSE(Says(*steady, "courant_mean"));
  EXPECT_FALSE(Says(*steady, "courant_max"));
  EXPECT_DOUBLE_EQ(ValueOf(*steady, "pressure_iterations"), 10);
  std::string heat;
  for (const std::string_view line : Lines(log)) {
    const bool of_flow = HasAny(line, {{"Solving for p", "continuity"}});
    if (!of_flow) heat += std::string(line) + "\n";
  }
  const auto result = ReadFoam(heat);
  ASSERT_TRUE(result.ok()) << result.status();
  for (const char* name : {"pressure_iterations", "pressure_residual", "continuity_error"}) {
    EXPECT_FALSE(Says(*result, name)) << name;
  }
  EXPECT_EQ(result->series[0].columns.size(), 2U);
}

TEST(OpenFoamParse, NumbersOfOtherSolversAreNotCompared) {
  const auto steady = ReadFoam(Sample("openfoam/simple.log"));
  const auto transient = ReadFoam(Sample("openfoam/solve_two.txt"));
  ASSERT_TRUE(steady.ok() && transient.ok());
  EXPECT_EQ(steady->measurements[0].dimensions[0], Dimension("solver", "simpleFoam"));
  EXPECT_EQ(transient->measurements[0].dimensions[0], Dimension("solver", "icoFoam"));
}

TEST(OpenFoamParse, StepsAreNoLongerThanTheirRun) {
  Outputs outputs = GoodJob();
  Solve(outputs).wall = std::chrono::milliseconds(500);
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "solve: steps of 2.04"));
}

TEST(OpenFoamParse, APrefixOnEachLineIsSkippedAndSaid) {
  const std::string log = Sample("openfoam/solve_two.txt");
  const auto plain = ReadFoam(log);
  for (const char* prefix : {"[1,0]<stdout>:", "2026-11-20T23:41:55Z ", "[pod/a-0/solver] "}) {
    const auto result = ReadFoam(Prefixed(prefix, log));
    ASSERT_TRUE(result.ok()) << prefix << result.status();
    EXPECT_EQ(result->measurements, plain->measurements) << prefix;
    EXPECT_EQ(result->notes.size(), 1U) << prefix;
  }
}

constexpr char kKilledRank[] =
    "--------------------------------------------------------------------------\n"
    "mpirun noticed that process rank 1 with PID 0 on node worker-0 exited on signal 9 (Killed).\n"
    "--------------------------------------------------------------------------\n";

// However whole the outputs are.
TEST(OpenFoamParse, AnyProgramThatWasKilledFailsTheJob) {
  for (std::size_t stage = 0; stage < 3; ++stage) {
    Outputs outputs = GoodJob();
    const std::string name = outputs.stages[stage].stage;
    outputs.stages[stage].exit_code = 137;  // as bash says it of its child
    EXPECT_TRUE(FailsWith(FindSuite("openfoam")->parse(outputs), name + ": exit code 137"));
    outputs.stages[stage].exit_code.reset();
    outputs.stages[stage].signal = 9;
    EXPECT_TRUE(FailsWith(FindSuite("openfoam")->parse(outputs), name + ": killed by signal 9"));
  }
  Outputs outputs = GoodJob();
  Solve(outputs).out = Sample("openfoam/killed.out");
  Solve(outputs).err = Sample("openfoam/killed.err");
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "solve: mpirun noticed that process rank 1"));
  outputs = GoodJob();
  Solve(outputs).err = kKilledRank;
  EXPECT_TRUE(FailsWith(openfoam::Parse(outputs), "process rank 1 with PID 0 on node worker-0"));
  EXPECT_TRUE(
      FailsWith(ReadFoam(Sample("openfoam/solve_two.txt") + kKilledRank), "exited on signal 9"));
}

}  // namespace
}  // namespace twofold::suite
