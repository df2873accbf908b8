#include "lib/process/find_program.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace twofold::process {
namespace {

bool IsProgram(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> FoldersOf(const SearchPath& where) {
  std::vector<std::string> folders(where.folders.begin(), where.folders.end());
  const std::vector<std::string> inherited = absl::StrSplit(where.path, ':');
  for (const std::string& folder : inherited) {
    // Others are of the folder that the worker was started in, which is not that of its programs.
    if (folder.starts_with('/')) folders.push_back(folder);
  }
  return folders;
}

}  // namespace

Result<std::string> FindProgram(const std::string& name, const SearchPath& where) {
  if (name.find('/') != std::string::npos) return name;
  const std::vector<std::string> folders = FoldersOf(where);
  for (const std::string& folder : folders) {
    std::string path = absl::StrCat(folder, "/", name);
    if (IsProgram(path)) return path;
  }
  return absl::NotFoundError(
      absl::StrCat(name, " is not installed: looked in ",
                   folders.empty() ? "no folder, as PATH is empty" : absl::StrJoin(folders, ", ")));
}

std::string JoinPath(const SearchPath& where) { return absl::StrJoin(FoldersOf(where), ":"); }

Status CheckExecutable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, path);
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(path + ": is a directory");
  if (access(path.c_str(), X_OK) != 0) return absl::ErrnoToStatus(errno, path);
  return absl::OkStatus();
}

std::string OwnFolder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

void AppendToPath(const std::string& folder) {
  const char* const path = std::getenv("PATH");
  const std::string with = path == nullptr ? folder : absl::StrCat(path, ":", folder);
  setenv("PATH", with.c_str(), 1);
}

}  // namespace twofold::process
