#include "backend/spawn.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "lib/common/signals.h"

namespace twofold::backend {
namespace {

// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int get() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// All that the child needs, made ready before there is one.
struct Plan {
  std::vector<char*> argv;
  int null = -1;  // /dev/null
  int in = -1;    // -1: ours
  int out = -1;
  pid_t parent = 0;
  int error = 0;  // written by the child, which shares our memory until it execs
};

Status ErrnoStatus(int error, const std::string& what) { return absl::ErrnoToStatus(error, what); }

// Runs between vfork and exec, in the memory of the parent: system calls only.
[[noreturn]] void BecomeProgram(Plan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  RestoreSignalsInChild();
  const bool orphan = getppid() != plan.parent;  // it died before prctl
  if (!orphan && (plan.in < 0 || dup2(plan.in, STDIN_FILENO) >= 0) &&
      dup2(plan.out, STDOUT_FILENO) >= 0 && dup2(plan.out, STDERR_FILENO) >= 0) {
    execv(plan.argv[0], plan.argv.data());
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

}  // namespace

Result<Child> Spawn(const Program& program) {
  int ends[2] = {-1, -1};
  if (!program.null_out && pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  Descriptor read_end(ends[0]);
  const Descriptor write_end(ends[1]);
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (null.get() < 0) return ErrnoStatus(errno, "/dev/null");
  if (!program.null_out) fcntl(read_end.get(), F_SETFL, O_NONBLOCK);

  Plan plan;
  plan.argv = Pointers(program.argv);
  plan.in = program.null_in ? null.get() : -1;
  plan.out = program.null_out ? null.get() : write_end.get();
  plan.parent = getpid();
  const pid_t pid = ForkAndExec(plan);
  if (pid < 0) return ErrnoStatus(errno, "fork");
  if (plan.error != 0) return ErrnoStatus(plan.error, program.argv[0]);
  return Child{pid, read_end.Release()};
}

Status CheckExecutable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, path);
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(path + ": is a directory");
  if (access(path.c_str(), X_OK) != 0) return ErrnoStatus(errno, path);
  return absl::OkStatus();
}

}  // namespace twofold::backend
