#include "lib/suite/spec.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/text.h"
#include "suites/media/media.h"

namespace twofold::suite::media {
namespace {

constexpr std::string_view kGenerated = "lavfi:";
constexpr std::string_view kRenderNode = "/dev/dri/renderD";
constexpr std::string_view kDigits = "0123456789";

constexpr std::string_view kSources[] = {"testsrc",    "testsrc2",    "rgbtestsrc",   "yuvtestsrc",
                                         "mptestsrc",  "smptebars",   "smptehdbars",  "pal75bars",
                                         "pal100bars", "allrgb",      "allyuv",       "color",
                                         "gradients",  "mandelbrot",  "sierpinski",   "nullsrc",
                                         "colorchart", "haldclutsrc", "colorspectrum"};

constexpr std::string_view kOptions[] = {
    "size",  "s",     "rate",     "r",     "duration", "d",          "sar",
    "alpha", "n",     "decimals", "test",  "color",    "c",          "type",
    "seed",  "speed", "maxiter",  "level", "depth",    "max_frames", "m"};

// "size=1280x720", "rate=30000/1001", "color=red@0.5".
bool IsListedOption(std::string_view option) {
  constexpr std::string_view kOfValues =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-/#@_";
  const std::size_t equals = option.find('=');
  return equals != std::string_view::npos && IsOneOf(option.substr(0, equals), kOptions) &&
         option.find_first_not_of(kOfValues, equals + 1) == std::string_view::npos;
}

using Spec = v1::suites::MediaSpec;
using Input = v1::suites::MediaInput;
using Output = v1::suites::MediaOutput;

constexpr std::string_view kSessionCodecs[] = {"h264", "h265", "av1"};

bool UsesSessions(const Spec& spec) { return spec.tool() == "sample_multi_transcode"; }

// Of sample_multi_transcode paths stand in a -par file.
Status CheckPathFor(const Spec& spec, const char* field, const std::string& path) {
  return UsesSessions(spec) ? CheckPathInFile(field, path) : CheckPath(field, path);
}

// What the name of an output may end with: ffmpeg takes from it what to write, and playlists,
// images and the like would be many files.
constexpr std::string_view kEndings[] = {".mp4",  ".mkv", ".mov",  ".webm", ".avi",  ".ts",
                                         ".flv",  ".nut", ".h264", ".264",  ".h265", ".265",
                                         ".hevc", ".ivf", ".obu",  ".m4v",  ".mpg"};

Status CheckInput(const Spec& spec, const Input& input) {
  if (input.path().empty()) return Wrong("input", "no path: name a file");
  if (!input.device().empty()) {
    if (Status status = CheckPathFor(spec, "device", input.device()); !status.ok()) return status;
  }
  if (IsGenerated(input)) {
    return UsesSessions(spec) ? Wrong("input", "lavfi: needs tool ffmpeg") : absl::OkStatus();
  }
  if (Status status = CheckPathFor(spec, "input", input.path()); !status.ok()) return status;
  if (!UsesSessions(spec)) return absl::OkStatus();
  return CheckWord("inputs.codec", input.codec(), kSessionCodecs);
}

Status CheckFile(const Spec& spec, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  if (Status status = CheckPathFor(spec, "outputs.path", path); !status.ok()) return status;
  const bool listed = std::any_of(std::begin(kEndings), std::end(kEndings),
                                  [&](std::string_view ending) { return path.ends_with(ending); });
  if (listed || UsesSessions(spec)) return absl::OkStatus();
  return Wrong("outputs.path", absl::StrCat("'", Quoted(path),
                                            "' does not end like a video: .mp4, "
                                            ".mkv, .webm, .ts, .h264, .ivf and so on"));
}

Status CheckOutput(const Spec& spec, const Output& output) {
  if (UsesSessions(spec)) {
    Status status = CheckWord("outputs.codec", output.codec(), kSessionCodecs);
    if (!status.ok()) return status;
  }
  const int last_input = spec.inputs_size() - 1;
  Status status = CheckNumber("outputs.input", output.input(), 0, last_input);
  if (!status.ok()) return status;
  if ((output.width() == 0) != (output.height() == 0)) {
    return Wrong("outputs.width", "needs outputs.height, and the other way round");
  }
  status = CheckPlain("outputs.preset", output.preset());
  if (!status.ok()) return status;
  return CheckFile(spec, output.path());
}

// mpeg4 has no encoder on devices.
Status CheckDevices(const Spec& spec) {
  for (const Output& output : spec.outputs()) {
    const Input& input = spec.inputs(static_cast<int>(output.input()));
    if (input.device().empty()) {
      if (UsesSessions(spec)) return Wrong("device", "sample_multi_transcode needs one");
    } else if (output.codec() == "mpeg4") {
      return Wrong("outputs.codec", "mpeg4 is in software only: leave out device");
    } else if (!output.preset().empty()) {
      return Wrong("outputs.preset", "of software encoders only: leave out device");
    }
  }
  return absl::OkStatus();
}

// The short forms written out.
Status Complete(Spec& spec) {
  if (spec.has_input() && spec.inputs_size() > 0) {
    return Wrong("input", "not together with inputs: leave out one");
  }
  if (spec.inputs_size() == 0) spec.add_inputs()->set_path(spec.input());
  if (spec.outputs_size() == 0) spec.add_outputs();
  for (Input& input : *spec.mutable_inputs()) {
    if (!input.has_device()) input.set_device(spec.device());
  }
  return absl::OkStatus();
}

// An input that nothing is made of would be an error of ffmpeg's in words that do not help.
Status CheckUsed(const Spec& spec) {
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(spec.inputs_size()); ++i) {
    bool used = false;
    for (const Output& output : spec.outputs()) used = used || output.input() == i;
    if (!used) return Wrong("inputs", absl::StrCat("no output has input ", i));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsGenerated(const v1::suites::MediaInput& input) {
  return input.path().starts_with(kGenerated);
}

std::string_view GraphOf(const v1::suites::MediaInput& input) {
  return std::string_view(input.path()).substr(kGenerated.size());
}

bool IsListedGraph(std::string_view graph) {
  const std::size_t equals = graph.find('=');
  if (!IsOneOf(graph.substr(0, equals), kSources)) return false;
  if (equals == std::string_view::npos) return true;
  const std::vector<std::string> options =
      absl::StrSplit(std::string(graph.substr(equals + 1)), ':');
  return std::all_of(options.begin(), options.end(), IsListedOption);
}

bool IsRenderNode(std::string_view device) {
  if (!device.starts_with(kRenderNode)) return false;
  device.remove_prefix(kRenderNode.size());
  return !device.empty() && device.find_first_not_of(kDigits) == std::string_view::npos;
}

Result<Spec> ReadSpec(std::string_view json) {
  return ReadByRules<Spec>(json, [](Spec& spec) {
    Status status = Complete(spec);
    for (const Input& input : spec.inputs()) {
      if (status.ok()) status = CheckInput(spec, input);
    }
    for (const Output& output : spec.outputs()) {
      if (status.ok()) status = CheckOutput(spec, output);
    }
    if (status.ok()) status = CheckDevices(spec);
    if (status.ok()) status = CheckUsed(spec);
    return status;
  });
}

}  // namespace twofold::suite::media
