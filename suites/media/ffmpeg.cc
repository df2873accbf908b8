#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "lib/suite/text.h"
#include "suites/media/media.h"

namespace twofold::suite::media {
namespace {

// What ffmpeg reports at intervals: the last block, and one point a block for the series.
struct Progress {
  double frames = 0;
  double fps = 0;
  double video_s = 0;  // length of what is encoded
  double speed = 0;    // of that a second; 0: too early to say
  bool ended = false;
};

struct Stream {
  std::string output;  // its number
  double frames = 0;
};

struct Log {
  std::vector<Progress> blocks;
  std::vector<Stream> streams;
  std::string version;
  std::string fatal;  // the first line of that kind
  std::string reason;
};

constexpr double kMicrosASecond = 1e6;

// "frame=50", as of -progress.
void ReadKey(std::string_view line, Progress& block) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view key = line.substr(0, equals);
  std::string_view text = Strip(line.substr(equals + 1));
  if (key == "progress") block.ended = text == "end";
  const auto value = TakeNumber(text);  // "N/A" has none; "60.1x" has more
  if (!value) return;
  if (key == "frame") block.frames = *value;
  if (key == "fps") block.fps = *value;
  if (key == "speed") block.speed = *value;
  if (key == "out_time_us") block.video_s = *value / kMicrosASecond;
}

// "  Output stream #1:0 (video): 40 frames encoded; 40 packets muxed (78328 bytes); "
std::optional<Stream> ReadStream(std::string_view line) {
  const auto rest = After(Strip(line), "Output stream #");
  if (!rest || rest->find("(video)") == std::string_view::npos) return std::nullopt;
  const std::size_t colon = rest->find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view count = rest->substr(colon + 2);
  const auto frames = TakeNumber(count);
  if (!frames || !count.starts_with(" frames encoded")) return std::nullopt;
  return Stream{std::string(rest->substr(0, rest->find(':'))), *frames};
}

// With these a run has no numbers, though it may end like a good one.
constexpr std::string_view kFatal[] = {"received signal", "Error while decoding",
                                       "Conversion failed"};
// These are the reason if something else says that it went wrong.
constexpr std::string_view kReasons[] = {
    "No such file",         "Invalid data found",      "Unknown encoder",   "Error",
    "nothing was encoded",  "Unrecognized option",     "Permission denied", "Failed to",
    "does not contain any", "No space left on device", "matches no streams"};

void ReadLine(std::string_view line, Progress& block, Log& log) {
  if (auto stream = ReadStream(line)) return log.streams.push_back(*std::move(stream));
  if (const auto version = After(line, "ffmpeg version ")) {
    log.version = version->substr(0, version->find(' '));
  }
  if (log.fatal.empty() && HasAny(line, kFatal)) log.fatal = line;
  if (log.reason.empty() && HasAny(line, kReasons)) log.reason = line;
  ReadKey(line, block);
  if (!line.starts_with("progress=")) return;
  log.blocks.push_back(block);
  block = {};
}

Log ReadLog(const StageOutput& output) {
  Log log;
  Progress block;
  for (const std::string* text : {&output.out, &output.err}) {
    for (const std::string_view line : Lines(*text)) ReadLine(line, block, log);
  }
  return log;
}

// ffmpeg says fps=0.00 in its first second, so for short clips to the end; speed says it then.
double FramesPerSecond(const Progress& last) {
  if (last.fps > 0 || last.speed <= 0 || last.video_s <= 0) return last.fps;
  return last.frames * last.speed / last.video_s;
}

// Why the end of the log cannot be believed, if so.
std::string Doubt(const Log& log) {
  if (log.blocks.empty()) return "no -progress of ffmpeg in it";
  if (!log.blocks.back().ended) return "ffmpeg's progress has no end: it was stopped";
  if (log.blocks.back().frames <= 0) return "no frame was encoded";
  for (const Stream& stream : log.streams) {
    if (stream.frames <= 0) return "no frame was encoded for output " + stream.output;
  }
  return FramesPerSecond(log.blocks.back()) > 0 ? "" : "ffmpeg says neither fps nor speed";
}

Status CheckLog(const std::string& stage, const StageOutput& output, const Log& log) {
  if (!log.fatal.empty()) return ToolFailed(stage, log.fatal);
  const std::string end = BadEnd(output);
  if (!end.empty()) return ToolFailed(stage, log.reason.empty() ? end : log.reason);
  const std::string doubt = Doubt(log);
  if (doubt.empty()) return absl::OkStatus();
  return log.reason.empty() ? Unreadable(stage, doubt) : ToolFailed(stage, log.reason);
}

Series OverTime(const std::vector<Progress>& blocks) {
  Series series{"frames_over_video", {}, {{"video", "s"}, {"frames", "", Better::kNone}}, {}};
  for (const Progress& block : blocks) series.rows.push_back({block.video_s, block.frames});
  return series;
}

}  // namespace

Result<Measurements> ParseFfmpeg(const std::string& stage, const StageOutput& output) {
  const Log log = ReadLog(output);
  if (Status status = CheckLog(stage, output, log); !status.ok()) return status;
  const Progress& last = log.blocks.back();
  Measurements result;
  result.tool = log.version.empty() ? "ffmpeg" : "ffmpeg " + log.version;
  const double rate = FramesPerSecond(last);
  double frames = 0;
  for (const Stream& stream : log.streams) {
    frames += stream.frames;
    result.measurements.push_back(
        {"frames", stream.frames, "", Better::kNone, false, {{"output", stream.output}}});
  }
  // The progress counts those of the first output only; all outputs take the same time.
  const double outputs = frames > 0 ? frames / last.frames : 1;
  result.measurements.push_back(
      {"frame_rate", rate * outputs, "1/s", Better::kHigher, true, {{"output", "all"}}});
  result.measurements.push_back(
      {"frames", frames > 0 ? frames : last.frames, "", Better::kNone, false, {{"output", "all"}}});
  if (last.speed > 0) {
    result.measurements.push_back({"speed", last.speed, "", Better::kHigher, true, {}});
  }
  result.series.push_back(OverTime(log.blocks));
  return result;
}

}  // namespace twofold::suite::media
