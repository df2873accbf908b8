// twofold-keeper PROGRAM ARGS: runs a program, and goes when nothing of it is left.
//
// A backend starts programs for others through it. Daemons leave their process group and their
// parent, and whoever stops them by either finds them gone. They cannot leave a "subreaper": what
// loses its parent becomes a child of the keeper, and children it kills until there are none. That
// holds also when the backend is killed and can do nothing any more.
//
// Descriptor 3 is a socket to the backend. Its end, or SIGTERM, means: stop the program (TERM to
// its group, KILL to all that is left two seconds later). When the program ends by itself, the rest
// is killed at once. Then comes one line: "exited CODE", "killed SIGNAL" or "failed ERRNO".

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kControlFd = 3;
constexpr auto kGrace = std::chrono::seconds(2);
constexpr int kAgainMs = 10;  // while what was killed has not gone yet

sigset_t Watched() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  return set;
}

// Descriptors of the program: as long as somebody else has them, too, their other ends see no end.
void LetGoOfStandardStreams() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
}

[[noreturn]] void BecomeProgram(char** argv, int tell_error) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const sigset_t watched = Watched();
  sigprocmask(SIG_UNBLOCK, &watched, nullptr);
  execv(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(tell_error, &error, sizeof error);
  _exit(127);
}

/// Starts it as the leader of a process group of its own. Returns errno, or 0.
int Start(char** argv, pid_t& pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  pid = fork();
  if (pid < 0) return errno;
  if (pid == 0) BecomeProgram(argv, ends[1]);
  close(ends[1]);
  int error = 0;
  // Nothing: the program runs.
  if (read(ends[0], &error, sizeof error) <= 0) error = 0;
  close(ends[0]);
  return error;
}

/// The parent of process `pid`; 0 if it has gone. Its name, in parentheses, may hold anything.
pid_t ParentOf(const char* pid) {
  std::ifstream file(std::string("/proc/") + pid + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  char state = 0;
  pid_t parent = 0;
  if (name_end == std::string::npos) return 0;
  return std::sscanf(line.c_str() + name_end + 1, " %c %d", &state, &parent) == 2 ? parent : 0;
}

// Their children become ours then: call again until there are none.
void KillChildren() {
  DIR* const folder = opendir("/proc");
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (ParentOf(entry->d_name) == getpid()) kill(std::atoi(entry->d_name), SIGKILL);
  }
  closedir(folder);
}

class Keeper {
 public:
  explicit Keeper(pid_t program) : program_(program) {
    const sigset_t watched = Watched();
    events_[0] = {signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0};
    events_[1] = {kControlFd, POLLIN, 0};
  }

  /// Waits until nothing is left; how the program ended.
  int Run() {
    while (Reap()) {
      const bool program_ended = status_.has_value();
      const bool kills = kill_at_ ? Clock::now() >= *kill_at_ : program_ended;
      if (kills) KillChildren();
      poll(events_, 2, kills ? kAgainMs : MsToKill());
      if (AskedToStop() && !kill_at_) Stop();
    }
    return status_.value_or(0);
  }

 private:
  /// Whether there are children left.
  bool Reap() {
    for (;;) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid <= 0) return pid == 0;
      if (pid == program_) status_ = status;
    }
  }

  bool AskedToStop() {
    bool asked = false;
    signalfd_siginfo info{};
    while (read(events_[0].fd, &info, sizeof info) > 0) {
      asked = asked || info.ssi_signo != SIGCHLD;
    }
    if (events_[1].revents == 0) return asked;
    events_[1] = {-1, 0, 0};  // nothing but the end comes there
    return true;
  }

  // Until the program is reaped its number is nobody else's.
  void Stop() {
    kill_at_ = Clock::now() + kGrace;
    if (status_) return;
    kill(-program_, SIGTERM);
    kill(-program_, SIGCONT);  // a stopped process would not see it
  }

  int MsToKill() const {
    if (!kill_at_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*kill_at_ - Clock::now());
    return static_cast<int>(std::max<long>(0, left.count()));
  }

  const pid_t program_;
  pollfd events_[2];
  std::optional<int> status_;
  std::optional<Clock::time_point> kill_at_;
};

void Tell(const char* what, int number) {
  char line[32];
  const int size = std::snprintf(line, sizeof line, "%s %d\n", what, number);
  send(kControlFd, line, static_cast<std::size_t>(size), MSG_NOSIGNAL);
}

}  // namespace

int main(int argc, char** argv) {
  fcntl(kControlFd, F_SETFD, FD_CLOEXEC);
  if (argc < 2 || argv[1][0] != '/' || fcntl(kControlFd, F_GETFD) < 0) {
    std::fputs(
        "twofold-keeper is started by twofold-backend, with a socket as descriptor 3:\n"
        "twofold-keeper /PATH/OF/PROGRAM ARGS\n",
        stderr);
    return 2;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, 0);  // the end of the socket says it, and leaves time to stop the program
  const sigset_t watched = Watched();
  sigprocmask(SIG_BLOCK, &watched, nullptr);
  pid_t pid = -1;
  const int error = Start(argv + 1, pid);
  LetGoOfStandardStreams();
  const int status = Keeper(pid).Run();
  if (error != 0) {
    Tell("failed", error);
  } else if (WIFSIGNALED(status)) {
    Tell("killed", WTERMSIG(status));
  } else {
    Tell("exited", WEXITSTATUS(status));
  }
  return 0;
}
