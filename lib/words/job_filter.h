#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

/// Which jobs a list is of, as people say it: on command lines and in addresses of pages.
namespace twofold {

/// The words of JobState, then those of Outcome: "waiting", "running", "finished", "succeeded", ...
std::vector<std::string> JobFilterWords();

/// Adds the state or the outcome with this word to what is listed.
/// Errors   kInvalidArgument: there is none; names them all.
Status AddToFilter(std::string_view word, v1::ListJobsRequest& request);

}  // namespace twofold
