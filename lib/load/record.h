#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/common/result.h"
#include "lib/load/recorder.h"
#include "lib/load/snapshot.h"
#include "twofold/v1/load.pb.h"

/// Records of loads: what was run and what came of it. Pure.
namespace twofold::load {

/// The longest file that ReadRecord takes.
inline constexpr std::size_t kMostRecordBytes = 256 << 20;

/// All that `recorder` knows, which must be finished. `origin` and `limits` are left for the caller
/// to fill in; `verdict` is "invalid" if something spoiled the numbers, or if they break a law
/// (laws.h), else "pass".
v1::LoadRecord Record(Recorder recorder, const std::string& queue, std::string_view ended_because);

v1::LoadTime TimeOf(const stats::CensoredTimes& times, bool with_histogram);

/// JSON by protobuf's mapping with the original names of fields, indented.
std::string RecordJson(const v1::LoadRecord& record);

/// Errors   kInvalidArgument: what is wrong with the text. Unknown fields are ignored, so newer
///          files can be read.
Result<v1::LoadRecord> ReadRecord(std::string_view json);

}  // namespace twofold::load
