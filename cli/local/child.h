#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "lib/common/result.h"

namespace twofold::local {

struct ChildCommand {
  std::vector<std::string> argv;                   ///< argv[0] is the path of the program
  std::map<std::string, std::string> environment;  ///< added to ours
  std::string log;                                 ///< stdout and stderr are appended to this file
};

/// Starts a process in a group of its own (a Ctrl-C is for us, we tell the children). It is killed
/// by the kernel when the calling thread ends, however that ends: call from a thread that lives as
/// long as the process.
///
/// Errors   kInternal: no process could be made. A program that cannot be run exits with 127, the
///          reason is in its log.
Result<pid_t> StartChild(const ChildCommand& command);

/// How a process ended, from the status of waitpid: "exit code 2", "signal 9 (Killed)".
std::string DescribeExit(int wait_status);

}  // namespace twofold::local
