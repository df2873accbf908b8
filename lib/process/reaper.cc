#include "lib/process/reaper.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <utility>

namespace twofold::process {

Reaper::Reaper(boost::asio::io_context& io) : signal_(io, SIGCHLD) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void Reaper::Watch(pid_t pid, OnExit on_exit) {
  watched_.emplace(pid, std::move(on_exit));
  AwaitSignal();
}

// Only while somebody is interested, so that an idle io_context may end.
void Reaper::AwaitSignal() {
  if (std::exchange(awaiting_, true)) return;
  signal_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    awaiting_ = false;
    ReapAll();
    if (!watched_.empty()) AwaitSignal();
  });
}

void Reaper::ReapAll() {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const pid_t pid = info.si_pid;
    const auto found = watched_.find(pid);
    if (found != watched_.end()) kill(-pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    if (found == watched_.end()) continue;
    const OnExit on_exit = std::move(found->second);
    watched_.erase(found);
    on_exit(status);
  }
}

}  // namespace twofold::process
