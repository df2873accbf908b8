#include "lib/security/reloaded.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace twofold::security {
namespace {

constexpr std::size_t kMost = 1 << 20;

Status CannotRead(const std::string& flag, const std::string& path, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(flag, ": cannot read ", path, ": ", why));
}

}  // namespace

Result<std::string> ReadFile(const std::string& flag, const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return CannotRead(flag, path, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return CannotRead(flag, path, "it is not a file");
  if (static_cast<std::size_t>(info.st_size) > kMost) {
    return CannotRead(flag, path, "it is longer than 1 MiB");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file) return CannotRead(flag, path, std::strerror(errno));
  return text;
}

namespace internal {

std::string Fingerprint(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return absl::StrCat(info.st_dev, "/", info.st_ino, "/", info.st_size, "/", info.st_ctim.tv_sec,
                      "/", info.st_ctim.tv_nsec);
}

void LogLoaded(const std::string& path) { spdlog::info("loaded again: {}", path); }

void LogKept(const Status& why) {
  spdlog::error("{}; going on with what was there before", std::string(why.message()));
}

}  // namespace internal
}  // namespace twofold::security
