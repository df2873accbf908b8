#pragma once

#include <string>
#include <string_view>

#include "lib/load/recorder.h"
#include "lib/load/snapshot.h"
#include "twofold/v1/load.pb.h"

/// Records of loads: what was run and what came of it. Pure.
namespace twofold::load {

/// All that `recorder` knows, which must be finished. `origin` and `limits` are left for the caller
/// to fill in; `verdict` is "invalid" if something spoiled the numbers, or if they break a law
/// (laws.h), else "pass".
v1::LoadRecord Record(Recorder recorder, const std::string& queue, std::string_view ended_because);

v1::LoadTime TimeOf(const stats::CensoredTimes& times, bool with_histogram);

/// JSON by protobuf's mapping with the original names of fields, indented.
std::string RecordJson(const v1::LoadRecord& record);

}  // namespace twofold::load
