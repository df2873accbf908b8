#pragma once

#include <nghttp2/nghttp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace twofold::h2 {

/// The last frames of a connection in both directions, for people who look for what went wrong.
/// nghttp2 tells neither of a frame that it ignores (of a type that it does not know) nor of one
/// whose head alone ends the connection: the reason of the end names that.
///
/// Threads  Not thread-safe.
/// Cost     400 bytes; a few stores a frame.
class LastFrames {
 public:
  enum class Way : std::uint8_t { kIn, kOut };

  void Add(Way way, const nghttp2_frame_hd& head);

  /// The frame that came in last breaks the protocol.
  void MarkInvalid(const nghttp2_frame_hd& head);

  /// In one line, oldest first: "in HEADERS stream 1 34 bytes END_STREAM|END_HEADERS; out ...".
  [[nodiscard]] std::string Text() const;

 private:
  static constexpr std::size_t kMost = 32;
  struct Seen {
    std::uint32_t bytes;  // of the payload
    std::int32_t stream;
    std::uint8_t type;
    std::uint8_t flags;
    Way way;
    bool invalid;
  };
  Seen* Newest(Way way);
  static std::string Describe(const Seen& frame);

  std::array<Seen, kMost> frames_{};
  std::size_t added_ = 0;  // since the beginning
};

}  // namespace twofold::h2
