#include "lib/results/store_address.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include <string_view>

#include "lib/common/file.h"

namespace twofold::results {
namespace {

constexpr std::size_t kMostBytes = 16 << 10;

constexpr std::string_view kSqliteScheme = "sqlite:";
constexpr std::string_view kFileScheme = "file:";

Status RefuseAddress(const std::string& option, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(option, ": ", why));
}

/// What follows the scheme; empty: it has another one.
std::string After(std::string_view scheme, const std::string& text) {
  return text.starts_with(scheme) ? text.substr(scheme.size()) : "";
}

Result<StoreAddress> ParsePlain(const std::string& text, const std::string& option) {
  if (const std::string path = After(kSqliteScheme, text); !path.empty()) return StoreFile{path};
  if (!postgres::Target::IsUrl(text)) {
    return RefuseAddress(option,
                         "the address is neither like sqlite:PATH nor like "
                         "postgresql://USER@HOST:5432/DATABASE");
  }
  auto target = postgres::Target::Parse(text);
  if (!target.ok()) return RefuseAddress(option, std::string(target.status().message()));
  return *std::move(target);
}

Result<std::string> ReadAddress(const std::string& path, const std::string& option) {
  struct stat file {};
  if (stat(path.c_str(), &file) == 0 && (file.st_mode & S_IRWXO) != 0) {
    return RefuseAddress(
        option,
        absl::StrCat(path, " may hold a password, and others may read it: chmod o= ", path));
  }
  const auto text = ReadFile(path, kMostBytes);
  if (!text.ok()) return RefuseAddress(option, std::string(text.status().message()));
  std::string address(absl::StripAsciiWhitespace(*text));
  if (address.empty()) return RefuseAddress(option, path + " is empty");
  return address;
}

Result<StoreAddress> ParseFile(const std::string& path, const std::string& option) {
  const auto text = ReadAddress(path, option);
  if (!text.ok()) return text.status();
  return ParsePlain(*text, option);
}

}  // namespace

Result<StoreAddress> ParseStoreAddress(const std::string& text, const std::string& option,
                                       Bare bare) {
  if (const std::string path = After(kFileScheme, text); !path.empty()) {
    return ParseFile(path, option);
  }
  const bool has_scheme = text.starts_with(kSqliteScheme) || text.find("://") != std::string::npos;
  if (bare == Bare::kPath && !has_scheme && !text.empty()) return StoreFile{text};
  auto address = ParsePlain(text, option);
  if (!address.ok()) return address.status();
  const auto* const target = std::get_if<postgres::Target>(&*address);
  if (target == nullptr || !target->has_password()) return address;
  return RefuseAddress(option,
                       "others on this machine can read a password on a command line; write the "
                       "address into a file and say file:PATH instead");
}

Result<StoreAddress> ParseStoreAddress(const StoreOptions& options, Bare bare) {
  if (options.file.empty()) return ParseStoreAddress(options.store, "--store", bare);
  if (options.store.empty()) return ParseFile(options.file, "--store-file");
  return absl::InvalidArgumentError("--store and --store-file name the same thing: give one");
}

Result<std::string> ParseStoreFile(const std::string& text, const std::string& option) {
  const auto address = ParseStoreAddress(text, option, Bare::kPath);
  if (!address.ok()) return address.status();
  if (const auto* const file = std::get_if<StoreFile>(&*address)) return file->path;
  return RefuseAddress(option, absl::StrCat(NameOf(*address),
                                            " is a database, and only a frontend puts runs into "
                                            "one: name a file"));
}

const std::string& NameOf(const StoreAddress& address) {
  if (const auto* const file = std::get_if<StoreFile>(&address)) return file->path;
  return std::get<postgres::Target>(address).name();
}

}  // namespace twofold::results
