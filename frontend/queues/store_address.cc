#include "frontend/queues/store_address.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include "lib/common/file.h"
#include "lib/postgres/target.h"

namespace twofold::frontend {
namespace {

constexpr std::size_t kMostBytes = 16 << 10;

Status CheckNoPassword(const std::string& store) {
  if (!postgres::Target::IsUrl(store)) return absl::OkStatus();
  const auto target = postgres::Target::Parse(store);
  if (!target.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--store: ", std::string(target.status().message())));
  }
  if (!target->has_password()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--store: others on this machine can read a password on a command line; write the address "
      "into a file for --store-file");
}

Result<std::string> ReadAddress(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat("--store-file: ", why));
  };
  struct stat file {};
  if (stat(path.c_str(), &file) == 0 && (file.st_mode & S_IRWXO) != 0) {
    return refuse(absl::StrCat(path, " may hold a password, and others may read it: chmod o= it"));
  }
  const auto text = ReadFile(path, kMostBytes);
  if (!text.ok()) return refuse(std::string(text.status().message()));
  std::string address(absl::StripAsciiWhitespace(*text));
  if (address.empty()) return refuse(path + " is empty");
  return address;
}

}  // namespace

Result<std::string> StoreAddress(const std::string& store, const std::string& store_file) {
  if (store_file.empty()) {
    if (Status status = CheckNoPassword(store); !status.ok()) return status;
    return store;
  }
  if (!store.empty()) {
    return absl::InvalidArgumentError("--store and --store-file name the same thing: give one");
  }
  return ReadAddress(store_file);
}

}  // namespace twofold::frontend
