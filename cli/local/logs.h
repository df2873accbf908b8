#pragma once

#include <string>

#include "cli/local/state_folder.h"
#include "lib/common/result.h"

namespace twofold::local {

struct LogOptions {
  std::string name;     ///< a deployment (all its processes), a process, or "supervisor"
  int lines = 20;       ///< of each log, from its end
  bool follow = false;  ///< goes on until the cluster has ended
  bool json = false;
};

/// Prints the end of logs to stdout. Followed logs come as whole lines, with a heading (or in JSON
/// an object for each piece) that says whose they are; processes that are started later join in.
///
/// Errors   kNotFound: there is no such log.
Status ShowLogs(const StateFolder& folder, const LogOptions& options);

}  // namespace twofold::local
