#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/times/report.h"
#include "lib/common/result.h"

/// The files of the scale test tool that Twofold succeeds: submitted.json, sampled.json, times.csv.
/// Its cluster instants are whole seconds, so each lies in the second after what is written. Pure.
namespace twofold::lifecycle {

/// The instants of a row, in the order of the tool's times.csv.
enum class RunaiMoment : std::uint8_t {
  kWorkload,
  kJob,
  kFirstPod,
  kLastPod,
  kPodGroup,
  kDecision,
  kFirstEviction,
  kPvcRequest,
  kPvcBind,
  kBackend,
  kSubmitted,
};
inline constexpr std::size_t kRunaiMoments = static_cast<std::size_t>(RunaiMoment::kSubmitted) + 1;

/// Microseconds of Unix time. What the cluster wrote is known to the second only.
struct RunaiInstant {
  std::int64_t unix_us = 0;
  bool whole_second = true;
};

struct RunaiWorkload {
  std::string name;
  std::string space = {};
  std::string project = {};
  std::array<std::optional<RunaiInstant>, kRunaiMoments> instants = {};
};
inline const std::optional<RunaiInstant>& Of(const RunaiWorkload& row, RunaiMoment moment) {
  return row.instants[static_cast<std::size_t>(moment)];
}
inline std::optional<RunaiInstant>& Of(RunaiWorkload& row, RunaiMoment moment) {
  return row.instants[static_cast<std::size_t>(moment)];
}

/// One delta of the tool.
struct RunaiSpan {
  const char* heading;  ///< in times.csv
  const char* name;     ///< elsewhere
  RunaiMoment from;
  RunaiMoment to;
};
inline constexpr std::size_t kRunaiSpanCount = 12;
const std::array<RunaiSpan, kRunaiSpanCount>& RunaiSpans();

/// Of one workload; nullopt: it has not both ends. A whole second may be any time until the next.
std::optional<Between> Measure(const RunaiSpan& span, const RunaiWorkload& row);

/// "pod group created", "workload submitted": as the tool calls it.
std::string Words(RunaiMoment moment);

/// What both files say together.
struct RunaiData {
  std::vector<RunaiWorkload> rows;       ///< in the order of sampled.json
  std::vector<std::string> not_sampled;  ///< names submitted and not sampled: lost or not complete
  std::vector<std::string>
      resubmitted;  ///< names submitted twice, the later time replaces the first
  std::vector<std::string> not_submitted;  ///< sampled without a submit time
  /// Instants that are not in the rows, as they may mean "none", by their key in sampled.json. Only
  /// of keys that have another instant in some row, so that not all can have meant it.
  std::map<std::string, std::size_t> doubtful;
};

/// Reads the texts of the two files. An eviction at the very time of the decision, a volume's
/// instant there, and a backend's at the workload's creation are how the tool writes "none". Every
/// workload has a backend's job, so if one row has it at another time they were asked for, and
/// equal times are kept. Not every workload evicts or has a volume (and of several, the tool keeps
/// the last): such an equal time is left out and counted in `doubtful`.
///
/// Errors  kInvalidArgument "FILE: entry N: FIELD: what". At most 200 000 entries a file.
Result<RunaiData> ReadRunai(std::string_view submitted, std::string_view sampled);

/// Takes out workloads with a span that ended before it began, for certain, and says how many.
std::size_t SkipErrors(RunaiData& data);

/// Each delta of the tool, with what whole seconds leave open.
Report ReportOf(const RunaiData& data);

/// The tool's times.csv with the heading that its 26 columns should have: its own has 23 names.
/// Seconds are what is in the middle of what is possible.
std::string RunaiTimesCsv(const std::vector<RunaiWorkload>& rows);

/// The two files as the tool writes them, for its plotter and other readers.
std::string SubmittedJson(const std::vector<RunaiWorkload>& rows);
std::string SampledJson(const std::vector<RunaiWorkload>& rows);

/// A workload that was observed, in the tool's words. Fractions of seconds are kept.
RunaiWorkload RunaiOf(const Life& life, const Anchor& anchor);

}  // namespace twofold::lifecycle
