#pragma once

#include <cstdint>

#include "lib/queue/types.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {

/// How a run is:
///   "planned"    none of its jobs was submitted so far
///   "waiting"    jobs wait, none runs
///   "running"    some run
///   "paused"     nothing waits or runs, and some planned jobs have no answer: they were withdrawn,
///                or never submitted. `twofold run --resume` goes on
///   "cancelled"  the same, as the run was cancelled
///   "ended"      all jobs have an answer
const char* StateOf(const v1::Run& run);

/// Jobs that were cancelled, rejected or abandoned, and not submitted again.
std::uint64_t WithdrawnOf(const v1::RunCounts& counts);

/// Whether jobs of the run that were planned neither have an answer nor wait or run.
bool IsIncomplete(const v1::Run& run);

/// The core counts from 0, the contract from 1.
inline v1::Outcome ToProto(queue::Outcome outcome) {
  return static_cast<v1::Outcome>(static_cast<int>(outcome) + 1);
}

}  // namespace twofold::results
