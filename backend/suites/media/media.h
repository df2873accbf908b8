#pragma once

#include <string_view>

#include "lib/suite/suite.h"
#include "twofold/v1/suites/media.pb.h"

/// Transcoding with ffmpeg or sample_multi_transcode; see README.md. The three functions of a
/// Suite.
namespace twofold::suite::media {

Result<std::uint32_t> Check(std::string_view spec);
Result<GangPlan> Plan(std::string_view spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// The spec, checked; `inputs` and `outputs` have at least one entry each.
Result<v1::suites::MediaSpec> ReadSpec(std::string_view json);

/// The command lines of either tool for a spec of ReadSpec.
std::vector<std::string> FfmpegArgv(const v1::suites::MediaSpec& spec);
/// Its sessions, one a line, as its -par file has them.
std::string SessionLines(const v1::suites::MediaSpec& spec);

/// Of the transcoder of either kind.
Result<Measurements> ParseFfmpeg(const std::string& stage, const StageOutput& output);
Result<Measurements> ParseSessions(const std::string& stage, const StageOutput& output);

}  // namespace twofold::suite::media
