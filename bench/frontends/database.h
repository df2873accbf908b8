#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "bench/peers/child.h"
#include "cli/local/plan.h"
#include "cli/local/state_folder.h"
#include "lib/common/descriptors.h"
#include "lib/postgres/rows.h"

namespace twofold::budgets {

/// A PostgreSQL server of our own, made and set as `twofold local up --postgres` does it: its
/// commits are on disk.
///
/// Errors   Trouble: it is not installed, does not start, or refuses a command.
class Database {
 public:
  /// `folder` is not there yet.
  explicit Database(const std::string& folder);
  ~Database();  ///< ends it, and removes its data
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// An empty database: its address.
  std::string New();

  /// What `sql` gives in the database of that address.
  static postgres::Rows Query(const std::string& address, const std::string& sql);

  /// Stops it in its tracks (SIGSTOP, with all that work for it), and lets it go on.
  void Freeze() const { SignalAll(SIGSTOP); }
  void Thaw() const { SignalAll(SIGCONT); }

  [[nodiscard]] double CpuSeconds() const;

 private:
  void Start();
  void SignalAll(int number) const;

  const local::StateFolder folder_;
  Descriptor lock_;
  local::DeploymentSpec spec_;
  std::optional<bench::Child> server_;
  int databases_ = 0;
};

}  // namespace twofold::budgets
