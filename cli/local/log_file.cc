#include "cli/local/log_file.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace twofold::local {

namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kMostAtOnce = 1 << 20;
constexpr std::size_t kLongestLine = 64 << 10;

// At most kMostAtOnce bytes; empty if there is no such file.
std::string ReadFrom(const std::string& path, std::uint64_t offset) {
  std::ifstream file(path);
  file.seekg(static_cast<std::streamoff>(offset));
  std::string text(kMostAtOnce, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

std::string LastLines(const std::string& text, int lines) {
  std::size_t start = text.size();
  if (start > 0 && text.back() == '\n') --start;  // the end of the last line, not another one
  for (int left = lines; left > 0 && start > 0; --left) {
    const std::size_t newline = text.rfind('\n', start - 1);
    if (newline == std::string::npos) return text;
    start = newline;
  }
  return lines <= 0 ? std::string() : text.substr(std::min(text.size(), start + 1));
}

}  // namespace

void BoundLog(const std::string& path, std::uintmax_t limit) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size <= limit) return;
  fs::copy_file(path, path + ".1", fs::copy_options::overwrite_existing, error);
  fs::resize_file(path, 0, error);
}

Result<std::string> Tail(const std::string& path, int lines) {
  std::ifstream file(path, std::ios::ate);
  if (!file) return absl::NotFoundError(absl::StrCat("no log ", path));
  const auto size = static_cast<std::uint64_t>(file.tellg());
  return LastLines(ReadFrom(path, size - std::min(size, kMostAtOnce)), lines);
}

std::string FollowedLog::Next() {
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) return "";
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (!begun_) Begin(size);
  if (inode_ != 0 && status.st_ino != inode_) {
    offset_ = 0;
    unfinished_.clear();
  } else if (size < offset_) {
    Append(path_ + ".1");
    offset_ = 0;
  }
  inode_ = status.st_ino;
  Append(path_);
  const std::size_t end = unfinished_.rfind('\n');
  if (end == std::string::npos && unfinished_.size() < kLongestLine) return "";
  const std::size_t whole = end == std::string::npos ? unfinished_.size() : end + 1;
  std::string lines = unfinished_.substr(0, whole);
  unfinished_.erase(0, whole);
  return lines;
}

void FollowedLog::Begin(std::uint64_t size) {
  begun_ = true;
  const std::uint64_t start = size - std::min(size, kMostAtOnce);
  const std::string text = ReadFrom(path_, start);
  unfinished_ = LastLines(text, lines_);
  offset_ = start + text.size();
}

void FollowedLog::Append(const std::string& path) {
  const std::string text = ReadFrom(path, offset_);
  unfinished_ += text;
  offset_ += text.size();
}

}  // namespace twofold::local
