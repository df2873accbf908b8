#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/common/result.h"
#include "lib/report/document/document.h"
#include "twofold/v1/load.pb.h"
#include "twofold/v1/runs.pb.h"
#include "twofold/v1/validation.pb.h"

/// Reports of what Twofold measures: from its messages to documents. Pure; nothing in a message is
/// taken for granted: what is missing, not finite or contradicts itself is left out.
///
/// Cost    O(what is in it); figures are bounded (figure.h), tables are cut (document.h).
namespace twofold::report {

/// validate-scaling.sh: does twice the workers do twice the work?
Document DocumentOf(const v1::ValidationRecord& record);

/// twofold load: throughput, latency, and who did what when.
Document DocumentOf(const v1::LoadRecord& record);

/// A run with its results. `permutations` may have their jobs and series or not; with jobs
/// repetitions are drawn as boxes and jobs on a timeline, with series there are curves. `origin`:
/// what is known of one of its jobs, of which versions and hosts are said.
struct RunResults {
  v1::Run run;
  std::vector<v1::PermutationResult> permutations;
  v1::BenchmarkResult origin;
};
Document DocumentOf(const RunResults& results);

/// Takes in one message of the service's answer to RunResults. Jobs of a permutation that come in
/// several messages are put together; of their measurements only headlines and those of
/// the machine are kept.
void Add(const v1::RunResultsReply& reply, RunResults& results);

/// What can be reported on, by the name that it was asked for.
using Record = std::variant<v1::ValidationRecord, v1::LoadRecord, RunResults>;
struct Source {
  std::string name;
  Record record;
};

/// One report on several of one kind: overlaid where they can be, two runs as ratios of the second
/// to the first, and each by itself.
/// REQUIRES  At least one.
/// Errors    kInvalidArgument: they are of different kinds.
Result<Document> DocumentOf(std::span<const Source> sources);

/// A file as JSON that validate-scaling.sh or `twofold load` has written, by what is in it.
/// Errors   kInvalidArgument: neither of the two, and what is accepted; or what is wrong in it.
Result<Record> ReadRecord(std::string_view text);

}  // namespace twofold::report
