#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/common/result.h"

namespace twofold::run {

/// What it takes to go on with a run: the file as it was, and what was decided when it began.
struct Record {
  std::string id;
  std::string file;  ///< its name, for messages
  std::string text;  ///< what it said
  std::string queue{};
  std::vector<std::string> nodes{};  ///< that spec.nodes chose from
  std::vector<std::string>
      queue_nodes{};    ///< of the queue's workers, where the file has spec.nodes
  bool spread = false;  ///< members of a gang on different nodes

  friend bool operator==(const Record&, const Record&) = default;
};

/// As long as it lives nobody else looks after the run.
class RunLock {
 public:
  explicit RunLock(int file) : file_(file) {}
  RunLock(RunLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  RunLock& operator=(RunLock&&) = delete;
  ~RunLock();

 private:
  int file_;  // closing it gives the lock back
};

/// Keeps records of runs in a folder of this machine, DIR/ID.json. The jobs themselves are with the
/// frontend.
///
/// Threads  Safe, also between processes.
class Records {
 public:
  explicit Records(std::string dir) : dir_(std::move(dir)) {}

  /// `given` if it is not empty, else $TWOFOLD_RUNS, else the folder for such things of the user:
  /// $XDG_STATE_HOME/twofold/runs or ~/.local/state/twofold/runs.
  static std::string Locate(const std::string& given);

  /// Errors   kAlreadyExists: there is a run with this id. kInvalidArgument: the folder cannot be
  ///          written to.
  Status Create(const Record& record) const;

  /// Errors   kNotFound: no such run here. kDataLoss: the file is no record.
  Result<Record> Find(const std::string& id) const;

  /// Forgets a run that never began.
  void Remove(const std::string& id) const;

  /// Only one process at a time submits jobs of a run: the one that has this.
  /// Errors   kFailedPrecondition: another one has it. kNotFound: no such run here.
  Result<RunLock> Lock(const std::string& id) const;

 private:
  [[nodiscard]] std::string PathOf(const std::string& id) const {
    return dir_ + "/" + id + ".json";
  }

  const std::string dir_;
};

}  // namespace twofold::run
