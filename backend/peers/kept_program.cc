#include "backend/peers/kept_program.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace twofold::backend {
namespace {

// A descriptor for a process. What glibc 2.36 declares for it cannot be linked from C++.
int OpenProcess(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace

KeptEnd ParseKeptEnd(const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, absl::ByAnyChar(" \n"));
  KeptEnd end;
  int number = 0;
  if (words.size() < 2 || !absl::SimpleAtoi(words[1], &number)) {
    end.error = "twofold-keeper was killed, how the program ended is not known";
  } else if (words[0] == "exited") {
    end.exit_code = number;
  } else if (words[0] == "killed") {
    end.signal = number;
  } else {
    end.error = std::strerror(number);
  }
  return end;
}

Result<std::shared_ptr<KeptProgram>> KeptProgram::Start(boost::asio::io_context& io,
                                                        const std::string& keeper,
                                                        process::Program program, OnEnd on_end) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  Descriptor theirs(ends[1]);
  std::shared_ptr<KeptProgram> kept(new KeptProgram(io, std::move(on_end)));
  kept->control_.assign(ends[0]);
  program.argv.insert(program.argv.begin(), keeper);
  program.control = theirs.get();
  const Result<process::Child> child = process::Spawn(program);
  if (!child.ok()) return child.status();
  // Before anybody reaps it: the number is still that of the keeper.
  kept->keeper_ = Descriptor(OpenProcess(child->pid));
  kept->ReadControl();
  return kept;
}

KeptProgram::KeptProgram(boost::asio::io_context& io, OnEnd on_end)
    : on_end_(std::move(on_end)), control_(io) {}

void KeptProgram::Stop() {
  if (control_.is_open()) shutdown(control_.native_handle(), SHUT_WR);
}

// A weak pointer: who drops the program ends it, by the end of the socket.
void KeptProgram::ReadControl() {
  control_.async_read_some(
      boost::asio::buffer(read_),
      [weak = weak_from_this()](const boost::system::error_code& error, std::size_t bytes) {
        const auto self = weak.lock();
        if (!self) return;
        if (error) return self->TellEnd();
        self->line_.append(self->read_.data(), bytes);
        self->ReadControl();
      });
}

// The keeper has closed its end, which it does by its exit: that takes no time. Where a Reaper is
// at work it may be the one to collect it.
void KeptProgram::TellEnd() {
  siginfo_t info{};
  waitid(P_PIDFD, static_cast<id_t>(keeper_.get()), &info, WEXITED);
  on_end_(ParseKeptEnd(line_));
}

}  // namespace twofold::backend
