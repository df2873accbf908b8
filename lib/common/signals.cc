#include "lib/common/signals.h"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace twofold {
namespace {

// Wake uses a signal as well, so that Wait is one system call.
constexpr int kWake = SIGUSR2;

sigset_t Handled() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGTERM, SIGINT, kWake}) sigaddset(&set, number);
  return set;
}

}  // namespace

ShutdownSignals::ShutdownSignals() {
  const sigset_t set = Handled();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int ShutdownSignals::Wait() {
  const sigset_t set = Handled();
  int number = 0;
  while (sigwait(&set, &number) != 0) {
  }
  return number == kWake ? 0 : number;
}

void ShutdownSignals::Wake() { kill(getpid(), kWake); }

void RestoreSignalsInChild() {
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace twofold
