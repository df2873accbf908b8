#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/suite/document.h"
#include "lib/suite/text.h"
#include "suites/media/media.h"

namespace twofold::suite::media {
namespace {

constexpr std::string_view kErrors[] = {"[ERROR]", "Return on error", "The test FAILED"};
constexpr std::string_view kSessionOptions[] = {" -o::"};
constexpr std::string_view kTitle = "Multi Transcoding Sample Version ";

// "*** session 0 [0x55d0] PASSED (MFX_ERR_NONE) 1.99446 sec, 1000 frames, 501.388 fps"; versions
// before 2020 end after the frames.
struct Session {
  std::string number;
  bool passed = false;
  std::string status;
  double seconds = 0;
  double frames = 0;
  std::string encoder;     // "h264": of the line of its options, which follows
  std::string resolution;  // "640x360"; empty: that of the input
};

std::optional<Session> ReadSession(std::string_view line) {
  const auto rest = After(line, "*** session ");
  if (!rest) return std::nullopt;
  Session session;
  session.number = std::string(Words(*rest).empty() ? "?" : Words(*rest).front());
  session.passed = rest->find(" PASSED ") != std::string_view::npos;
  const std::size_t open = rest->find('(');
  const std::size_t close = rest->find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return session;  // cut off: no time, which the caller refuses
  }
  session.status = rest->substr(open + 1, close - open - 1);
  std::string_view numbers = Strip(rest->substr(close + 1));
  const auto seconds = TakeNumber(numbers);
  const auto after = After(numbers, " sec, ");
  if (!seconds || !after) return session;
  std::string_view count = *after;
  const auto frames = TakeNumber(count);
  if (!frames || !count.starts_with(" frames")) return session;
  session.seconds = *seconds;
  session.frames = *frames;
  return session;
}

// "-hw -i::h265 in.h265 -o::h264 out.h264 -w 640 -h 360": as it stood in the file of all sessions.
void ReadOptions(std::string_view line, Session& session) {
  const std::vector<std::string_view> words = Words(line);
  const auto value_of = [&](std::string_view option) {
    const auto found = std::find(words.begin(), words.end(), option);
    return found == words.end() || found + 1 == words.end() ? std::string_view() : *(found + 1);
  };
  for (const std::string_view word : words) {
    if (const auto encoder = After(word, "-o::")) session.encoder = Quoted(*encoder);
  }
  const std::string_view width = value_of("-w");
  const std::string_view height = value_of("-h");
  if (!width.empty() && !height.empty()) {
    session.resolution = Quoted(absl::StrCat(std::string(width), "x", std::string(height)));
  }
}

struct SessionsLog {
  std::string version;
  std::vector<Session> sessions;
  std::optional<double> common_s;
  bool passed = false;
  std::string complaint;
};

void ReadLine(std::string_view line, SessionsLog& log) {
  if (const auto version = After(line, kTitle)) log.version = std::string(Strip(*version));
  if (const auto time = After(line, "Common transcoding time is ")) {
    std::string_view text = Strip(*time);
    log.common_s = TakeNumber(text);
  }
  if (auto session = ReadSession(line)) {
    log.sessions.push_back(*std::move(session));
  } else if (!log.sessions.empty() && line.starts_with('-') && HasAny(line, kSessionOptions)) {
    ReadOptions(line, log.sessions.back());
  }
  if (line.starts_with("The test PASSED")) log.passed = true;
  if (HasAny(line, kErrors) && log.complaint.empty()) log.complaint = std::string(line);
}

Status CheckSession(const std::string& stage, const Session& session) {
  const std::string name = "session " + session.number;
  if (!session.passed && !session.status.empty()) {
    return ToolFailed(stage, absl::StrCat(name, " failed: ", session.status));
  }
  if (session.seconds <= 0) return Unreadable(stage, name + " has no time: its line is cut off");
  if (session.frames <= 0) return ToolFailed(stage, name + " has encoded no frame");
  return absl::OkStatus();
}

Status CheckLog(const std::string& stage, const StageOutput& output, const SessionsLog& log) {
  for (const Session& session : log.sessions) {
    if (Status status = CheckSession(stage, session); !status.ok()) return status;
  }
  const std::string end = BadEnd(output);
  if (!log.complaint.empty()) return ToolFailed(stage, log.complaint);
  if (!end.empty()) return ToolFailed(stage, end);
  if (log.sessions.empty()) return Unreadable(stage, "no session has ended");
  if (!log.passed || !log.common_s || *log.common_s <= 0) {
    return Unreadable(stage, "it is cut off before 'The test PASSED'");
  }
  constexpr double kRounding = 1;  // s: some versions print whole ones
  for (const Session& session : log.sessions) {
    if (session.seconds <= *log.common_s + kRounding) continue;
    return Unreadable(stage, absl::StrCat("session ", session.number, " of ", session.seconds,
                                          " s in a run of ", *log.common_s, " s"));
  }
  return absl::OkStatus();
}

// A session makes one output.
Status CheckAsked(const std::string& stage, const v1::suites::MediaSpec& spec,
                  const SessionsLog& log) {
  const auto asked = static_cast<std::size_t>(spec.outputs_size());
  if (log.sessions.size() == asked) return absl::OkStatus();
  return Unreadable(stage, absl::StrCat(log.sessions.size(), " sessions, not ", asked));
}

// Of all sessions joined by '+', as those of ffmpeg are; empty: one of them does not say it.
std::string Joined(const std::vector<Session>& sessions, std::string Session::*what) {
  std::vector<std::string> all;
  for (const Session& session : sessions) {
    if ((session.*what).empty()) return {};
    all.push_back(session.*what);
  }
  return absl::StrJoin(all, "+");
}

Dimensions DimensionsOf(const std::string& output, const std::string& encoder,
                        const std::string& resolution) {
  Dimensions dimensions = {{"output", output}};
  if (!encoder.empty()) dimensions.emplace_back("encoder", encoder);
  if (!resolution.empty()) dimensions.emplace_back("resolution", resolution);
  return dimensions;
}

}  // namespace

