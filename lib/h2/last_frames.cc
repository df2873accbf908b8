#include "lib/h2/last_frames.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>

namespace twofold::h2 {
namespace {

constexpr std::array<std::string_view, 10> kTypes = {
    "DATA",         "HEADERS", "PRIORITY", "RST_STREAM",    "SETTINGS",
    "PUSH_PROMISE", "PING",    "GOAWAY",   "WINDOW_UPDATE", "CONTINUATION"};

std::string TypeName(std::uint8_t type) {
  return type < kTypes.size() ? std::string(kTypes[type]) : absl::StrCat("type ", type);
}

/// What the lowest bit means depends on the type.
const char* FlagName(std::uint8_t type, unsigned flag) {
  switch (flag) {
    case NGHTTP2_FLAG_END_STREAM:
      return type == NGHTTP2_SETTINGS || type == NGHTTP2_PING ? "ACK" : "END_STREAM";
    case NGHTTP2_FLAG_END_HEADERS:
      return "END_HEADERS";
    case NGHTTP2_FLAG_PADDED:
      return "PADDED";
    case NGHTTP2_FLAG_PRIORITY:
      return "PRIORITY";
    default:
      return "?";
  }
}

/// Separated by "|". nghttp2 clears the flags that it does not know.
std::string FlagNames(std::uint8_t type, std::uint8_t flags) {
  std::string names;
  for (unsigned flag = 1; flag <= flags; flag <<= 1U) {
    if ((flags & flag) == 0) continue;
    absl::StrAppend(&names, names.empty() ? " " : "|", FlagName(type, flag));
  }
  return names;
}

}  // namespace

void LastFrames::Add(Way way, const nghttp2_frame_hd& head) {
  frames_[added_++ % kMost] = {.bytes = static_cast<std::uint32_t>(head.length),
                               .stream = head.stream_id,
                               .type = head.type,
                               .flags = head.flags,
                               .way = way,
                               .invalid = false};
}

void LastFrames::MarkInvalid(const nghttp2_frame_hd& head) {
  Seen* newest = Newest(Way::kIn);
  if (newest == nullptr || newest->stream != head.stream_id || newest->type != head.type) {
    Add(Way::kIn, head);  // nghttp2 has not told of its beginning
    newest = Newest(Way::kIn);
  }
  newest->invalid = true;
}

LastFrames::Seen* LastFrames::Newest(Way way) {
  for (std::size_t i = added_; i > added_ - std::min(added_, kMost); --i) {
    Seen& frame = frames_[(i - 1) % kMost];
    if (frame.way == way) return &frame;
  }
  return nullptr;
}

std::string LastFrames::Text() const {
  std::string text;
  for (std::size_t i = added_ - std::min(added_, kMost); i < added_; ++i) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", Describe(frames_[i % kMost]));
  }
  return text;
}

std::string LastFrames::Describe(const Seen& frame) {
  return absl::StrCat(frame.way == Way::kIn ? "in " : "out ", TypeName(frame.type), " stream ",
                      frame.stream, " ", frame.bytes, " bytes", FlagNames(frame.type, frame.flags),
                      frame.invalid ? " (invalid)" : "");
}

}  // namespace twofold::h2
