#pragma once

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "backend/benchmark/options.h"
#include "lib/process/reaper.h"
#include "lib/suite/suite.h"

namespace twofold::backend {

/// What this machine has of what suites need.
struct Offers {
  std::vector<const suite::Suite*> suites;  ///< that can run here, in the order given
  suite::Labels labels;                     ///< what they found
  std::vector<std::string> missing;         ///< "rdma-bandwidth: no RDMA device", of the others
};

/// Asks the probe of each suite that has one; the others can run anywhere.
///
/// Threads  Runs the io_context until the last probe has ended; nothing else may.
/// Cost     A program a suite, for 30 s at most.
Offers AskOffers(boost::asio::io_context& io, process::Reaper& reaper,
                 const std::vector<const suite::Suite*>& suites, const BenchmarkOptions& options);

/// Where programs of suites are looked for before PATH: --suite-path, and where our own are.
std::vector<std::string> ProgramFolders(const BenchmarkOptions& options);

/// PATH of this process.
std::string InheritedPath();

}  // namespace twofold::backend
