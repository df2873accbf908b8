#include "tests/lib/h2/frames.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace twofold::h2 {
namespace {

std::uint32_t BigEndian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<std::uint8_t>(c);
  return number;
}

}  // namespace

std::uint32_t SeenFrame::Number(std::size_t offset) const {
  return BigEndian(std::string_view(payload).substr(offset, 4));
}

std::vector<SeenFrame> FrameReader::Read(std::string_view bytes) {
  std::vector<SeenFrame> frames;
  while (bytes.size() >= 9) {
    const std::size_t size = BigEndian(bytes.substr(0, 3));
    SeenFrame& frame = frames.emplace_back();
    frame.type = static_cast<std::uint8_t>(bytes[3]);
    frame.flags = static_cast<std::uint8_t>(bytes[4]);
    frame.stream = BigEndian(bytes.substr(5, 4)) & 0x7fffffff;
    frame.payload = bytes.substr(9, size);
    if (frame.type == NGHTTP2_HEADERS) frame.headers = Inflate(frame.payload);
    bytes.remove_prefix(std::min(bytes.size(), 9 + size));
  }
  EXPECT_TRUE(bytes.empty()) << "a frame is cut off";
  return frames;
}

Metadata FrameReader::Inflate(const std::string& block) {
  Metadata headers;
  const auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
  const auto* const end = at + block.size();
  for (int flags = 0; (flags & NGHTTP2_HD_INFLATE_FINAL) == 0;) {
    nghttp2_nv header{};
    const ssize_t used = nghttp2_hd_inflate_hd2(inflater_, &header, &flags, at,
                                                static_cast<std::size_t>(end - at), 1);
    if (used < 0) {
      ADD_FAILURE() << "headers that cannot be read";
      break;
    }
    at += used;
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0) continue;
    headers.emplace_back(std::string(reinterpret_cast<const char*>(header.name), header.namelen),
                         std::string(reinterpret_cast<const char*>(header.value), header.valuelen));
  }
  nghttp2_hd_inflate_end_headers(inflater_);
  return headers;
}

const SeenFrame* FindFrame(const std::vector<SeenFrame>& frames, std::uint8_t type) {
  const auto found = std::find_if(frames.begin(), frames.end(),
                                  [type](const SeenFrame& frame) { return frame.type == type; });
  return found == frames.end() ? nullptr : &*found;
}

int StatusIn(const std::vector<SeenFrame>& frames, std::uint32_t stream) {
  for (const SeenFrame& frame : frames) {
    if (frame.type != NGHTTP2_HEADERS || frame.stream != stream) continue;
    if (const std::string* const status = Find(frame.headers, "grpc-status")) {
      return std::stoi(*status);
    }
  }
  return -1;
}

int ErrorIn(const std::vector<SeenFrame>& frames, std::uint8_t type) {
  const SeenFrame* const frame = FindFrame(frames, type);
  if (frame == nullptr) return -1;
  return static_cast<int>(frame->Number(type == NGHTTP2_GOAWAY ? 4 : 0));
}

std::string Frame(int type, int flags, std::uint32_t stream, std::string_view payload) {
  return Http2Peer::Frame(static_cast<Http2Peer::Type>(type), static_cast<std::uint8_t>(flags),
                          stream, payload);
}

std::string Greeting(std::string_view settings) {
  return NGHTTP2_CLIENT_MAGIC + Frame(NGHTTP2_SETTINGS, 0, 0, settings) +
         Frame(NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0);
}

std::string CallHeaders(std::uint32_t stream, std::string_view more, bool last) {
  const int flags = NGHTTP2_FLAG_END_HEADERS | (last ? NGHTTP2_FLAG_END_STREAM : 0);
  return Frame(NGHTTP2_HEADERS, flags, stream, Http2Peer::Request("/test.Echo/Call", more));
}

std::string WholeCall(std::uint32_t stream, std::string_view message) {
  return CallHeaders(stream) +
         Frame(NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, stream, Message(message));
}

std::string Message(std::string_view bytes, bool compressed) {
  std::string message(1, compressed ? '\1' : '\0');
  message += Http2Peer::Number(static_cast<std::uint32_t>(bytes.size()));
  return message.append(bytes);
}

std::string HpackNumber(std::uint64_t number, int bits, std::uint8_t first) {
  const std::uint64_t most = (1U << bits) - 1;
  if (number < most) return {static_cast<char>(first | number)};
  std::string bytes(1, static_cast<char>(first | most));
  for (number -= most; number >= 128; number /= 128) {
    bytes.push_back(static_cast<char>(number % 128 + 128));
  }
  bytes.push_back(static_cast<char>(number));
  return bytes;
}

std::string LongLiteral(std::string_view name, std::string_view value, bool kept) {
  std::string literal(1, kept ? '\x40' : '\0');
  for (const std::string_view text : {name, value}) {
    literal += HpackNumber(text.size(), 7, 0);
    literal += text;
  }
  return literal;
}

}  // namespace twofold::h2
