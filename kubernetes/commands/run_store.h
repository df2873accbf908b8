#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kubernetes/lifecycle/times/report.h"
#include "lib/common/result.h"
#include "lib/results/sqlite_store.h"
#include "suites/lifecycle/lifecycle.h"

namespace twofold::lifecycle {

/// What is known of a run before it begins, for people and for the next one like it.
struct RunFacts {
  std::string name;                ///< id of the run in the store
  suite::lifecycle::Spec spec;     ///< what it was told
  std::string template_file = {};  ///< beside that; empty: the kind's own
  std::string server = {};         ///< version; empty: it did not say
  std::chrono::system_clock::time_point created = {};
};

/// The run as a benchmark file: `twofold run` would do the same again.
std::string DefinitionOf(const RunFacts& facts);

/// A file that is to have a run, as a frontend's store has runs: of one job, one permutation.
///
/// Threads  Not thread-safe.
class RunStore {
 public:
  /// Opens the file, or makes it, and holds it until the end: that it cannot be written, is in use,
  /// or has such a run already is known before anything is measured.
  /// Errors   Those of SqliteStore::Open; kFailedPrecondition: the name is taken. They name
  /// --store.
  static Result<RunStore> Open(const std::string& store, const std::string& run);

  /// Keeps the run. `ended`: why it is a failure; its numbers are kept all the same.
  Status Keep(const RunFacts& facts, const Report& report, const Status& ended);

 private:
  explicit RunStore(std::unique_ptr<results::SqliteStore> store) : store_(std::move(store)) {}

  std::unique_ptr<results::SqliteStore> store_;
};

}  // namespace twofold::lifecycle
