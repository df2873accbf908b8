#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/benchmark/options.h"
#include "backend/workload/peer_link.h"
#include "backend/workload/workload.h"
#include "lib/common/result.h"
#include "lib/process/reaper.h"

namespace twofold::backend {

struct WorkloadOptions {
  std::vector<std::string> argv;    ///< a built-in suite or the path of a program, then arguments
  bool null_in = false;             ///< programs read /dev/null
  bool null_out = false;            ///< programs write to /dev/null, results have no output
  bool check_only = false;          ///< whether this machine can run it is not asked
  BenchmarkOptions benchmark = {};  ///< of benchmark suites; MakeWorkload sets `spec` and `peers`
};

/// What a workload shares with the rest of the process; all of it outlives the workload.
struct WorkloadParts {
  boost::asio::io_context& io;
  process::Reaper& reaper;
  PeerLink* peers = nullptr;  ///< null: no other member of a gang can be reached
};

/// The workload that the command line asks for.
/// Errors   Any: one line for the person who started the program.
Result<std::unique_ptr<Workload>> MakeWorkload(const WorkloadParts& parts,
                                               const WorkloadOptions& options);

}  // namespace twofold::backend