Result<Measurements> ParseSessions(const std::string& stage, const StageOutput& output,
                                   const v1::suites::MediaSpec* spec) {
  SessionsLog log;
  for (const std::string* text : {&output.out, &output.err}) {
    for (const std::string_view line : Lines(*text)) ReadLine(line, log);
  }
  Status status = CheckLog(stage, output, log);
  if (status.ok() && spec != nullptr) status = CheckAsked(stage, *spec, log);
  if (!status.ok()) return status;
  Measurements result;
  result.tool = absl::StrCat("sample_multi_transcode", log.version.empty() ? "" : " ", log.version);
  double frames = 0;
  for (const Session& session : log.sessions) {
    const Dimensions dimensions = DimensionsOf(session.number, session.encoder, session.resolution);
    frames += session.frames;
    result.measurements.push_back({"frames", session.frames, "", Better::kNone, false, dimensions});
    result.measurements.push_back({"frame_rate", session.frames / session.seconds, "1/s",
                                   Better::kHigher, false, dimensions});
  }
  const Dimensions all = DimensionsOf("all", Joined(log.sessions, &Session::encoder),
                                      Joined(log.sessions, &Session::resolution));
  result.measurements.push_back(
      {"frame_rate", frames / *log.common_s, "1/s", Better::kHigher, true, all});
  result.measurements.push_back({"frames", frames, "", Better::kNone, false, all});
  return result;
}

std::vector<std::size_t> Runs(std::string_view text) {
  auto titles = LinesWhere(text, [](std::string_view line) {
    return line.starts_with("ffmpeg version ") || line.starts_with(kTitle);
  });
  if (titles.size() > 1) return titles;
  auto inputs =
      LinesWhere(text, [](std::string_view line) { return line.starts_with("Input #0, "); });
  if (inputs.size() > 1) return inputs;
  bool ended = true;
  double frames = 0;
  return LinesWhere(text, [&](std::string_view line) {
    const auto count = After(line, "frame=");
    const auto value = count ? ToNumber(Strip(*count)) : std::nullopt;
    const bool begins = value && (std::exchange(ended, false) || *value < frames);
    frames = value.value_or(frames);
    ended = ended || line == "progress=end";
    return begins;
  });
}

Result<Measurements> Parse(const Outputs& outputs) {
  if (outputs.stages.empty()) return Unreadable("transcode", "no output");
  const StageOutput& output = outputs.stages.front();
  const std::string stage = StageName(output, "transcode");
  if (outputs.stages.size() > 1) {
    return Unreadable(stage, absl::StrCat("outputs of ", outputs.stages.size(), " runs, not of 1"));
  }
  std::optional<v1::suites::MediaSpec> spec;
  if (!outputs.spec.empty()) {
    auto read = ReadSpec(outputs.spec);
    if (!read.ok()) return read.status();
    spec = *std::move(read);
  }
  constexpr std::string_view kMarks[] = {"Multi Transcoding Sample", "*** session "};
  const auto parse = HasAny(output.out, kMarks) ? ParseSessions : ParseFfmpeg;
  return parse(stage, output, spec ? &*spec : nullptr);
}

}  // namespace twofold::suite::media
