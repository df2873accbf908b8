#pragma once

#include <nlohmann/json.hpp>

#include "twofold/v1/runs.pb.h"

/// Runs as JSON: the frontend's /api/v1/runs and the command line's --json say the same.
///
/// Ids of jobs are text, as JavaScript and jq round numbers above 2^53. Statistics that are not
/// known are null.
namespace twofold::runs {

using Json = nlohmann::ordered_json;

/// {"id", "name", "kind", "state", "labels", "jobs", "created_unix_seconds", "ended_unix_seconds",
///  "counts": {"waiting", "running", "ended": {"succeeded": 3}, "submitted_again"}}
/// and "definition" if there is one.
Json ToJson(const v1::Run& run);

/// {"permutation", "varied": {...}, "succeeded", "failed", "unfinished", "warm_ups",
///  "headlines": [{"name", "unit", "better", "dimensions", "n", "mean", "median", "least", "most",
///  "sd", "cv", "lower", "upper"}]} and "jobs" if there are some.
Json ToJson(const v1::PermutationResult& result);

/// {"job", "name", "number", "repetition", "warm_up", "outcome", "run_seconds",
///  "submitted_again_as", "measurements": [...]}
Json ToJson(const v1::JobResult& job);

/// What `text` says; null if it is no JSON, or has more than rpc::kMaxVariedDepth lists and maps
/// inside each other: 64 KiB of brackets would be gigabytes when they are indented.
Json Parsed(const std::string& text);

/// "waiting", "running", "ended", "cancelled"; "begun" if it has no jobs yet.
const char* StateOf(const v1::Run& run);

/// {"direction": "reverse"}
Json ToJson(const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions);

/// "none", "higher", "lower".
const char* Word(v1::Better better);

/// "succeeded", ...; of one that has not ended "waiting" or "running".
std::string Word(const v1::JobResult& job);

}  // namespace twofold::runs
