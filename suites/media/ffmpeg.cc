#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lib/suite/text.h"
#include "suites/media/media.h"

namespace twofold::suite::media {
namespace {

// What ffmpeg reports at intervals: the last block, and one point a block for the series. "N/A" is
// missing; a video that has not begun has a time below 0, which is missing as well.
struct Progress {
  std::optional<double> frames;   // of the first output
  std::optional<double> fps;      // 0: too early to say
  std::optional<double> video_s;  // length of what is encoded
  std::optional<double> speed;    // of that a second; 0: too early to say
  bool ended = false;
};

struct Stream {
  std::string id;  // "0:1": output, and the stream in it
  double frames = 0;
};

// What an output is made by, and how large: {"0:1", "libx264"}, {"0:1", "320x240"}.
using ByStream = std::map<std::string, std::string>;

struct Log {
  std::vector<Progress> blocks;
  std::vector<Stream> streams;
  ByStream encoders;
  ByStream resolutions;
  std::set<std::string> videos;   // streams of outputs; the log need not say them
  std::set<std::string> copied;   // streams that are not encoded (-c copy)
  std::set<std::string> outputs;  // that the progress speaks of
  std::string version;
  std::string fatal;  // the first line of that kind
  std::string reason;
};

constexpr double kMicrosASecond = 1e6;

// "frame=50", as of -progress.
void ReadKey(std::string_view line, Progress& block, Log& log) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view key = line.substr(0, equals);
  std::string_view text = Strip(line.substr(equals + 1));
  if (key == "progress") block.ended = text == "end";
  // "stream_1_0_q=2.8"
  if (const auto stream = After(key, "stream_"); stream && key.ends_with("_q")) {
    log.outputs.emplace(stream->substr(0, stream->find('_')));
  }
  const auto value = TakeNumber(text);  // "N/A" has none; "60.1x" has more
  if (!value) return;
  if (key == "frame") block.frames = *value;
  if (key == "fps") block.fps = *value;
  if (key == "speed") block.speed = *value;
  if (key == "out_time_us" && *value >= 0) block.video_s = *value / kMicrosASecond;
}

// Without the part of ffmpeg that says it: "[out#0/null @ 0x55d0] ", since version 6.
std::string_view WithoutContext(std::string_view line) {
  line = Strip(line);
  const std::size_t close = line.starts_with('[') ? line.find("] ") : std::string_view::npos;
  return close == std::string_view::npos ? line : Strip(line.substr(close + 2));
}

// "0:1" at the start of `text`; empty: there is none.
std::string StreamId(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789:"), text.size());
  text = text.substr(0, end);
  while (text.ends_with(':')) text.remove_suffix(1);
  return text.find(':') == std::string_view::npos ? std::string() : std::string(text);
}

// "Output stream #1:0 (video): 40 frames encoded; 40 packets muxed (78328 bytes); "
std::optional<Stream> ReadStream(std::string_view line) {
  const auto rest = After(line, "Output stream #");
  if (!rest || rest->find("(video)") == std::string_view::npos) return std::nullopt;
  const std::size_t colon = rest->find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view count = rest->substr(colon + 2);
  const auto frames = TakeNumber(count);
  if (!frames || !count.starts_with(" frames encoded")) return std::nullopt;
  return Stream{StreamId(*rest), *frames};
}

// "Stream #0:0 -> #1:0 (rawvideo (native) -> mpeg4 (native))", or "Stream #0:0 -> #0:0 (copy)"
void ReadMapping(std::string_view line, Log& log) {
  const std::size_t to = line.find(" -> #");
  const std::size_t made = line.rfind(" -> ");
  if (to == std::string_view::npos) return;
  if (line.ends_with(" (copy)")) log.copied.insert(StreamId(line.substr(to + 5)));
  if (made == to) return;
  const auto words = Words(line.substr(made + 4));  // "mpeg4", "(native))"
  if (words.size() < 2) return;
  std::string_view encoder = words[1].substr(1, words[1].find(')') - 1);
  if (encoder == "native") encoder = words[0];
  log.encoders[StreamId(line.substr(to + 5))] = std::string(encoder);
}

bool IsResolution(std::string_view word) {
  const std::size_t x = word.find('x');
  return x != std::string_view::npos && ToNumber(word.substr(0, x)) && ToNumber(word.substr(x + 1));
}

// "Stream #1:0: Video: mpeg4, 1 reference frame, yuv420p(tv, progressive), 160x120 [SAR 1:1 ..."
void ReadFormat(std::string_view rest, Log& log) {
  const std::size_t video = rest.find(": Video: ");
  if (video == std::string_view::npos) return;
  log.videos.insert(StreamId(rest));
  for (std::string_view word : Words(rest.substr(video))) {
    if (word.ends_with(',')) word.remove_suffix(1);
    if (!IsResolution(word)) continue;
    log.resolutions[StreamId(rest)] = std::string(word);
    return;
  }
}

// With these a run has no numbers, though it may end like a good one.
constexpr std::string_view kFatal[] = {"received signal", "Error while decoding",
                                       "Error submitting packet to decoder", "Conversion failed"};
// These are the reason if something else says that it went wrong.
constexpr std::string_view kReasons[] = {
    "No such file",         "Invalid data found",      "Unknown encoder",   "Error",
    "nothing was encoded",  "Unrecognized option",     "Permission denied", "Failed to",
    "does not contain any", "No space left on device", "matches no streams"};

class Reader {
 public:
  void ReadLine(std::string_view line) {
    const std::string_view said = WithoutContext(line);
    if (auto stream = ReadStream(said)) return log.streams.push_back(*std::move(stream));
    if (const auto version = After(line, "ffmpeg version ")) {
      log.version = version->substr(0, version->find(' '));
    }
    if (said.starts_with("Input #") || said.starts_with("Output #")) {
      in_output_ = said.starts_with("Output");
    }
    if (const auto rest = After(said, "Stream #")) {
      ReadMapping(said, log);
      if (in_output_) ReadFormat(*rest, log);
    }
    if (log.fatal.empty() && HasAny(line, kFatal)) log.fatal = line;
    if (log.reason.empty() && HasAny(line, kReasons)) log.reason = line;
    ReadKey(said, block_, log);
    if (!said.starts_with("progress=")) return;
    log.blocks.push_back(std::exchange(block_, {}));
  }

