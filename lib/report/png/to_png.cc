#include "lib/report/png/to_png.h"

#include <absl/strings/str_cat.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "lib/common/descriptors.h"
#include "lib/common/printable.h"
#include "lib/process/environment.h"
#include "lib/process/spawn.h"

namespace twofold::report {
namespace {

constexpr std::size_t kMostWords = 1000;  // of what it prints
constexpr auto kLook = std::chrono::milliseconds(5);
constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

Status Errno(const std::string& what) {
  return absl::ResourceExhaustedError(absl::StrCat(what, ": ", std::strerror(errno)));
}

/// A file in memory: unlike a pipe it never makes a program wait, and nobody has to read meanwhile.
class MemoryFile {
 public:
  static Result<MemoryFile> Open(const char* name) {
    MemoryFile file(memfd_create(name, MFD_CLOEXEC));
    if (file.descriptor_.get() < 0) return Errno("memfd_create");
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

  /// At most the first `most` bytes.
  [[nodiscard]] std::string Read(std::size_t most) const {
    std::string text(std::min(Bytes(), most), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t got =
          pread(descriptor(), text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
  }

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
  Descriptor descriptor_;
};

/// The program while it runs. Nothing of it is left when this is gone.
class Conversion {
 public:
  explicit Conversion(pid_t pid) : pid_(pid) {}
  ~Conversion() { End(); }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  /// It stays unreaped until End, so that its number stays that of its group.
  [[nodiscard]] bool HasEnded() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == pid_;
  }

  process::Exit End() {
    if (pid_ < 0) return {};
    kill(-pid_, SIGKILL);
    int status = 0;
    pid_t reaped = -1;
    do {
      reaped = waitpid(pid_, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    pid_ = -1;
    return reaped < 0 ? process::Exit{} : process::ExitOf(status);
  }

 private:
  pid_t pid_;
};

Result<std::string> FindConverter(const PngOptions& options) {
  const char* path = std::getenv("PATH");
  const std::string where = options.path.empty() && path != nullptr ? path : options.path;
  auto found = process::FindProgram("rsvg-convert", {{}, where});
  if (found.ok()) return found;
  return absl::UnavailableError(absl::StrCat("no PNG: ", std::string(found.status().message()),
                                             "; it is in Debian's package librsvg2-bin"));
}

Status Failed(const std::string& what, const MemoryFile& errors) {
  const std::string words = Printable(errors.Read(kMostWords), kMostWords);
  return absl::InternalError(
      absl::StrCat("rsvg-convert: ", what, words.empty() ? "" : ": ", words));
}

struct Files {
  MemoryFile in;
  MemoryFile out;
  MemoryFile errors;
};

Result<Files> OpenFiles(std::string_view svg) {
  auto in = MemoryFile::Open("svg");
  if (!in.ok()) return in.status();
  auto out = MemoryFile::Open("png");
  if (!out.ok()) return out.status();
  auto errors = MemoryFile::Open("errors");
  if (!errors.ok()) return errors.status();
  if (const Status status = in->Write(svg); !status.ok()) return status;
  return Files{*std::move(in), *std::move(out), *std::move(errors)};
}

/// How long it may run and how much it may write.
Status Await(const Conversion& conversion, const Files& files, const PngOptions& options) {
  const Instant deadline = Now() + options.timeout;
  while (!conversion.HasEnded()) {
    if (files.out.Bytes() > options.most_bytes || files.errors.Bytes() > options.most_bytes) break;
    if (Now() >= deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat("rsvg-convert: no PNG within ", ToSeconds(options.timeout), " s"));
    }
    std::this_thread::sleep_for(kLook);
  }
  if (files.out.Bytes() <= options.most_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("rsvg-convert: the PNG has more than ", options.most_bytes, " bytes"));
}

}  // namespace

Result<std::string> ToPng(std::string_view svg, const PngOptions& options) {
  if (svg.size() > options.most_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("no PNG: the SVG has ", svg.size(), " bytes, ",
                                                     options.most_bytes, " are the most"));
  }
  const auto converter = FindConverter(options);
  if (!converter.ok()) return converter.status();
  const auto files = OpenFiles(svg);
  if (!files.ok()) return files.status();
  process::Program program;
  program.argv = {*converter, "--format=png", absl::StrCat("--zoom=", options.zoom)};
  program.in = files->in.descriptor();
  program.out = files->out.descriptor();
  program.err = files->errors.descriptor();
  const auto child = process::Spawn(program);
  if (!child.ok()) return child.status();
  Conversion conversion(child->pid);
  if (const Status status = Await(conversion, *files, options); !status.ok()) return status;
  const process::Exit exit = conversion.End();
  if (!exit.ok()) return Failed(process::Describe(exit), files->errors);
  std::string png = files->out.Read(options.most_bytes);
  if (!png.starts_with(kSignature)) return Failed("it wrote no PNG", files->errors);
  return png;
}

}  // namespace twofold::report
