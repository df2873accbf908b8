#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "twofold/v1/queue.pb.h"

namespace twofold::testing {

/// What a frontend has promised, written down outside of it; a broken promise fails the test at
/// once or in Check.
///
/// Each job has a run of its own, so that it can be told from all others whatever id it got.
class CrashRecorder {
 public:
  /// How a job ended, as far as the one who asked was told.
  struct End {
    v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
    std::optional<std::uint32_t> attempts;
  };

  void Submitted(const std::string& run, const v1::JobOptions& options);
  void Accepted(const std::string& run, std::uint64_t job);
  void AskedToCancel(std::uint64_t job) { cancels_.insert(job); }

  /// Somebody was told that the job has ended so.
  void Told(std::uint64_t job, const End& end);

  /// The workload was started: rank of a gang's member, else 0.
  void Ran(std::uint64_t job, std::uint32_t attempt, std::uint32_t rank);

  /// The accepted jobs in the order in which that was told.
  const std::vector<std::uint64_t>& jobs() const { return jobs_; }

  /// Whether all accepted jobs are among these.
  bool AllIn(const std::vector<v1::Job>& finished) const;

  /// Whether a job was cancelled of which nobody was told that it is kept: the store failed before.
  bool WasRefused(const v1::Job& job) const;

  /// Holds all of it against what there is when all has ended.
  void Check(const std::vector<v1::Job>& finished) const;

  std::string Summary() const;

 private:
  void CheckEnd(const v1::Job& job) const;

  std::map<std::string, v1::JobOptions> submitted_;  ///< by run
  std::map<std::string, std::uint64_t> accepted_;    ///< by run
  std::vector<std::uint64_t> jobs_;
  std::set<std::uint64_t> ids_;
  std::set<std::uint64_t> cancels_;
  std::map<std::uint64_t, End> told_;
  std::set<std::vector<std::uint64_t>> ran_;  ///< job, attempt, rank
};

}  // namespace twofold::testing
