#include "backend/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

namespace twofold::backend {
namespace {

constexpr std::size_t kTailBytes = 4096;    // what a Report has room for
constexpr std::size_t kPipeBytes = 65'536;  // what a pipe of Linux holds

}  // namespace

Result<std::shared_ptr<Process>> Process::Start(boost::asio::io_context& io, Reaper& reaper,
                                                const Program& program, OnEnd on_end) {
  const Result<Child> child = Spawn(program);
  if (!child.ok()) return child.status();
  const std::shared_ptr<Process> process(new Process(io, reaper, *child, std::move(on_end)));
  process->Watch(child->output);
  return process;
}

Process::Process(boost::asio::io_context& io, Reaper& reaper, const Child& child, OnEnd on_end)
    : reaper_(reaper),
      pid_(child.pid),
      on_end_(std::move(on_end)),
      output_(io),
      grace_(io),
      tail_(kTailBytes) {}

void Process::Watch(int output) {
  reaper_.Watch(pid_, [self = shared_from_this()](int status) { self->Exited(status); });
  if (output < 0) return;
  output_.assign(output);
  Read();
}

void Process::Read() {
  output_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       if (error || !self->running_) return;
                       std::array<char, kPipeBytes> bytes;
                       const ssize_t got =
                           read(self->output_.native_handle(), bytes.data(), bytes.size());
                       if (got == 0) return;  // closed, though it may run on
                       if (got > 0) self->tail_.Append({bytes.data(), static_cast<size_t>(got)});
                       self->Read();
                     });
}

// What is in the pipe now, and no more: somebody who left the group may hold it open and write on.
void Process::ReadRest() {
  if (!output_.is_open()) return;
  std::array<char, kPipeBytes> bytes;
  const ssize_t got = read(output_.native_handle(), bytes.data(), bytes.size());
  if (got > 0) tail_.Append({bytes.data(), static_cast<size_t>(got)});
  output_.close();
}

void Process::Exited(int wait_status) {
  running_ = false;
  grace_.cancel();
  ReadRest();
  ProgramEnd end;
  if (WIFEXITED(wait_status)) end.exit_code = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status)) end.signal = WTERMSIG(wait_status);
  end.output = tail_.Last();
  std::exchange(on_end_, nullptr)(std::move(end));
}

void Process::Stop() {
  if (!running_) return;
  kill(-pid_, SIGTERM);
  kill(-pid_, SIGCONT);  // a stopped process would not see it
  grace_.expires_after(kStopGrace);
  grace_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && self->running_) kill(-self->pid_, SIGKILL);
  });
}

void Process::Abandon() {
  if (!std::exchange(running_, false)) return;
  kill(-pid_, SIGKILL);
  reaper_.Forget(pid_);
  grace_.cancel();
  output_.close();
}

}  // namespace twofold::backend
