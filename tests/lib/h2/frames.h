#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/h2/metadata.h"
#include "tests/support/http2_peer.h"

namespace twofold::h2 {

using testing::Http2Peer;

/// A frame that a session sent.
struct SeenFrame {
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
  std::string payload;
  Metadata headers;  ///< of HEADERS

  /// The 32-bit number at `offset` of the payload.
  [[nodiscard]] std::uint32_t Number(std::size_t offset = 0) const;
};

/// Reads what a session sends; knows the headers' table.
class FrameReader {
 public:
  FrameReader() { nghttp2_hd_inflate_new(&inflater_); }
  ~FrameReader() { nghttp2_hd_inflate_del(inflater_); }
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  std::vector<SeenFrame> Read(std::string_view bytes);

 private:
  Metadata Inflate(const std::string& block);
  nghttp2_hd_inflater* inflater_ = nullptr;
};

/// The first frame of that type; null: there is none.
const SeenFrame* FindFrame(const std::vector<SeenFrame>& frames, std::uint8_t type);

/// The `grpc-status` among the headers of `stream`; -1: there is none.
int StatusIn(const std::vector<SeenFrame>& frames, std::uint32_t stream = 1);

/// The code of the GOAWAY or RST_STREAM among them; -1: there is none.
int ErrorIn(const std::vector<SeenFrame>& frames, std::uint8_t type);

/// A frame of any type.
std::string Frame(int type, int flags, std::uint32_t stream, std::string_view payload = {});

/// What a client says first.
std::string Greeting(std::string_view settings = {});

/// The frames of a call: headers, and a last message if there is one.
std::string CallHeaders(std::uint32_t stream, std::string_view more = {}, bool last = false);
std::string WholeCall(std::uint32_t stream, std::string_view message = "hello");

/// A message with gRPC's head in front.
std::string Message(std::string_view bytes, bool compressed = false);

/// An integer of HPACK whose prefix has `bits` bits, with `first` in front of it.
std::string HpackNumber(std::uint64_t number, int bits, std::uint8_t first);

/// A header of any length, not compressed, not kept or (`kept`) put into the table.
std::string LongLiteral(std::string_view name, std::string_view value, bool kept = false);

}  // namespace twofold::h2
