#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lib/suite/spec.h"
#include "suites/media/media.h"

namespace twofold::suite::media {
namespace {

using Spec = v1::suites::MediaSpec;
using Output = v1::suites::MediaOutput;
using Arguments = std::vector<std::string>;

// Encoders of ffmpeg by codec: in software, and on a render node by VA-API.
struct Encoder {
  std::string_view codec;
  const char* software;
  const char* device;
};
constexpr Encoder kEncoders[] = {
    {"h264", "libx264", "h264_vaapi"},
    {"h265", "libx265", "hevc_vaapi"},
    {"av1", "libsvtav1", "av1_vaapi"},
    {"mpeg4", "mpeg4", ""},
};

// Containers that hold a video and do not name other files, as playlists do.
constexpr char kContainers[] =
    "mov,matroska,avi,flv,mpeg,mpegts,mxf,nut,ivf,obu,av1,h264,hevc,m4v,mpegvideo,yuv4mpegpipe";

// Which of the inputs and outputs are files; render nodes are there to be used.
std::vector<std::string> PathsOf(const Spec& spec) {
  std::vector<std::string> paths;
  for (const auto& input : spec.inputs()) {
    if (!IsGenerated(input)) paths.push_back(input.path());
    if (!input.device().empty() && !IsRenderNode(input.device())) paths.push_back(input.device());
  }
  for (const Output& output : spec.outputs()) {
    if (!output.path().empty()) paths.push_back(output.path());
  }
  return paths;
}

void Add(Arguments& to, const Arguments& more) { to.insert(to.end(), more.begin(), more.end()); }

void AddInput(Arguments& argv, const v1::suites::MediaInput& input) {
  if (IsGenerated(input)) {
    // Frames from the filter are in memory: they go to the device in the output's filters.
    if (!input.device().empty()) Add(argv, {"-vaapi_device", input.device()});
    return Add(argv, {"-f", "lavfi", "-i", std::string(GraphOf(input))});
  }
  if (!input.device().empty()) {
    Add(argv, {"-hwaccel", "vaapi", "-hwaccel_device", input.device(), "-hwaccel_output_format",
               "vaapi"});
  }
  Add(argv, {"-protocol_whitelist", "file", "-format_whitelist", kContainers, "-i",
             "file:" + input.path()});
}

std::string Filter(const Output& output, bool device, bool generated) {
  const std::string upload = device && generated ? "format=nv12,hwupload" : "";
  if (output.width() == 0) return upload;
  const std::string scale =
      absl::StrCat(device ? "scale_vaapi=w=" : "scale=w=", output.width(), ":h=", output.height());
  return upload.empty() ? scale : upload + "," + scale;
}

void AddOutput(Arguments& argv, const Spec& spec, const Output& output) {
  const auto& input = spec.inputs(static_cast<int>(output.input()));
  const bool device = !input.device().empty();
  Add(argv, {"-map", absl::StrCat(output.input(), ":v:0")});
  if (spec.frames() > 0) Add(argv, {"-frames:v", absl::StrCat(spec.frames())});
  const std::string filter = Filter(output, device, IsGenerated(input));
  if (!filter.empty()) Add(argv, {"-vf", filter});
  const auto* encoder =
      std::find_if(std::begin(kEncoders), std::end(kEncoders),
                   [&](const Encoder& row) { return row.codec == output.codec(); });
  Add(argv, {"-c:v", device ? encoder->device : encoder->software});
  if (!output.preset().empty()) Add(argv, {"-preset", output.preset()});
  if (output.bitrate() > 0) Add(argv, {"-b:v", absl::StrCat(output.bitrate(), "k")});
  // The null muxer throws away what was encoded, so that no disk is measured.
  if (output.path().empty()) return Add(argv, {"-f", "null", "-"});
  argv.push_back("file:" + output.path());
}

}  // namespace

Arguments FfmpegArgv(const Spec& spec) {
  // `verbose` has the frames of each output at the end; progress goes to stdout, so that nothing is
  // in between.
  Arguments argv = {"ffmpeg",    "-nostdin", "-y",        "-nostats",
                    "-loglevel", "verbose",  "-progress", "pipe:1"};
  for (const auto& input : spec.inputs()) AddInput(argv, input);
  for (const Output& output : spec.outputs()) AddOutput(argv, spec, output);
  return argv;
}

std::string SessionLines(const Spec& spec) {
  std::string lines;
  for (const Output& output : spec.outputs()) {
    const auto& input = spec.inputs(static_cast<int>(output.input()));
    absl::StrAppend(&lines, "-hw -device ", input.device(), " -i::", input.codec(), " ",
                    input.path(), " -o::", output.codec(), " ",
                    output.path().empty() ? "/dev/null" : output.path());
    if (spec.frames() > 0) absl::StrAppend(&lines, " -n ", spec.frames());
    if (output.width() > 0)
      absl::StrAppend(&lines, " -w ", output.width(), " -h ", output.height());
    if (output.bitrate() > 0) absl::StrAppend(&lines, " -b ", output.bitrate());
    lines += "\n";
  }
  return lines;
}

GangPlan Plan(const Spec& spec, const Gang& /*gang*/) {
  GangPlan plan;
  for (const auto& input : spec.inputs()) {
    if (IsGenerated(input) && !IsListedGraph(GraphOf(input))) {
      AddUnlisted(plan, "input", input.path());
    }
  }
  RankPlan rank;
  rank.paths = PathsOf(spec);
  if (spec.tool() == "ffmpeg") {
    rank.stages = {{.name = "transcode", .argv = FfmpegArgv(spec)}};
  } else {
    rank.files = {{"sessions.par", SessionLines(spec)}};
    rank.stages = {
        {.name = "transcode", .argv = {"sample_multi_transcode", "-par", "sessions.par"}}};
  }
  plan.ranks.push_back(std::move(rank));
  return plan;
}

}  // namespace twofold::suite::media
