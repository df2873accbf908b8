#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command/command.h"
#include "lib/show/json.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::cli {

/// The name of a value of an enum as people write it: OUTCOME_TIMED_OUT is "timed_out".
std::string Word(const std::string& name, std::string_view prefix);

/// "waiting", "running", "finished".
std::string State(const v1::Job& job);

/// "succeeded", "failed", ...; empty if it has not ended.
std::string Outcome(const v1::Job& job);

/// "25 % frame 100 of 400"; empty if it tells nothing of its progress.
std::string Progress(const v1::Job& job);

Json ToJson(const v1::Job& job);

/// The heading of the table of jobs, and the row of a job.
std::vector<std::string> JobHeading();
std::vector<std::string> JobRow(const v1::Job& job);

/// What the row has no room for: run, gang, progress, why it failed, what it has printed. Empty if
/// there is nothing to say.
std::string JobDetails(const v1::Job& job);

/// One job on stdout, as JSON or as text with its details.
void Print(const v1::Job& job, const Globals& globals);

}  // namespace twofold::cli
