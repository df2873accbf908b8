#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "twofold/v1/queue.pb.h"

namespace twofold::cli {

nlohmann::ordered_json ToJson(const v1::Job& job);

/// The heading of the table of jobs, and the row of a job.
std::vector<std::string> JobHeading();
std::vector<std::string> JobRow(const v1::Job& job);

/// What the job has printed, and why it failed; empty if there is nothing to say.
std::string JobDetails(const v1::Job& job);

}  // namespace twofold::cli
