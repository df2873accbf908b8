#include "lib/process/run.h"

#include <absl/strings/str_cat.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "lib/common/descriptors.h"
#include "lib/common/printable.h"

namespace twofold::process {
namespace {

constexpr auto kLook = std::chrono::milliseconds(5);
constexpr std::size_t kErrorTail = 1000;

Status Errno(const std::string& what) {
  return absl::ResourceExhaustedError(absl::StrCat(what, ": ", std::strerror(errno)));
}

/// A file in memory: unlike a pipe it never makes a program wait, and nobody has to read meanwhile.
class MemoryFile {
 public:
  static Result<MemoryFile> Open(const char* name) {
    MemoryFile file(memfd_create(name, MFD_CLOEXEC));
    if (file.descriptor() < 0) return Errno("memfd_create");
    return file;
  }

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }

  [[nodiscard]] std::size_t Bytes() const {
    struct stat info {};
    return fstat(descriptor(), &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
  }

  Status Write(std::string_view text) {
    if (!WriteAll(descriptor(), text)) return Errno("a file in memory");
    lseek(descriptor(), 0, SEEK_SET);
    return absl::OkStatus();
  }

  /// What stands from `begin` on.
  [[nodiscard]] std::string Read(std::size_t begin = 0) const {
    std::string text(Bytes() - std::min(begin, Bytes()), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t got = pread(descriptor(), text.data() + done, text.size() - done,
                                static_cast<off_t>(begin + done));
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
  }

  [[nodiscard]] std::string Tail() const {
    return Printable(Read(Bytes() - std::min(Bytes(), kErrorTail)), kErrorTail);
  }

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
  Descriptor descriptor_;
};

/// A program while it runs. Nothing of it is left when this is gone.
class Running {
 public:
  explicit Running(pid_t pid) : pid_(pid) {}
  ~Running() { End(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// It stays unreaped until End, so that its number stays that of its group.
  [[nodiscard]] bool HasEnded() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == pid_;
  }

  Exit End() {
    if (pid_ < 0) return {};
    kill(-pid_, SIGKILL);
    int status = 0;
    pid_t reaped = -1;
    do {
      reaped = waitpid(pid_, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    pid_ = -1;
    return reaped < 0 ? Exit{} : ExitOf(status);
  }

 private:
  pid_t pid_;
};

struct Files {
  MemoryFile in;
  MemoryFile out;
  MemoryFile errors;

  [[nodiscard]] std::size_t Bytes() const { return std::max(out.Bytes(), errors.Bytes()); }
};

Result<Files> OpenFiles(std::string_view input) {
  auto in = MemoryFile::Open("in");
  auto out = MemoryFile::Open("out");
  auto errors = MemoryFile::Open("errors");
  for (const auto* file : {&in, &out, &errors}) {
    if (!file->ok()) return file->status();
  }
  if (Status status = in->Write(input); !status.ok()) return status;
  return Files{*std::move(in), *std::move(out), *std::move(errors)};
}

/// Until it has ended, or why it must.
Status Await(const Running& running, const Files& files, const RunBounds& bounds) {
  const Instant deadline = Now() + bounds.timeout;
  while (!running.HasEnded() && files.Bytes() <= bounds.most_bytes) {
    if (bounds.given_up && bounds.given_up()) return absl::CancelledError("nobody waits for it");
    if (Now() > deadline) return absl::DeadlineExceededError("it did not end in time");
    std::this_thread::sleep_for(kLook);
  }
  if (files.Bytes() <= bounds.most_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("it printed more than ", bounds.most_bytes >> 20, " MiB"));
}

}  // namespace

Result<Ran> Run(Program program, std::string_view input, const RunBounds& bounds) {
  const auto files = OpenFiles(input);
  if (!files.ok()) return files.status();
  program.null_in = input.empty();
  if (!input.empty()) program.in = files->in.descriptor();
  program.out = files->out.descriptor();
  program.err = files->errors.descriptor();
  const auto child = Spawn(program);
  if (!child.ok()) return child.status();
  Running running(child->pid);
  Ran ran{.killed = Await(running, *files, bounds)};
  ran.exit = running.End();
  if (ran.killed.ok()) ran.out = files->out.Read();
  ran.errors = files->errors.Tail();
  return ran;
}

}  // namespace twofold::process
