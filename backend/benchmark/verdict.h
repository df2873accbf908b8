#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/suite/plan.h"
#include "lib/suite/suite.h"
#include "twofold/v1/results.pb.h"

namespace twofold::backend {

/// A job that its suite's Parse is asked about.
struct Case {
  const suite::Suite& suite;
  const std::string& spec;
  const suite::GangPlan& plan;
  std::uint64_t most_bytes;  ///< of one output that is read
};

/// What is wrong with a job; empty: nothing.
struct Verdict {
  std::string stage = {};  ///< of the plan, or of the runner: "plan", "prepare", "collect", "parse"
  std::string error = {};  ///< "STAGE: reason", in which Parse may say more about the stage
};

/// Parses the outputs of all ranks, `result.ranks()`, and adds their numbers. A part that was not
/// run to its end is a failure, whatever its output looks like.
Verdict Judge(const Case& job, v1::BenchmarkResult& result);

/// What the tools of one rank say was wrong there; empty: nothing that its outputs tell.
Verdict JudgeRank(const Case& job, std::uint32_t rank, const v1::RankRecord& record);

/// "STAGE: reason", fit for an outcome.
Verdict Because(std::string_view stage, std::string_view reason);

/// The numbers for people, a line each, headlines first; of series how many rows there are.
std::string Text(const v1::BenchmarkResult& result);

}  // namespace twofold::backend
