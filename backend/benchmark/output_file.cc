#include "backend/benchmark/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace twofold::backend {

Result<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path) {
  const Descriptor low(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (low.get() < 0) return absl::ErrnoToStatus(errno, path);
  Descriptor high(fcntl(low.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (high.get() < 0) return absl::ErrnoToStatus(errno, path);
  return std::unique_ptr<OutputFile>(new OutputFile(std::move(high)));
}

Result<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return absl::ErrnoToStatus(errno, path);
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(path + ": is not a file");
  }
  return std::unique_ptr<OutputFile>(new OutputFile(std::move(file)));
}

std::uint64_t OutputFile::size() const {
  struct stat info {};
  return fstat(descriptor(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::string OutputFile::Read(std::uint64_t offset, std::uint64_t bytes) const {
  std::string text(bytes, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t part =
        pread(descriptor(), text.data() + got, text.size() - got, static_cast<off_t>(offset + got));
    if (part <= 0) break;
    got += static_cast<std::size_t>(part);
  }
  text.resize(got);
  return text;
}

std::string OutputFile::Last(std::uint64_t bytes) const {
  const std::uint64_t all = size();
  const std::uint64_t last = std::min(all, bytes);
  return Read(all - last, last);
}

}  // namespace twofold::backend
