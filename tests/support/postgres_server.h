#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "lib/postgres/target.h"
#include "tests/support/googletest.h"

namespace twofold::testing {

/// A real PostgreSQL server with data of its own, for one test program. It listens on a Unix socket
/// in its folder only, runs as another user when the test is root, and goes with the object.
///
/// It does not sync: what a killed process has written outlives it even so, and a loss of power is
/// not what is tested with it.
class PostgresServer {
 public:
  /// Whether PostgreSQL is installed. Tests are skipped where it is not.
  static bool IsInstalled();

  /// The server that tests of this program share: made when it is asked for first. REQUIRES:
  /// IsInstalled().
  static PostgresServer& Shared();

  struct StandbyOf {
    const PostgresServer& primary;
  };

  /// Makes the data and starts. Fails the test if it cannot.
  PostgresServer();
  /// A standby of another one, in which it is called "standby". It takes what that one commits
  /// until Promote.
  explicit PostgresServer(StandbyOf of);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Makes an empty database. Returns its address.
  std::string NewDatabase();
  /// The same as NewDatabase gives, parsed.
  static postgres::Target TargetOf(const std::string& address);

  /// Runs SQL on a connection of its own, as the superuser. Fails the test if it fails.
  void Script(const std::string& address, const std::string& sql) const;
  /// The same in a database that is always there.
  void Script(const std::string& sql) const { Script(Address("postgres"), sql); }

  /// Where its socket is: the host in addresses. It belongs to the user that the server runs as.
  [[nodiscard]] const std::string& folder() const { return folder_; }

  void Start();  ///< returns when it takes connections
  void Stop();   ///< ends its connections
  void Kill();   ///< SIGKILL, as if it had crashed
  /// Stops it in its tracks (SIGSTOP, with all that work for it), and lets it go on.
  void Freeze();
  void Thaw();

  void Promote();  ///< of a standby: returns when it takes commits

  /// Keeps a copy of its data, and goes back to it. REQUIRES: it does not run.
  void SaveData();
  void RestoreData();

 private:
  [[nodiscard]] std::string Address(const std::string& database) const;
  pid_t Spawn(const std::string& program, const std::vector<std::string>& arguments) const;
  void Run(const std::string& program, const std::vector<std::string>& arguments) const;
  void SignalAll(int number) const;

  std::string folder_;
  std::optional<pid_t> server_;
  int databases_ = 0;
};

}  // namespace twofold::testing
