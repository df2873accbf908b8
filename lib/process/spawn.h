#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "lib/common/result.h"

/// Starting programs, and how they end.
namespace twofold::process {

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

  /// It inherits our whole environment; else what programs of jobs may know (Inherited).
  bool is_ours = false;

  /// What differs from the variables that it inherits, see MergeEnvironment.
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
/// without any descriptor but those above, and such that the kernel kills it when this process
/// dies. The caller owns the pipes and must reap.
///
/// Threads  Call from a thread that lives as long as its children do: the kernel takes the end of
///          the thread for the end of the parent.
/// Errors   kNotFound and others by errno, the message naming the path of program or directory.
/// Cost     vfork and exec: does not grow with the memory of this process.
Result<Child> Spawn(const Program& program);

/// How a program ended: one of the two is 0.
struct Exit {
  int code = 0;
  int signal = 0;

  [[nodiscard]] bool ok() const { return code == 0 && signal == 0; }
};

/// Of a status as waitpid tells it.
Exit ExitOf(int wait_status);

/// How the child ended, which reaps it; nullopt: it still runs.
std::optional<Exit> Poll(pid_t child);

/// "exit code 2", "killed by signal 9 (Killed)".
std::string Describe(const Exit& exit);

}  // namespace twofold::process
