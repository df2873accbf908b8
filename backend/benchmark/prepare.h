#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/benchmark/options.h"
#include "backend/benchmark/verdict.h"
#include "backend/benchmark/work_folder.h"
#include "backend/workload/workload.h"
#include "lib/suite/plan.h"
#include "lib/suite/suite.h"
#include "twofold/v1/results.pb.h"

namespace twofold::backend {

/// All that a rank has before its first stage.
struct Prepared {
  std::string spec;
  suite::GangPlan plan;
  std::uint32_t rank = 0;
  std::vector<std::string> programs;     ///< by stage: their paths
  std::vector<std::string> versions;     ///< by stage; empty: not known (yet)
  std::unique_ptr<WorkFolder> folder;    ///< with the plan's files
  std::vector<std::string> environment;  ///< of all programs: NAME=VALUE, or NAME to remove

  [[nodiscard]] const suite::RankPlan& rank_plan() const { return plan.ranks[rank]; }
};

/// Checks and plans the job, finds its programs, makes folders and files. What is missing is found
/// out here, before a gang waits for it. Returns why it cannot be run; `prepared` has then what was
/// made so far.
///
/// Errors   "plan: ..." of the spec or the gang, "prepare: ..." of this machine.
Verdict Prepare(const suite::Suite& suite, const BenchmarkOptions& options, const Job& job,
                Prepared& prepared);

/// A result without numbers, with what is known of each rank before it has run: of this one its
/// machine, of the others what the roster has.
v1::BenchmarkResult EmptyResult(const suite::Suite& suite, const WorkerFacts& worker,
                                const Job& job);

}  // namespace twofold::backend
