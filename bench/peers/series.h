#pragma once

#include "bench/peers/options.h"
#include "bench/peers/server.h"

namespace twofold::bench {

/// Measures every peer in turn, pass by pass, so that a machine that drifts does so for all. A cell
/// that fails is reported on stderr, and the series goes on.
///
/// Errors   kNotFound: no such peer. kFailedPrecondition: some cells failed. kUnavailable: the
///          output cannot be written. kCancelled: Ctrl-C; what was measured is in runs.csv.
Status RunSeries(const Options& options, const Programs& programs);

/// The same with CheckPlan, and nothing is written.
Status RunCheck(const Options& options, const Programs& programs);

/// Writes table.md and chart.csv into options.output from the runs in `runs`.
Status WriteReport(const std::string& runs, const std::string& output);

/// Prints the table of peers.
void PrintPeers(const Programs& programs);

}  // namespace twofold::bench
