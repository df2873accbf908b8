#include "lib/process/environment.h"

#include <absl/status/status.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "lib/common/match.h"
#include "lib/security/client.h"

namespace twofold::process {
namespace {

constexpr std::string_view kPassed[] = {
    // Of the system: where things are, who one is, how to write.
    "PATH", "LD_LIBRARY_PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "HOSTNAME",
    "TERM", "TZ", "LANG", "LANGUAGE", "LC_*",
    // Of what is measured: MPI and the networks below it, threads, devices.
    "OMPI_*", "OPAL_*", "PMIX_*", "PRTE_*", "I_MPI_*", "UCX_*", "UCC_*", "FI_*", "IBV_*", "MLX4_*",
    "MLX5_*", "RDMAV_*", "HWLOC_*", "NCCL_*", "GLOO_*", "TORCH_*", "PYTORCH_*", "TORCHBENCH",
    "OMP_*", "GOMP_*", "KMP_*", "MKL_*", "CUDA_*", "NVIDIA_*", "HIP_*", "HSA_*", "ROCR_*", "ZE_*",
    "ONEAPI_*", "ONEVPL_*", "MFX_*", "LIBVA_*", "SVT_*", "PCIDEVICE_*", "MALLOC_*",
    // Of sanitizers, for programs that are tested.
    "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"};

std::vector<std::string>& Allowed() {
  static std::vector<std::string> names;
  return names;
}

bool IsPassed(std::string_view name) {
  if (name == security::kTokenVariable) return false;
  return MatchesAny(name, kPassed) || MatchesAny(name, Allowed());
}

bool Has(const std::vector<std::string>& variables, std::string_view name) {
  return std::any_of(variables.begin(), variables.end(),
                     [&](const std::string& variable) { return VariableName(variable) == name; });
}

bool IsProgram(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

// Absolute, without any ".". What is ".." stays: behind a link it leads elsewhere than the text
// says.
std::string FromHere(const std::string& path) {
  std::filesystem::path whole;
  for (const auto& part : std::filesystem::absolute(path)) {
    if (part != ".") whole /= part;
  }
  return whole;
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

void AllowVariables(std::vector<std::string> names) { Allowed() = std::move(names); }

std::string CheckVariableName(const std::string& name) {
  if (name == security::kTokenVariable) return name + " is never given to programs";
  const bool plain = std::none_of(name.begin(), name.end(),
                                  [](char c) { return c <= ' ' || c > '~' || c == '='; });
  if (plain && !name.empty() && std::count(name.begin(), name.end(), '*') <= 1) return {};
  return absl::StrCat("'", absl::CHexEscape(name.substr(0, 80)),
                      "' is not the name of a variable, with one '*' at most");
}

std::vector<const char*> Inherited(const char* const* environment) {
  std::vector<const char*> passed;
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    if (IsPassed(VariableName(variable))) passed.push_back(*environment);
  }
  return passed;
}

std::vector<char*> MergeEnvironment(const std::vector<const char*>& inherited,
                                    const std::vector<std::string>& changes) {
  std::vector<char*> merged;
  const auto add = [&merged](const char* variable) {
    merged.push_back(const_cast<char*>(variable));
  };
  for (const std::string& change : changes) {
    if (change.find('=') != std::string::npos) add(change.c_str());
  }
  for (const char* const variable : inherited) {
    if (!Has(changes, VariableName(variable))) add(variable);
  }
  merged.push_back(nullptr);
  return merged;
}

std::vector<std::string> Overlay(const std::vector<std::string>& base,
                                 const std::vector<std::string>& over) {
  std::vector<std::string> all = over;
  for (const std::string& variable : base) {
    if (!Has(over, VariableName(variable))) all.push_back(variable);
  }
  return all;
}

std::string_view VariableName(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::string ValueOf(std::string_view name, const std::vector<std::string>& changes) {
  for (const std::string& change : changes) {
    if (VariableName(change) != name) continue;
    return change.size() == name.size() ? std::string() : change.substr(name.size() + 1);
  }
  const char* const inherited = std::getenv(std::string(name).c_str());
  return inherited == nullptr ? std::string() : inherited;
}

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

Result<std::string> ProgramAsTyped(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    std::string file = FromHere(word);
    const Status status = CheckExecutable(file);
    if (status.ok()) return file;
    return absl::InvalidArgumentError(status.message());
  }
  const std::string path = ValueOf("PATH", {});
  const std::vector<std::string> folders = absl::StrSplit(path, ':');
  for (const std::string& folder : folders) {
    std::string file = absl::StrCat(FromHere(folder.empty() ? "." : folder), "/", word);
    if (!path.empty() && IsProgram(file)) return file;
  }
  return absl::InvalidArgumentError(absl::StrCat("'", absl::CHexEscape(word), "' is not in PATH (",
                                                 path.empty() ? "which is empty" : path, ")"));
}

std::string JoinPath(const SearchPath& where) { return absl::StrJoin(FoldersOf(where), ":"); }

Status CheckExecutable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, path);
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(path + ": is a directory");
  if (access(path.c_str(), X_OK) == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(path + ": is not executable");
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
