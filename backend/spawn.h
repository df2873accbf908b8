#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "lib/common/result.h"

namespace twofold::backend {

/// How to start a program. `argv[0]` is its path; no shell and no PATH are involved.
struct Program {
  std::vector<std::string> argv;
  bool null_in = false;   ///< stdin is /dev/null, else ours
  bool null_out = false;  ///< stdout and stderr are /dev/null, else the pipe `Child::output`
};

struct Child {
  pid_t pid = -1;   ///< also its process group
  int output = -1;  ///< reading end of its stdout and stderr, not blocking; -1 with null_out
};

/// Starts the program as the leader of a process group of its own, with default signal handling,
/// and such that the kernel kills it when this process dies. The caller owns `output` and must
/// reap.
///
/// Threads  Call from a thread that lives as long as its children do: the kernel takes the end of
///          the thread for the end of the parent.
/// Errors   kNotFound and others by errno, the message naming the path: it could not be started.
/// Cost     vfork and exec: does not grow with the memory of this process.
Result<Child> Spawn(const Program& program);

/// Why `path` cannot be started; OK if it is an executable file.
Status CheckExecutable(const std::string& path);

}  // namespace twofold::backend
