#pragma once

#include <string>
#include <vector>

#include "lib/common/result.h"

/// What others have put around each line of a tool's output: kubectl, docker and its compose,
/// container runtimes, journald, mpirun, srun, iperf3's own options. Each kind that was there is
/// said in `notes`. CleanText calls both.
///
/// Threads  Pure.
/// Cost     Linear in the text.
namespace twofold::suite {

/// The lines without the JSON object in which docker keeps each of them (its json-file).
std::string WithoutWrapping(std::string text, std::vector<std::string>& notes);

/// The lines without one prefix of each kind.
/// Errors   kDataLoss, without a stage: lines of several containers or processes.
Result<std::string> WithoutPrefixes(std::string text, std::vector<std::string>& notes);

}  // namespace twofold::suite
