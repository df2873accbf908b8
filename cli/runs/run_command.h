#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace twofold::cli {

/// What `twofold run` was told. One of `file`, `resume`, `retry_failed` and `pause` is given.
struct RunCommand {
  std::string file;
  std::string interleave;    ///< file of a run that takes turns with that of `file`; empty: none
  std::string resume;        ///< id of a run
  std::string retry_failed;  ///< id of a run
  std::string pause;         ///< id of a run
  std::string id;            ///< of the new run; empty: made up
  std::string queue;         ///< empty: named like the suite
  std::string spread;        ///< "any", "node"; empty: nodes if there are enough
  std::vector<std::string> nodes;
  bool dry_run = false;
  bool detach = false;
  bool unchecked = false;
  bool local = false;
  bool own_workers = false;           ///< of the run alone: RunRecord::own_workers
  std::string html;                   ///< file for a report at the end; empty: none
  std::string keep;                   ///< folder for what local runs leave; empty: the usual one
  std::string programs;               ///< folder of our programs
  std::vector<std::string> workload;  ///< of local workers; empty: the suite
  std::vector<std::string> allow;     ///< options of local workers: what specs may ask for
};

/// Declares what says where the jobs of a run go: --queue, --nodes, --spread, --unchecked.
void AddPlaces(CLI::App& app, RunCommand& command);

}  // namespace twofold::cli
