#pragma once

#include <string>

#include "cli/command/live_line.h"
#include "cli/command/signals.h"
#include "lib/common/result.h"
#include "lib/load/engine/run.h"
#include "lib/load/snapshot.h"
#include "twofold/v1/load.pb.h"

namespace twofold::cli {

/// Runs one load to its end and shows it meanwhile on stderr: on a terminal one line that is
/// written over, else a line every few seconds. A signal ends it early; the record is of the time
/// until then, with ended_because "interrupted"; a signal while answers are awaited ends that wait.
///
/// Errors   kUnavailable: the frontend is not reached within half a minute, or before a signal.
///          Those of load::Run.
Result<v1::LoadRecord> Measure(load::RunOptions options, const AwaitedSignals& signals,
                               LiveLine& line);

/// What is shown: "12 s  158.3 /s +-1.2 %  p50 101 ms  p99 110 ms  16 outstanding, 2 failed". Of a
/// load that goes on `until` its throughput is known within this share (0: it does not), also
/// "within 1 % expected in 9 s".
std::string ProgressText(const load::Snapshot& now, double seconds, double until = 0);

}  // namespace twofold::cli
