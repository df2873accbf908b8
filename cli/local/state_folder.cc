#include "cli/local/state_folder.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "lib/common/descriptors.h"

namespace twofold::local {

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kSecretBytes = 16;
constexpr std::size_t kMostRead = 64 * 1024;

/// Whether nobody but us and root can have put it there or changed it.
bool IsTrusted(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Status NotTrusted(const std::string& dir) {
  return absl::PermissionDeniedError(
      absl::StrCat(dir,
                   " is not trusted: it and its files must be of you or root, and nobody else "
                   "may write to them (give another --dir, or for a frontend --frontend)"));
}

Status CannotMake(const std::string& folder, std::error_code error) {
  return absl::InvalidArgumentError(
      absl::StrCat("the folder ", folder, " cannot be made: ", error.message()));
}

/// Reads a file of a folder that is open, so that the folder cannot be changed for another.
Result<std::string> ReadTrusted(int folder, const char* name, const std::string& dir) {
  const Descriptor file(openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) return absl::NotFoundError(absl::StrCat("no ", dir, "/", name));
  if (!IsTrusted(file.get())) return NotTrusted(dir);
  std::string text(kMostRead, '\0');
  const ssize_t size = read(file.get(), text.data(), text.size());
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

/// The addresses in a ready file; none in what is no JSON object.
std::map<std::string, std::string> Addresses(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::map<std::string, std::string> addresses;
  if (!json.is_object()) return addresses;
  for (const auto& [name, value] : json.items()) {
    if (value.is_string()) addresses[name] = value;
  }
  return addresses;
}

}  // namespace

std::string StateFolder::Locate(const std::string& given) {
  const char* environment = std::getenv("TWOFOLD_DIR");
  if (!given.empty()) return fs::absolute(given);
  if (environment != nullptr && *environment != '\0') return fs::absolute(environment);
  return fs::absolute(".twofold");
}

std::string StateFolder::LogFile(const std::string& process) const {
  return absl::StrCat(LogsDir(), "/", process, ".log");
}

std::string StateFolder::ReadyFile(const std::string& process) const {
  return absl::StrCat(dir_, "/run/", process, ".json");
}

Result<int> StateFolder::Lock() const {
  std::error_code error;
  fs::create_directories(fs::path(dir_).parent_path(), error);
  if (error) return CannotMake(fs::path(dir_).parent_path(), error);
  if (mkdir(dir_.c_str(), 0700) != 0 && errno != EEXIST) {
    return CannotMake(dir_, {errno, std::generic_category()});
  }
  if (const Descriptor folder(open(dir_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      folder.get() >= 0 && !IsTrusted(folder.get())) {
    return NotTrusted(dir_);
  }
  if (!fs::is_empty(dir_, error) && !error && !fs::exists(dir_ + "/lock", error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(dir_, " is not empty and no state folder; give another --dir"));
  }
  const int file = open((dir_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot use ", dir_, " as state folder: ", std::strerror(errno)));
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    close(file);
    return absl::FailedPreconditionError(
        absl::StrCat("a local cluster runs already in ", dir_,
                     " (see `twofold local status`, end it with `twofold local down`)"));
  }
  fs::remove(SupervisorFile(), error);
  fs::remove(SecretFile(), error);
  for (const char* name : {"/logs", "/run"}) {
    fs::remove_all(dir_ + name, error);
    if (fs::create_directory(dir_ + name, error); error) {
      close(file);
      return CannotMake(dir_ + name, error);
    }
  }
  RemoveDatabase();
  return file;
}

Result<std::string> StateFolder::WriteSecret() const {
  std::array<unsigned char, kSecretBytes> random{};
  if (getrandom(random.data(), random.size(), 0) != kSecretBytes) {
    return absl::InternalError("no random numbers");
  }
  std::string secret;
  for (const unsigned char byte : random)
    absl::StrAppend(&secret, absl::Hex(byte, absl::kZeroPad2));
  const Descriptor file(
      open(SecretFile().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0 || !WriteAll(file.get(), secret + "\n")) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot write ", SecretFile(), ": ", std::strerror(errno)));
  }
  return secret;
}

Result<StateFolder::Door> StateFolder::FindDoor() const {
  const Descriptor folder(open(dir_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return absl::NotFoundError(absl::StrCat("no folder ", dir_));
  if (!IsTrusted(folder.get())) return NotTrusted(dir_);
  const Result<std::string> ready = ReadTrusted(folder.get(), "supervisor.json", dir_);
  if (!ready.ok()) return ready.status();
  const Result<std::string> secret = ReadTrusted(folder.get(), "secret", dir_);
  if (!secret.ok()) return secret.status();
  auto addresses = Addresses(*ready);
  return Door{addresses["http"], std::string(absl::StripAsciiWhitespace(*secret))};
}

bool StateFolder::Locked() const { return !WaitUnlocked(WatchLock(), Duration::zero()); }

int StateFolder::WatchLock() const { return open((dir_ + "/lock").c_str(), O_RDWR | O_CLOEXEC); }

bool StateFolder::WaitUnlocked(int watch, Duration timeout) {
  if (watch < 0) return true;
  const Instant deadline = Now() + timeout;
  bool unlocked = flock(watch, LOCK_EX | LOCK_NB) == 0;
  while (!unlocked && Now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    unlocked = flock(watch, LOCK_EX | LOCK_NB) == 0;
  }
  close(watch);
  return unlocked;
}

void StateFolder::Remove() const {
  std::error_code error;
  for (const char* name : {"/supervisor.json", "/secret", "/run"})
    fs::remove_all(dir_ + name, error);
  RemoveDatabase();
  if (logs_ == Logs::kStay) return;
  for (const char* name : {"/logs", "/lock"}) fs::remove_all(dir_ + name, error);
  fs::remove(dir_, error);  // fails, as it should, if there is something else in it
}

// A link is followed to what MakeDatabase has made, and to nothing else.
void StateFolder::RemoveDatabase() const {
  std::error_code error;
  const std::string elsewhere = fs::read_symlink(DatabaseDir(), error);
  if (!error && elsewhere.starts_with(kDatabaseElsewhere) &&
      elsewhere.find("..") == std::string::npos) {
    fs::remove_all(elsewhere, error);
  }
  fs::remove_all(DatabaseDir(), error);
}

Result<std::map<std::string, std::string>> ReadReadyFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("no ", path));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!nlohmann::json::accept(text)) return absl::InternalError(absl::StrCat(path, " is no JSON"));
  return Addresses(text);
}

}  // namespace twofold::local
