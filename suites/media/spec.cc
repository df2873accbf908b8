#include "lib/suite/spec.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>

#include "lib/suite/text.h"
#include "suites/media/media.h"

namespace twofold::suite::media {
namespace {

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

Result<Spec> ReadSpec(std::string_view json) {
  Result<Spec> read = ReadByRules<Spec>(json);
  if (!read.ok()) return read;
  Spec& spec = *read;
  Status status = Complete(spec);
  for (const Input& input : spec.inputs()) {
    if (status.ok()) status = CheckInput(spec, input);
  }
  for (const Output& output : spec.outputs()) {
    if (status.ok()) status = CheckOutput(spec, output);
  }
  if (status.ok()) status = CheckDevices(spec);
  if (status.ok()) status = CheckUsed(spec);
  if (!status.ok()) return status;
  return read;
}

}  // namespace twofold::suite::media
