#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/queues/frontend.h"
#include "cli/results/run_source.h"
#include "cli/runs/benchmark.h"
#include "lib/common/result.h"

namespace twofold::cli {

/// What it takes to go on with a run: the file as it was, and what was decided when it began. The
/// frontend keeps it, so any machine can.
struct RunRecord {
  std::string id;
  std::string file;  ///< its name, for messages
  std::string text;  ///< what it said
  std::string queue{};
  std::vector<std::string> nodes{};             ///< that spec.nodes chose from
  bool spread = false;                          ///< members of a gang on different nodes
  bool local = false;                           ///< begun with --local
  bool own_workers = false;                     ///< its jobs ask for workers that are for it alone
  std::vector<std::string> workload{};          ///< of local workers, instead of the suite
  std::vector<std::string> interleaved{};       ///< ids of the two that take turns, base first
  std::map<std::string, std::string> labels{};  ///< of the run; not read again
};

/// By what jobs wait for each other: the id of the run, or of the base where two take turns.
const std::string& KeyOf(const RunRecord& record);

/// What the workers of a local run, and own workers of another, have and its jobs ask for: those
/// which an interrupted run has left in the store wait for its own workers and not for those of the
/// next one. "KEY=VALUE", with the run's KeyOf.
std::string LabelOfRun(const std::string& key);
inline constexpr const char* kRunLabel = "twofold/run";

/// What all jobs of the run have in common: queue, suite, limits; of gangs, whether they spread.
v1::JobOptions CommonOptions(const RunRecord& record, const spec::Sweep& sweep);

/// Begins the run: from now on the frontend knows it, and its permutations.
///
/// Errors   kAlreadyExists: there is a run with this id; nothing has changed. Those of the
///          frontend.
Status CreateRun(const Frontend& frontend, const RunRecord& record, const Benchmark& benchmark);

/// What a run that is there began with.
/// Errors   kFailedPrecondition: it was not begun from a file.
Result<RunRecord> RecordOf(const v1::Run& run);

/// Errors   kNotFound: no such run. Those of RecordOf and of the source.
Result<RunRecord> FindRun(RunSource& source, const std::string& id);

}  // namespace twofold::cli
