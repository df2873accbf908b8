#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/results/interned.h"
#include "lib/results/records.h"
#include "lib/results/statements.h"

namespace twofold::results {

/// Writes runs, and which of their jobs a job is, into the tables of docs/store.md. Within a
/// transaction of the caller's; what is there already stays as it is.
///
/// Errors   throws what the engine throws.
class RunWriter {
 public:
  explicit RunWriter(Statements& sql) : sql_(sql) {}

  void Create(const RunCreated& created);
  void Cancel(const RunCancelled& cancelled);

  /// Makes the run if it is not there. REQUIRES: the job is new.
  void Place(const JobAccepted& job);

  /// Gives a job that is in no run its place there. No-op for others.
  void PlaceOutside(JobId job);

  /// The next jobs to delete of a run; one that has none is deleted at once.
  std::vector<JobId> Deletable(const RunDeleted& deleted);

  /// Deletes runs that no job has come to since before this time. Returns how many, `at_most`.
  std::size_t DeleteDrafts(std::int64_t begun_before_unix_ns, std::size_t at_most);

  /// Deletes the places of these jobs, and runs that have no job any more.
  void Delete(std::span<const JobId> jobs);

  /// The transaction was rolled back.
  void Forget() { runs_.Forget(); }

 private:
  std::vector<std::int64_t> RunsOf(std::span<const JobId> jobs);
  void DeleteEmpty(std::int64_t run);
  std::int64_t NumberOf(const std::string& id, std::int64_t unix_ns);

  Statements& sql_;
  Numbers runs_;
};

}  // namespace twofold::results
