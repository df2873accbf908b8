#include "lib/security/reloaded.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "lib/common/file.h"

namespace twofold::security {
namespace {

constexpr std::size_t kMost = 1 << 20;

}  // namespace

Result<std::string> ReadFile(const std::string& flag, const std::string& path) {
  auto text = twofold::ReadFile(path, kMost);
  if (text.ok()) return text;
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", std::string(text.status().message())));
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
