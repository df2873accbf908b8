#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "lib/results/run_state.h"
#include "lib/words/word.h"
#include "twofold/v1/runs.pb.h"

/// Runs as JSON: the frontend's /api/v1/runs and the command line's --json say the same.
///
/// Ids of jobs are text, as JavaScript and jq round numbers above 2^53. Statistics that are not
/// known are null.
namespace twofold::runs {

using Json = nlohmann::ordered_json;
using results::IsIncomplete;
using results::StateOf;
using results::WithdrawnOf;
using twofold::Word;

/// Labels of runs that `twofold run --local` makes: the name of the machine, and conditions that
/// its file asks for and one machine cannot apply ("hostNetwork=true").
inline constexpr const char* kLocal = "local";
inline constexpr const char* kNotApplied = "not_applied";

/// The value of a label; empty: the run does not have it.
std::string LabelOf(const v1::Run& run, const std::string& name);

/// {"id", "name", "kind", "state", "labels", "jobs", "created_unix_seconds", "ended_unix_seconds",
///  "counts": {"planned", "waiting", "running", "ended": {"succeeded": 3}, "submitted_again"}}
/// and "definition" if there is one.
Json ToJson(const v1::Run& run);

/// {"permutation", "varied": {...}, "succeeded", "failed", "withdrawn", "unfinished",
///  "warm_ups", "headlines": [{"name", "unit", "better", "dimensions", "n", "mean", "median",
///  "least", "most", "sd", "cv", "lower", "upper"}]} and "jobs" if there are some. Headlines that
///  are the best of many have "at": [{"place": {"size": "4194304"}, "n"}], most frequent first;
///  measurements of jobs "at": {"size": "4194304"}.
Json ToJson(const v1::PermutationResult& result);

/// {"job", "name", "number", "repetition", "warm_up", "outcome", "run_seconds",
///  "submitted_again_as", "measurements": [...]}
Json ToJson(const v1::JobResult& job);

/// What `text` says; null if it is no JSON, or has more than rpc::kMaxVariedDepth lists and maps
/// inside each other: 64 KiB of brackets would be gigabytes when they are indented.
Json Parsed(const std::string& text);

/// {"direction": "reverse"}
Json ToJson(const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions);

/// "succeeded", ...; of one that has not ended "waiting" or "running".
std::string Word(const v1::JobResult& job);

}  // namespace twofold::runs
