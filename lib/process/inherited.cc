#include "lib/process/inherited.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "lib/common/wildcard.h"
#include "lib/security/client.h"

namespace twofold::backend {
namespace {

constexpr std::string_view kPassed[] = {
    // Of the system: where things are, who one is, how to write.
    "PATH", "LD_LIBRARY_PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "HOSTNAME",
    "TERM", "TZ", "LANG", "LANGUAGE", "LC_*",
    // Of what is measured: MPI and the networks below it, threads, devices.
    "OMPI_*", "OPAL_*", "PMIX_*", "PRTE_*", "I_MPI_*", "UCX_*", "UCC_*", "FI_*", "IBV_*", "MLX4_*",
    "MLX5_*", "RDMAV_*", "HWLOC_*", "NCCL_*", "OMP_*", "GOMP_*", "KMP_*", "MKL_*", "CUDA_*",
    "NVIDIA_*", "HIP_*", "HSA_*", "ROCR_*", "ZE_*", "ONEAPI_*", "ONEVPL_*", "MFX_*", "LIBVA_*",
    "SVT_*", "PCIDEVICE_*", "MALLOC_*",
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

}  // namespace

void AllowVariables(std::vector<std::string> names) { Allowed() = std::move(names); }

std::vector<const char*> Inherited(const char* const* environment) {
  std::vector<const char*> passed;
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    if (IsPassed(variable.substr(0, variable.find('=')))) passed.push_back(*environment);
  }
  return passed;
}

std::string CheckVariableName(const std::string& name) {
  if (name == security::kTokenVariable) return name + " is never given to programs";
  const bool plain = std::none_of(name.begin(), name.end(),
                                  [](char c) { return c <= ' ' || c > '~' || c == '='; });
  if (plain && !name.empty() && std::count(name.begin(), name.end(), '*') <= 1) return {};
  return absl::StrCat("'", absl::CHexEscape(name.substr(0, 80)),
                      "' is not the name of a variable, with one '*' at most");
}

}  // namespace twofold::backend
