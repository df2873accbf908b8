#include "lib/common/ready_file.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace twofold {

Status WriteReadyFile(const std::string& path,
                      const std::map<std::string, std::string>& addresses) {
  std::string json = absl::StrCat("{\"pid\": ", getpid());
  for (const auto& [name, address] : addresses) {
    absl::StrAppend(&json, ", \"", name, "\": \"", address, "\"");
  }
  const std::string beside = path + ".new";
  std::ofstream file(beside, std::ios::trunc);
  file << json << "}\n";
  file.close();
  if (file && std::rename(beside.c_str(), path.c_str()) == 0) return absl::OkStatus();
  const std::string why = std::strerror(errno);
  std::remove(beside.c_str());
  return absl::InvalidArgumentError(absl::StrCat("cannot write the ready file ", path, ": ", why));
}

}  // namespace twofold
