#include "lib/process/spawn.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <tuple>
#include <utility>

#include "lib/common/descriptors.h"
#include "lib/common/signals.h"
#include "lib/process/inherited.h"

namespace twofold::backend {
namespace {

// A descriptor of ours that is another one in the child.
struct Move {
  int from;
  int to;
};

// All that the child needs, made ready before there is one.
struct Plan {
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::vector<Move> moves;
  const char* directory = nullptr;  // null: stay
  pid_t parent = 0;
  // Written by the child, which shares our memory until it execs.
  int error = 0;
  const char* blamed = nullptr;  // the path that the error is about
};

// A pipe through which the child writes.
struct Pipe {
  Descriptor read;
  Descriptor write;
};

Status ErrnoStatus(int error, const std::string& what) { return absl::ErrnoToStatus(error, what); }

bool MakeMoves(const Plan& plan) {
  for (const Move& move : plan.moves) {
    if (dup2(move.from, move.to) < 0) return false;
  }
  return true;
}

bool Enter(Plan& plan) {
  if (plan.directory == nullptr || chdir(plan.directory) == 0) return true;
  plan.blamed = plan.directory;
  return false;
}

// Runs between vfork and exec, in the memory of the parent: system calls only.
[[noreturn]] void BecomeProgram(Plan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  RestoreSignalsInChild();
  RestoreDescriptorLimitInChild();
  const bool parent_lives = getppid() == plan.parent;  // else it died before prctl
  if (parent_lives && MakeMoves(plan) && Enter(plan)) {
    execve(plan.argv[0], plan.argv.data(), plan.environment.data());
  }
  plan.error = errno;
  _exit(127);
}

// Apart, so that nothing of a caller lives in the frame that parent and child share.
[[gnu::noinline]] pid_t ForkAndExec(Plan& plan) {
  const pid_t pid = vfork();
  if (pid == 0) BecomeProgram(plan);
  return pid;
}

std::vector<char*> Pointers(const std::vector<std::string>& argv) {
  std::vector<char*> pointers;
  for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// High, so that no move of the child overwrites what a later one needs.
Descriptor MovedUp(int number) {
  return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, kProgressFd + 1));
}

Status Open(Pipe& pipe) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  pipe.read = Descriptor(ends[0]);
  const Descriptor low(ends[1]);
  pipe.write = MovedUp(low.get());
  if (pipe.write.get() < 0) return ErrnoStatus(errno, "pipe");
  fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return absl::OkStatus();
}

std::string_view NameOf(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

std::vector<char*> MergeEnvironment(const std::vector<const char*>& inherited,
                                    const std::vector<std::string>& changes) {
  std::vector<char*> merged;
  const auto add = [&merged](const char* variable) {
    merged.push_back(const_cast<char*>(variable));
  };
  for (const std::string& change : changes) {
    if (change.find('=') != std::string::npos) add(change.c_str());
  }
  for (const char* const variable : inherited) {
    const bool changed =
        std::any_of(changes.begin(), changes.end(),
                    [&](const std::string& change) { return NameOf(change) == NameOf(variable); });
    if (!changed) add(variable);
  }
  merged.push_back(nullptr);
  return merged;
}

Result<Child> Spawn(const Program& program) {
  Pipe output;
  Pipe ready;
  Pipe progress;
  const bool wants_output = !program.null_out && (program.out < 0 || program.err < 0);
  const std::pair<bool, Pipe*> wanted[] = {
      {wants_output, &output}, {program.tells_ready, &ready}, {program.tells_progress, &progress}};
  for (const auto& [is_wanted, pipe] : wanted) {
    if (!is_wanted) continue;
    if (Status status = Open(*pipe); !status.ok()) return status;
  }
  const Descriptor low_null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const Descriptor null = MovedUp(low_null.get());
  if (null.get() < 0) return ErrnoStatus(errno, "/dev/null");
  const Descriptor control = program.control < 0 ? Descriptor() : MovedUp(program.control);

  Plan plan;
  plan.argv = Pointers(program.argv);
  plan.blamed = plan.argv[0];
  plan.environment = MergeEnvironment(Inherited(environ), program.environment);
  if (!program.directory.empty()) plan.directory = program.directory.c_str();
  const int to_us = program.null_out ? null.get() : output.write.get();
  const int in = program.null_in ? null.get() : -1;
  for (const auto& [lent, own, standard] : {std::tuple{program.in, in, STDIN_FILENO},
                                            {program.out, to_us, STDOUT_FILENO},
                                            {program.err, to_us, STDERR_FILENO}}) {
    const int from = lent >= 0 ? lent : own;
    if (from >= 0) plan.moves.push_back({from, standard});
  }
  if (program.control >= 0) plan.moves.push_back({control.get(), kControlFd});
  if (program.tells_ready) plan.moves.push_back({ready.write.get(), kReadyFd});
  if (program.tells_progress) plan.moves.push_back({progress.write.get(), kProgressFd});
  plan.parent = getpid();
  const pid_t pid = ForkAndExec(plan);
  if (pid < 0) return ErrnoStatus(errno, "fork");
  if (plan.error != 0) return ErrnoStatus(plan.error, plan.blamed);
  return Child{pid, output.read.Release(), ready.read.Release(), progress.read.Release()};
}

Status CheckExecutable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, path);
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(path + ": is a directory");
  if (access(path.c_str(), X_OK) != 0) return ErrnoStatus(errno, path);
  return absl::OkStatus();
}

}  // namespace twofold::backend
