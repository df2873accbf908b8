#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "lib/common/result.h"
#include "lib/results/benchmark_writer.h"
#include "lib/results/run_writer.h"
#include "lib/results/statements.h"

namespace twofold::results {

struct JobChange;

/// Writes records into the tables of docs/store.md. Within a transaction of the caller's.
///
/// Whatever the tables hold already of records that are written again stays as it is.
/// Errors   throws what the engine throws.
class JobWriter {
 public:
  /// Sequences are written ahead in steps of `reserve`, so that few groups write one.
  explicit JobWriter(Statements& sql, std::uint64_t reserve = 0) : sql_(sql), reserve_(reserve) {}

  /// Adds to `*ended` how many jobs have ended with them, and to `*deleted` how many ended ones
  /// were deleted. Errors   kAlreadyExists: another job has the id of a JobAccepted.
  Status Write(std::span<const Record> records, std::uint64_t* ended, std::uint64_t* deleted);

  /// See BenchmarkWriter.
  bool FindNewNames(std::span<const Record> records);
  void AddNewNames() { benchmarks_.AddNewNames(); }

  /// See RunWriter.
  std::size_t DeleteDrafts(std::int64_t begun_before_unix_ns, std::size_t at_most) {
    return runs_.DeleteDrafts(begun_before_unix_ns, at_most);
  }

  /// Deletes finished jobs, and runs that have none any more.
  void Delete(std::span<const JobId> jobs);

  /// The transaction was rolled back: what was written in it is not there.
  void Forget();

 private:
  /// kAdded: it is new; kThere: it is there already, just so.
  enum class Acceptance { kAdded, kThere, kClash };

  Status WriteJob(const JobChange& change, std::uint64_t* ended);
  Acceptance Accept(const JobAccepted& job);
  void Start(const AttemptStarted& started, bool is_new);
  void AddMembers(const AttemptStarted& started);
  void GiveUp(const AttemptGivenUp& given_up);
  void Take(JobId job);
  void DeleteMembers(JobId job);
  void Reserve(const std::string& queue, std::uint64_t sequence);
  bool End(const JobEnded& ended, bool is_new);

  Statements& sql_;
  const std::uint64_t reserve_;
  std::map<std::string, std::uint64_t> reserved_;  // sequences as they are written, by queue
  RunWriter runs_{sql_};
  BenchmarkWriter benchmarks_{sql_};
};

}  // namespace twofold::results
