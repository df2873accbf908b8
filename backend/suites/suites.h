#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/peer_link.h"
#include "backend/workload.h"
#include "lib/common/result.h"

namespace twofold::backend {

struct WorkloadOptions {
  std::vector<std::string> argv;  ///< name of a built-in suite or absolute path, then arguments
  bool null_in = false;           ///< programs read /dev/null
  bool null_out = false;          ///< programs write to /dev/null, results have no output
  PeerLink* peers = nullptr;  ///< of gangs; null: their members do not start programs for others
};

/// The workload that the command line asks for.
/// Errors   Any: one line for the person who started the program.
Result<std::unique_ptr<Workload>> MakeWorkload(boost::asio::io_context& io,
                                               const WorkloadOptions& options);

}  // namespace twofold::backend
