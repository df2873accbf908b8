#include "cli/command/signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace twofold::cli {
namespace {

int OpenSignals(std::initializer_list<int> others) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM}) sigaddset(&set, number);
  for (const int number : others) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Rounded up, so that a short wait is not none.
int Milliseconds(Duration time) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(time).count());
}

}  // namespace

AwaitedSignals::AwaitedSignals(std::initializer_list<int> others)
    : descriptor_(OpenSignals(others)) {}

AwaitedSignals::~AwaitedSignals() { close(descriptor_); }

int AwaitedSignals::Wait(Duration at_most) const {
  pollfd arrived = {descriptor_, POLLIN, 0};
  poll(&arrived, 1, Milliseconds(at_most));
  return Take();
}

int AwaitedSignals::Take() const {
  signalfd_siginfo info{};
  const bool came = read(descriptor_, &info, sizeof info) == sizeof info;
  return came ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace twofold::cli
