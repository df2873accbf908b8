#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lib/suite/suite.h"
#include "suites/media/spec.pb.h"

/// Transcoding with ffmpeg or sample_multi_transcode; see README.md.
namespace twofold::suite::media {

/// The spec, checked; `inputs` and `outputs` have at least one entry each.
Result<v1::suites::MediaSpec> ReadSpec(std::string_view json);

GangPlan Plan(const v1::suites::MediaSpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// Where runs of either tool begin in its log (Suite::runs): at its title; without titles, at its
/// first input; without both, where progress goes on after its end or falls back, as of two passes.
std::vector<std::size_t> Runs(std::string_view text);

/// Whether frames are made by a filter ("lavfi:GRAPH"), and by which.
bool IsGenerated(const v1::suites::MediaInput& input);
std::string_view GraphOf(const v1::suites::MediaInput& input);

/// Whether the graph is one of ffmpeg's test patterns with options that name no file. Others read
/// files (movie), write them (metadata), and load libraries (frei0r).
bool IsListedGraph(std::string_view graph);

/// "/dev/dri/renderD128".
bool IsRenderNode(std::string_view device);

/// The command lines of either tool for a spec of ReadSpec.
std::vector<std::string> FfmpegArgv(const v1::suites::MediaSpec& spec);
/// Its sessions, one a line, as its -par file has them.
std::string SessionLines(const v1::suites::MediaSpec& spec);

/// Of the transcoder of either kind. `spec`: what was asked for; null: not known.
Result<Measurements> ParseFfmpeg(const std::string& stage, const StageOutput& output,
                                 const v1::suites::MediaSpec* spec);
Result<Measurements> ParseSessions(const std::string& stage, const StageOutput& output,
                                   const v1::suites::MediaSpec* spec);

}  // namespace twofold::suite::media
