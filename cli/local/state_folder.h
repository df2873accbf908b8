#pragma once

#include <map>
#include <string>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::local {

/// Where a local cluster keeps its files, and the lock that says whether it runs.
///
///   DIR/lock             held by the supervisor as long as it lives, so a dead one is recognised
///   DIR/supervisor.json  where the supervisor serves
///   DIR/secret           what it wants to be shown, as a bearer token; of mode 0600
///   DIR/logs/NAME.log    output of each process
///   DIR/run/NAME.json    ready files
///   DIR/postgres         the database's folder, or a link to it where that is elsewhere
///
/// Who can write there says where programs connect to. So the folder and what is read of it must
/// belong to us or root, and nobody else may write to it; Lock makes it so.
class StateFolder {
 public:
  /// Whether Remove leaves the logs; then the lock file stays, too, by which the folder is known as
  /// ours the next time.
  enum class Logs { kGo, kStay };

  explicit StateFolder(std::string dir, Logs logs = Logs::kGo)
      : dir_(std::move(dir)), logs_(logs) {}

  /// `given` if not empty, else $TWOFOLD_DIR, else ./.twofold; absolute.
  static std::string Locate(const std::string& given);

  [[nodiscard]] const std::string& dir() const { return dir_; }
  [[nodiscard]] std::string SupervisorFile() const { return dir_ + "/supervisor.json"; }
  [[nodiscard]] std::string SecretFile() const { return dir_ + "/secret"; }
  [[nodiscard]] std::string SupervisorLog() const { return LogFile("supervisor"); }
  [[nodiscard]] std::string LogsDir() const { return dir_ + "/logs"; }
  [[nodiscard]] std::string LogFile(const std::string& process) const;
  [[nodiscard]] std::string ReadyFile(const std::string& process) const;
  [[nodiscard]] std::string DatabaseDir() const { return dir_ + "/postgres"; }

  /// What the database's folder begins with where it is elsewhere.
  static constexpr const char* kDatabaseElsewhere = "/var/tmp/twofold-postgres-";

  /// Creates the folder, takes the lock and removes what a dead supervisor has left. The lock is
  /// held until all copies of the returned file descriptor are closed.
  /// Errors   kFailedPrecondition: a cluster runs here. kInvalidArgument: not a usable folder, or
  ///          one with something else in it (we would remove what is there). kPermissionDenied:
  ///          others can write to it.
  [[nodiscard]] Result<int> Lock() const;

  /// Makes a new secret and returns it.
  ///
  /// Errors   kInvalidArgument: it cannot be written.
  [[nodiscard]] Result<std::string> WriteSecret() const;

  /// How to talk to the supervisor.
  struct Door {
    std::string http;  ///< host:port
    std::string secret;
  };
  /// Errors   kNotFound: there is none (yet). kPermissionDenied: others could have written it.
  [[nodiscard]] Result<Door> FindDoor() const;

  /// Whether a supervisor lives that holds the lock.
  [[nodiscard]] bool Locked() const;

  /// Waits for the end of the supervisor's process, also if it removes the folder: call WatchLock
  /// before asking it to end, then WaitUnlocked with its result (which it closes). False: it still
  /// lives after `timeout`.
  [[nodiscard]] int WatchLock() const;
  static bool WaitUnlocked(int watch, Duration timeout);

  /// Removes our files, but those that Logs::kStay leaves, then the folder if it is empty.
  void Remove() const;

 private:
  void RemoveDatabase() const;

  std::string dir_;
  Logs logs_;
};

/// The addresses in a ready file (see lib/common/program.h), by name.
/// Errors   kNotFound: no such file (yet).
Result<std::map<std::string, std::string>> ReadReadyFile(const std::string& path);

}  // namespace twofold::local
