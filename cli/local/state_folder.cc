#include "cli/local/state_folder.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

namespace twofold::local {

namespace fs = std::filesystem;

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
  fs::create_directories(dir_, error);
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
  for (const char* name : {"/logs", "/run"}) {
    fs::remove_all(dir_ + name, error);
    fs::create_directory(dir_ + name, error);
  }
  return file;
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
  for (const char* name : {"/supervisor.json", "/run"}) fs::remove_all(dir_ + name, error);
  if (logs_ == Logs::kStay) return;
  for (const char* name : {"/logs", "/lock"}) fs::remove_all(dir_ + name, error);
  fs::remove(dir_, error);  // fails, as it should, if there is something else in it
}

Result<std::map<std::string, std::string>> ReadReadyFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("no ", path));
  const auto json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return absl::InternalError(absl::StrCat(path, " is not a JSON object"));
  std::map<std::string, std::string> addresses;
  for (const auto& [name, value] : json.items()) {
    if (value.is_string()) addresses[name] = value;
  }
  return addresses;
}

}  // namespace twofold::local
