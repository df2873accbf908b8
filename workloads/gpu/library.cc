#include "workloads/gpu/library.h"

#include <absl/strings/str_cat.h>
#include <dlfcn.h>

namespace twofold::gpu {

Result<Library> Library::Load(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return Library(name, handle);
  const std::string why = dlerror();
  const bool absent = why.find("No such file") != std::string::npos;
  return absl::NotFoundError(absl::StrCat(name, ": ", absent ? "not found" : why));
}

void* Library::Address(const char* symbol) const { return dlsym(handle_, symbol); }

Status Library::Missing(const char* symbol) const {
  return absl::NotFoundError(absl::StrCat(name_, " has no ", symbol));
}

}  // namespace twofold::gpu
