#pragma once

#include <cstdint>
#include <string>

#include "twofold/v1/runs.pb.h"

/// What follows from the numbers of a run. Pure.
namespace twofold {

/// Labels of runs that `twofold run --local` makes: the name of the machine, and conditions that
/// its file asks for and one machine cannot apply ("hostNetwork=true").
inline constexpr const char* kLocalLabel = "local";
inline constexpr const char* kNotAppliedLabel = "not_applied";

/// Label of runs whose repetitions ended when their mean was known well enough ("3 %"): intervals
/// of their means are those of looks (stats::IntervalOfLooks).
inline constexpr const char* kUntilLabel = "until";

/// The value of a label; empty: the run does not have it.
std::string LabelOf(const v1::Run& run, const std::string& name);

/// How a run is:
///   "planned"    none of its jobs was submitted so far
///   "waiting"    jobs wait, none runs
///   "running"    some run
///   "paused"     nothing waits or runs, and some planned jobs have no answer: they were withdrawn,
///                or never submitted. `twofold run --resume` goes on
///   "cancelled"  the same, as the run was cancelled
///   "ended"      all jobs have an answer
const char* StateOf(const v1::Run& run);

/// Whether jobs of the run that were planned neither have an answer nor wait or run.
bool IsIncomplete(const v1::Run& run);

/// Jobs that have ended in any way, and were not submitted again.
std::uint64_t EndedOf(const v1::RunCounts& counts);

/// Of these: succeeded.
std::uint64_t SucceededOf(const v1::RunCounts& counts);

/// Of these: cancelled, rejected or abandoned.
std::uint64_t WithdrawnOf(const v1::RunCounts& counts);

/// Whether the numbers of a job count: it has succeeded, is no warm-up and was not submitted again.
bool Counts(const v1::JobResult& job);

}  // namespace twofold
