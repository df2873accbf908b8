#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "lib/common/result.h"

namespace twofold::backend {

/// Descriptors by which a program tells us things beside its output. Single digits, because shells
/// know no others (`echo 0.5 half >&4`).
inline constexpr int kReadyFd = 3;
inline constexpr int kProgressFd = 4;

/// Where a program finds `Program::control`.
inline constexpr int kControlFd = 3;

/// How to start a program. `argv[0]` is its path; no shell and no PATH are involved.
struct Program {
  std::vector<std::string> argv;
  bool null_in = false;         ///< stdin is /dev/null, else ours
  bool null_out = false;        ///< stdout and stderr are /dev/null, else the pipe `Child::output`
  bool tells_ready = false;     ///< kReadyFd is the pipe `Child::ready`, else closed
  bool tells_progress = false;  ///< kProgressFd is the pipe `Child::progress`, else closed
  /// What differs from what programs inherit (lib/process/inherited.h), see MergeEnvironment.
  std::vector<std::string> environment = {};
  std::string directory = {};  ///< to start it in; empty: ours
  /// Lent descriptors that become its stdin, stdout and stderr instead of what is said above; -1:
  /// none. Above 2. They stay the caller's, and may be files, pipes or sockets.
  int in = -1;
  int out = -1;
  int err = -1;
  /// Likewise, becomes kControlFd. REQUIRES: it does not tell when it is ready.
  int control = -1;
};

/// What was started. Pipes are their reading ends, not blocking; -1: there is none.
struct Child {
  pid_t pid = -1;   ///< also its process group
  int output = -1;  ///< of stdout and stderr
  int ready = -1;
  int progress = -1;
};

/// Starts the program as the leader of a process group of its own, with default signal handling,
/// and such that the kernel kills it when this process dies. The caller owns the pipes and must
/// reap.
///
/// Threads  Call from a thread that lives as long as its children do: the kernel takes the end of
///          the thread for the end of the parent.
/// Errors   kNotFound and others by errno, the message naming the path of program or directory.
/// Cost     vfork and exec: does not grow with the memory of this process.
Result<Child> Spawn(const Program& program);

/// Why `path` cannot be started; OK if it is an executable file.
Status CheckExecutable(const std::string& path);

/// `inherited` with `changes`: NAME=VALUE adds or replaces, NAME alone removes.
/// Ends with a null pointer; the others point into both.
std::vector<char*> MergeEnvironment(const std::vector<const char*>& inherited,
                                    const std::vector<std::string>& changes);

}  // namespace twofold::backend
