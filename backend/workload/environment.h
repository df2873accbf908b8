#pragma once

#include <string>
#include <vector>

#include "backend/workload/workload.h"

namespace twofold::backend {

/// Whether the program of this job is started before the gang goes, and says when it is ready.
/// Rank 0 is started last: it may rely on the others.
inline bool PreparesByProgram(const Job& job) { return job.gang != nullptr && job.gang->rank > 0; }

/// What the program of a job is told by its environment, as NAME=VALUE: TWOFOLD_JOB and
/// TWOFOLD_ATTEMPT (of the gang, if there is one), TWOFOLD_PROGRESS_FD, and for gangs
/// TWOFOLD_GANG_RANK, _SIZE, _PEERS, _NODES, _SECRET and TWOFOLD_READY_FD. Names alone: what does
/// not apply and must not be inherited, as a backend may itself be the program of a job.
std::vector<std::string> JobEnvironment(const Job& job);

}  // namespace twofold::backend
