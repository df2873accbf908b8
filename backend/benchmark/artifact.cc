#include "backend/benchmark/artifact.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>

namespace twofold::backend {
namespace {

constexpr int kLevel = 3;  // 0.3 GB/s and more: nobody waits for it

// Of what a peer sends; ours are bounded when they are made.
constexpr std::uint64_t kMostKept = 64 << 20;

std::string Compressed(std::string_view text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  // Fails only for want of room.
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), kLevel));
  bytes.shrink_to_fit();
  return bytes;
}

}  // namespace

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

v1::Artifact Keep(std::string_view name, const OutputFile& file, std::uint64_t keep) {
  v1::Artifact artifact;
  artifact.set_name(name.data(), name.size());
  const std::uint64_t size = file.size();
  artifact.set_bytes(size);
  if (size == 0) return artifact;
  const std::string text =
      size <= keep ? file.Read(0, size)
                   : file.Read(0, keep - keep / 2) + file.Read(size - keep / 2, keep / 2);
  artifact.set_left_out(size - text.size());
  artifact.set_zstd(Compressed(text));
  return artifact;
}

void Shrink(v1::Artifact& artifact, std::size_t most) {
  if (artifact.zstd().size() <= most) return;
  std::string text = Text(artifact, kMostKept).value_or("");
  // How well text compresses differs within it, so it is tried; one that is dense comes to an end
  // after as many halves as it is too big.
  while (artifact.zstd().size() > most && !text.empty()) {
    const std::size_t half = text.size() / 4;
    text = text.substr(0, half) + text.substr(text.size() - half);
    artifact.set_zstd(text.empty() ? std::string() : Compressed(text));
  }
  artifact.set_left_out(artifact.bytes() - text.size());
}

Result<std::string> Text(const v1::Artifact& artifact, std::uint64_t most) {
  const std::string& bytes = artifact.zstd();
  if (bytes.empty()) return std::string();
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) {
    return absl::DataLossError("not compressed by zstd");
  }
  if (size > most) {
    return absl::DataLossError(
        absl::StrCat(size, " bytes, more than the ", most, " that are read"));
  }
  std::string text(size, '\0');
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0 || got != size)
    return absl::DataLossError("compressed data is broken");
  return text;
}

}  // namespace twofold::backend
