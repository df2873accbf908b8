#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/googletest.h"

namespace twofold::testing {

/// A peer that makes its HTTP/2 frames by hand, so that it can send what no library would. On
/// loopback. Every wait ends after 30 s at most.
class Http2Peer {
 public:
  /// Types and flags of frames (RFC 9113).
  enum Type : std::uint8_t {
    kData = 0,
    kHeaders = 1,
    kReset = 3,
    kSettings = 4,
    kPing = 6,
    kContinuation = 9
  };
  enum Flag : std::uint8_t { kNone = 0, kAck = 1, kEndStream = 1, kEndHeaders = 4 };

  /// What to show in a handshake; both empty: nothing. PEM texts.
  struct Tls {
    std::string cert;
    std::string key;
  };

  /// Connects from `host`, an address of loopback; with `tls` over TLS, whose server is not
  /// checked.
  explicit Http2Peer(std::uint16_t port, const Tls* tls = nullptr,
                     const std::string& host = "127.0.0.1");
  ~Http2Peer();
  Http2Peer(const Http2Peer&) = delete;
  Http2Peer& operator=(const Http2Peer&) = delete;

  /// Waits end after so long, in place of 30 s.
  void SetPatience(std::chrono::milliseconds patience);

  /// The common name in the server's certificate. REQUIRES: TLS.
  std::string ServerName() const;

  /// False: the server has closed, or takes nothing any more.
  bool Send(std::string_view bytes);

  /// The preface, and settings that have the server name each header in full.
  bool Greet();

  /// A whole unary call: headers (with `more`, see Literal) and one message. Stream 1, 3, 5 ...
  bool Call(std::string_view path, std::string_view more = {}, std::string_view message = {},
            bool compressed = false);

  /// The next frame, whole; "": the server has closed.
  std::string ReadFrame();

  /// How the next call has ended; -1: the server has closed. `data` is what came with it.
  int ReadStatus(std::string* data = nullptr);

  /// Whether the server has closed, now or within `patience`. What it sends is dropped.
  bool IsClosed(std::chrono::milliseconds patience);

  static std::string Frame(Type type, std::uint8_t flags, std::uint32_t stream,
                           std::string_view payload);
  /// A header that is neither compressed nor kept (HPACK).
  static std::string Literal(std::string_view name, std::string_view value);
  /// The block of a request: what gRPC asks for, then `more`.
  static std::string Request(std::string_view path, std::string_view more = {});
  /// `count` calls that are each taken back at once; the streams are `first`, `first` + 2 ...
  static std::string Resets(std::string_view path, std::uint32_t first, int count);
  /// About 16 KB of short headers, for a frame of a block that goes on.
  static std::string ManyHeaders();
  /// A number as HTTP/2 has it, `bytes` long.
  static std::string Number(std::uint32_t number, int bytes = 4);

 private:
  struct Secured;
  struct Inflater;
  long Read(char* into, std::size_t size);
  bool Receive();
  std::string StatusIn(std::string_view block);

  int socket_ = -1;
  std::unique_ptr<Secured> secured_;
  std::uint32_t stream_ = 1;
  std::unique_ptr<Inflater> inflater_;
  std::string received_;  // frames that have not been looked at
};

/// The status of a health check over a connection of its own: 0 is that of a server that is well.
int HealthStatus(std::uint16_t port, const Http2Peer::Tls* tls = nullptr);

}  // namespace twofold::testing
