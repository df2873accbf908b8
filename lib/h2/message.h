#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// gRPC's messages inside DATA: a byte that says whether the message is compressed, its size in
/// four bytes, its bytes.
namespace twofold::h2 {

inline constexpr std::size_t kMessageHead = 5;

/// Takes the messages that a stream is about to send, into the buffer that is sent.
class MessageWriter {
 public:
  /// `most`: bytes of one message. `enough`: see full().
  MessageWriter(std::string& out, std::size_t most, std::size_t enough)
      : out_(out), begin_(out.size()), most_(most), enough_(enough) {}

  /// Adds a message of `size` bytes, which `write(char* to)` writes. False: it is too large for any
  /// peer; nothing is added, and the call ends with kResourceExhausted.
  template <typename Write>
  bool Add(std::size_t size, Write&& write) {
    if (size > most_) {
      refused_ = true;
      return false;
    }
    const std::size_t at = out_.size();
    out_.resize(at + kMessageHead + size);
    char* const to = out_.data() + at;
    to[0] = 0;
    for (std::size_t i = 0; i < 4; ++i) to[1 + i] = static_cast<char>(size >> (24 - 8 * i));
    write(to + kMessageHead);
    return true;
  }

  bool Add(std::string_view bytes) {
    return Add(bytes.size(), [bytes](char* to) { bytes.copy(to, bytes.size()); });
  }

  /// What was added fills a write: the rest waits for the next Pull, as it would be held twice.
  [[nodiscard]] bool full() const { return bytes() >= enough_; }
  [[nodiscard]] std::size_t bytes() const { return out_.size() - begin_; }
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  std::string& out_;
  const std::size_t begin_;
  const std::size_t most_;
  const std::size_t enough_;
  bool refused_ = false;
};

/// A message's head, as it came.
struct MessageHead {
  bool compressed = false;
  std::size_t size = 0;
};

/// REQUIRES: `bytes` has kMessageHead bytes at least.
inline MessageHead ReadMessageHead(std::string_view bytes) {
  MessageHead head{.compressed = bytes[0] != 0};
  for (std::size_t i = 1; i < kMessageHead; ++i) {
    head.size = head.size << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  return head;
}

}  // namespace twofold::h2
