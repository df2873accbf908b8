#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "lib/common/result.h"
#include "lib/results/run_reader.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {

/// The results of a run in messages of about a megabyte, two at most, one after the other. The jobs
/// of a permutation may be spread over several, of which only the first has its statistics.
///
/// Threads  One at a time. Each message sees what was committed when it was asked for.
class ResultMessages {
 public:
  /// From permutation `from` on. `reader` outlives this.
  ///
  /// Errors   kNotFound: the run; those of the reader.
  static Result<ResultMessages> Of(const RunReader& reader, const v1::RunResultsRequest& request,
                                   std::uint64_t from = 0);

  /// nullopt: that was all.
  Result<std::optional<v1::RunResultsReply>> Next();

 private:
  ResultMessages(const RunReader& reader, std::int64_t run, const v1::RunResultsRequest& asked,
                 std::uint64_t from, Overlaps overlaps)
      : reader_(&reader), run_(run), asked_(asked), overlaps_(std::move(overlaps)), from_(from) {}

  Status ReadPage();
  [[nodiscard]] std::uint64_t OverlapsOf(const v1::JobResult& job) const;
  Status AddJobs(v1::RunResultsReply& reply, std::size_t* bytes);

  const RunReader* reader_;
  std::int64_t run_;
  v1::RunResultsRequest asked_;
  Overlaps overlaps_;
  std::uint64_t from_;                        // the first permutation that was not read yet
  std::deque<v1::PermutationResult> page_{};  // read, and to be sent; the first is under way
  std::optional<JobId> last_job_{};           // of the first, that was sent
};

/// A raw output, in pieces.
///
/// Errors   kNotFound; those of the reader.
Result<std::vector<v1::ArtifactPiece>> GetArtifact(const RunReader& reader,
                                                   const v1::GetArtifactRequest& request);

}  // namespace twofold::results
