#include "lib/process/spawn.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <tuple>
#include <utility>

#include "lib/common/descriptors.h"
#include "lib/common/program.h"
#include "lib/process/environment.h"
#include "lib/process/pipes.h"

namespace twofold::process {
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
  int failure = -1;  // where to write a Failure
};

// Why the child could not become the program.
struct Failure {
  int error = 0;
  bool of_directory = false;
};

bool MakeMoves(const Plan& plan) {
  for (const Move& move : plan.moves) {
    if (dup2(move.from, move.to) < 0) return false;
  }
  return true;
}

// Runs between vfork and exec, in the memory of the parent: system calls only.
[[noreturn]] void BecomeProgram(const Plan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  RestoreSignalsInChild();
  RestoreDescriptorLimitInChild();
  // Libraries open some that programs would inherit: sockets that listen, for one. Kernels before
  // 5.11 do not know this call, and leave them open.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  Failure failure;
  const bool parent_lives = getppid() == plan.parent;  // else it died before prctl
  if (parent_lives && MakeMoves(plan)) {
    failure.of_directory = plan.directory != nullptr && chdir(plan.directory) != 0;
    if (!failure.of_directory) execve(plan.argv[0], plan.argv.data(), plan.environment.data());
  }
  failure.error = errno;
  [[maybe_unused]] const ssize_t told = write(plan.failure, &failure, sizeof failure);
  _exit(127);
}

// Apart, so that nothing of a caller lives in the frame that parent and child share.
[[gnu::noinline]] pid_t ForkAndExec(const Plan& plan) {
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

std::vector<char*> EnvironmentOf(const Program& program) {
  if (!program.is_ours) return MergeEnvironment(Inherited(environ), program.environment);
  std::vector<const char*> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.push_back(*variable);
  return MergeEnvironment(all, program.environment);
}

// High, so that no move of the child overwrites what a later one needs.
Descriptor MovedUp(int number) {
  return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, kProgressFd + 1));
}

// A pipe through which the child writes.
Result<Pipe> OpenPipeFromChild() {
  Result<Pipe> pipe = OpenPipe();
  if (!pipe.ok()) return pipe;
  pipe->write = MovedUp(pipe->write.get());
  if (pipe->write.get() < 0) return absl::ErrnoToStatus(errno, "pipe");
  return pipe;
}

// What the child has of us beside its standard descriptors, and what we have of it.
struct Pipes {
  Pipe output;
  Pipe ready;
  Pipe progress;
  Pipe failure;
  Descriptor null;
  Descriptor control;
};

bool WantsOutput(const Program& program) {
  return !program.null_out && (program.out < 0 || program.err < 0);
}

Status Open(const Program& program, Pipes& pipes) {
  const std::pair<bool, Pipe*> wanted[] = {{WantsOutput(program), &pipes.output},
                                           {program.tells_ready, &pipes.ready},
                                           {program.tells_progress, &pipes.progress},
                                           {true, &pipes.failure}};
  for (const auto& [is_wanted, pipe] : wanted) {
    if (!is_wanted) continue;
    Result<Pipe> opened = OpenPipeFromChild();
    if (!opened.ok()) return opened.status();
    *pipe = *std::move(opened);
    if (pipe != &pipes.failure) fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
  }
  const Descriptor low(open("/dev/null", O_RDWR | O_CLOEXEC));
  pipes.null = MovedUp(low.get());
  if (pipes.null.get() < 0) return absl::ErrnoToStatus(errno, "/dev/null");
  if (program.control >= 0) pipes.control = MovedUp(program.control);
  return absl::OkStatus();
}

std::vector<Move> MovesOf(const Program& program, const Pipes& pipes) {
  std::vector<Move> moves;
  const int in = program.null_in ? pipes.null.get() : -1;
  const int out = program.null_out ? pipes.null.get() : pipes.output.write.get();
  for (const auto& [lent, own, standard] : {std::tuple{program.in, in, STDIN_FILENO},
                                            {program.out, out, STDOUT_FILENO},
                                            {program.err, out, STDERR_FILENO}}) {
    const int from = lent >= 0 ? lent : own;
    if (from >= 0) moves.push_back({from, standard});
  }
  if (program.control >= 0) moves.push_back({pipes.control.get(), kControlFd});
  if (program.tells_ready) moves.push_back({pipes.ready.write.get(), kReadyFd});
  if (program.tells_progress) moves.push_back({pipes.progress.write.get(), kProgressFd});
  return moves;
}

// Waits until the child has become the program, which closes its end, or has failed to.
std::optional<Failure> ReadFailure(Pipe& pipe) {
  pipe.write = Descriptor();
  Failure failure;
  ssize_t got = 0;
  do {
    got = read(pipe.read.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof failure) return std::nullopt;
  return failure;
}

}  // namespace

Result<Child> Spawn(const Program& program) {
  Pipes pipes;
  if (Status status = Open(program, pipes); !status.ok()) return status;
  Plan plan;
  plan.argv = Pointers(program.argv);
  plan.environment = EnvironmentOf(program);
  plan.moves = MovesOf(program, pipes);
  if (!program.directory.empty()) plan.directory = program.directory.c_str();
  plan.parent = getpid();
  plan.failure = pipes.failure.write.get();
  const pid_t pid = ForkAndExec(plan);
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork");
  if (const auto failure = ReadFailure(pipes.failure)) {
    waitpid(pid, nullptr, 0);
    return absl::ErrnoToStatus(failure->error,
                               failure->of_directory ? program.directory : program.argv[0]);
  }
  return Child{pid, pipes.output.read.Release(), pipes.ready.read.Release(),
               pipes.progress.read.Release()};
}

Exit ExitOf(int wait_status) {
  if (WIFEXITED(wait_status)) return {.code = WEXITSTATUS(wait_status)};
  return {.signal = WTERMSIG(wait_status)};
}

std::optional<Exit> Poll(pid_t child) {
  int wait_status = 0;
  if (waitpid(child, &wait_status, WNOHANG) != child) return std::nullopt;
  return ExitOf(wait_status);
}

std::string Describe(const Exit& exit) {
  if (exit.signal == 0) return absl::StrCat("exit code ", exit.code);
  return absl::StrCat("killed by signal ", exit.signal, " (", strsignal(exit.signal), ")");
}

}  // namespace twofold::process