  Log log;

 private:
  Progress block_;
  bool in_output_ = false;  // what follows is about one
};

Log ReadLog(const StageOutput& output) {
  Reader reader;
  for (const std::string* text : {&output.out, &output.err}) {
    for (const std::string_view line : Lines(*text)) reader.ReadLine(line);
  }
  return std::move(reader.log);
}

// ffmpeg says fps=0.00 in its first second, so for short clips to the end; speed says it then.
std::optional<double> FramesPerSecond(const Progress& last) {
  if (last.fps.value_or(0) > 0) return last.fps;
  if (last.speed.value_or(0) <= 0 || last.video_s.value_or(0) <= 0) return std::nullopt;
  return *last.frames * *last.speed / *last.video_s;
}

// Both are by the time since the start: frames / fps and video / speed. Digits are few.
bool RatesAgree(const Progress& last) {
  constexpr double kOfFps = 0.005 + 0.005;
  constexpr double kShare = 0.02;  // of the speed, which has three digits
  if (last.fps.value_or(0) <= 0 || last.speed.value_or(0) <= 0 || last.video_s.value_or(0) <= 0) {
    return true;
  }
  const double by_speed = *last.frames * *last.speed / *last.video_s;
  return std::abs(*last.fps - by_speed) <= kOfFps + kShare * by_speed;
}

// Videos that went through as they came. A log that does not say which streams are videos says
// this of all that it has.
std::vector<std::string> CopiedVideos(const Log& log) {
  std::vector<std::string> videos;
  for (const std::string& stream : log.copied) {
    if (log.videos.empty() || log.videos.contains(stream)) videos.push_back(stream);
  }
  return videos;
}

// Videos whose frames the numbers are about: those that the log counts, or those of the first
// output, of which the progress speaks.
std::vector<std::string> CountedVideos(const Log& log) {
  std::vector<std::string> ids;
  for (const Stream& stream : log.streams) ids.push_back(stream.id);
  if (!log.streams.empty()) return ids;
  for (const std::string& video : log.videos) {
    if (video.starts_with("0:")) ids.push_back(video);
  }
  return ids;
}

// Whether the frames it counts were copied, so that their rate is none of an encoder.
bool OnlyCopies(const Log& log) {
  const auto counted = CountedVideos(log);
  if (counted.empty()) return !log.copied.empty() && log.encoders.empty();
  return std::all_of(counted.begin(), counted.end(),
                     [&](const std::string& id) { return log.copied.contains(id); });
}

// Why the end of the log cannot be believed, if so.
std::string Doubt(const Log& log) {
  if (log.blocks.empty()) return "no -progress of ffmpeg in it";
  const Progress& last = log.blocks.back();
  if (!last.ended) return "ffmpeg's progress has no end: it was stopped";
  if (OnlyCopies(log)) return "its video is copied (-c copy): nothing was encoded";
  if (last.frames.value_or(0) <= 0) return "no frame was encoded";
  for (const Stream& stream : log.streams) {
    if (stream.frames <= 0) return "no frame was encoded for output " + stream.id;
  }
  if (FramesPerSecond(last).value_or(0) <= 0) return "ffmpeg says neither fps nor speed";
  if (RatesAgree(last)) return {};
  return absl::StrCat(*last.fps, " frames a second are not ", *last.frames, " frames of ",
                      *last.video_s, " s at ", *last.speed, " times its speed");
}

Status CheckLog(const std::string& stage, const StageOutput& output, const Log& log) {
  if (!log.fatal.empty()) return ToolFailed(stage, log.fatal);
  const std::string end = BadEnd(output);
  if (!end.empty()) return ToolFailed(stage, log.reason.empty() ? end : log.reason);
  const std::string doubt = Doubt(log);
  if (doubt.empty()) return absl::OkStatus();
  return log.reason.empty() ? Unreadable(stage, doubt) : ToolFailed(stage, log.reason);
}

// Whether as many outputs came as were asked for, and no more frames of each. A clip may have less.
Status CheckAsked(const std::string& stage, const v1::suites::MediaSpec& spec, const Log& log) {
  const auto asked = static_cast<std::size_t>(spec.outputs_size());
  const std::size_t came = log.streams.size();
  if (came != asked && (came > 0 || asked > 1)) {
    return Unreadable(stage, absl::StrCat("frames of ", came, " outputs, not of ", asked));
  }
  for (const Stream& stream : log.streams) {
    if (spec.frames() == 0 || stream.frames <= spec.frames()) continue;
    return Unreadable(stage, absl::StrCat(stream.frames, " frames of output ", stream.id,
                                          ", not at most ", spec.frames()));
  }
  return absl::OkStatus();
}

// Of an output, or of all of them joined by '+': by which encoder, and how large. Nothing else of
// what was asked for is in a log. What is copied beside them takes its share, too.
void AddHow(const Log& log, const std::string& id, Dimensions& dimensions) {
  for (const auto& [name, by_stream] :
       {std::pair<const char*, const ByStream&>{"encoder", log.encoders},
        {"resolution", log.resolutions}}) {
    std::vector<std::string> values;
    for (const std::string& video : CountedVideos(log)) {
      const auto found = by_stream.find(video);
      if ((id.empty() || id == video) && found != by_stream.end()) values.push_back(found->second);
    }
    const bool of_all = id.empty() && &by_stream == &log.encoders;
    if (of_all && !values.empty()) values.insert(values.end(), CopiedVideos(log).size(), "copy");
    if (!values.empty()) dimensions.emplace_back(name, absl::StrJoin(values, "+"));
  }
}

Series OverTime(const std::vector<Progress>& blocks) {
  Series series{"frames_over_video", {}, {{"video", "s"}, {"frames", "", Better::kNone}}, {}};
  for (const Progress& block : blocks) {
    if (block.video_s && block.frames) series.rows.push_back({*block.video_s, *block.frames});
  }
  return series;
}

// "0" of the first video in that output, "0:2" of another.
std::string OutputName(const std::string& id, std::set<std::string>& used) {
  std::string output = id.substr(0, id.find(':'));
  return used.insert(output).second ? output : id;
}

Measurements ToMeasurements(const Log& log) {
  Measurements result;
  result.tool = log.version.empty() ? "ffmpeg" : "ffmpeg " + log.version;
  const Progress& last = log.blocks.back();
  double frames = 0;
  std::set<std::string> used;
  for (const Stream& stream : log.streams) {
    frames += stream.frames;
    Dimensions dimensions = {{"output", OutputName(stream.id, used)}};
    AddHow(log, stream.id, dimensions);
    result.measurements.push_back(
        {"frames", stream.frames, "", Better::kNone, false, std::move(dimensions)});
  }
  // The progress counts those of the first output only; all outputs take the same time. A log that
  // has several and does not say the frames of each has numbers of the first.
  if (log.streams.empty()) frames = *last.frames;
  Dimensions all = {
      {"output", log.streams.empty() && log.outputs.size() > 1 ? *log.outputs.begin() : "all"}};
  Dimensions how;
  AddHow(log, "", how);
  all.insert(all.end(), how.begin(), how.end());
  result.measurements.push_back({"frame_rate", *FramesPerSecond(last) * frames / *last.frames,
                                 "1/s", Better::kHigher, true, all});
  result.measurements.push_back({"frames", frames, "", Better::kNone, false, all});
  if (last.speed.value_or(0) > 0) {
    result.measurements.push_back({"speed", *last.speed, "", Better::kHigher, true, how});
  }
  result.series.push_back(OverTime(log.blocks));
  return result;
}

}  // namespace

Result<Measurements> ParseFfmpeg(const std::string& stage, const StageOutput& output,
                                 const v1::suites::MediaSpec* spec) {
  const Log log = ReadLog(output);
  Status status = CheckLog(stage, output, log);
  if (status.ok() && spec != nullptr) status = CheckAsked(stage, *spec, log);
  if (!status.ok()) return status;
  return ToMeasurements(log);
}

}  // namespace twofold::suite::media
