#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every number that bounds a peer: what it may make this process hold, how often it may do what
/// brings nothing forward, how long it may let this process wait.
namespace twofold::h2 {

/// Of one connection, server's or client's side.
struct Limits {
  // ---- bytes

  /// One message, in both directions: what is larger ends its call with kResourceExhausted.
  std::size_t message_bytes = 4 << 20;
  /// Decoded metadata of one call, as HTTP/2 counts it: name, value and 32 for each header. A few
  /// bytes of HPACK can name a header of 4 KB again and again, so the decoded bytes count.
  std::size_t header_bytes = 16 << 10;
  /// A peer that sends so many times `header_bytes` in one call means harm: its connection ends.
  /// So does that of one whose name or value has more than nghttp2's own 64 KiB, at once, with
  /// COMPRESSION_ERROR.
  std::size_t header_excess = 16;
  /// What a peer may send on one stream, and on all streams together, before it is read. One
  /// largest message fits a stream's window, so it comes in one round trip.
  std::int32_t stream_window = 4 << 20;
  std::int32_t connection_window = 16 << 20;
  /// The largest frame that is taken. Larger than HTTP/2's default of 16 KiB, so that a batch is
  /// few frames.
  std::uint32_t frame_bytes = 256 << 10;
  /// The largest DATA frame that is sent: a batch of lib/rpc fits, so the other side reads it from
  /// where it lies. nghttp2 keeps a buffer of the size of the largest one, and fills none but
  /// its first bytes.
  std::size_t sent_frame_bytes = 34 << 10;
  /// What is collected for the socket at once: one that takes nothing makes us hold no more.
  std::size_t write_bytes = 256 << 10;
  /// The same of a peer that has been of no use: what it asks for delays nobody's messages.
  std::size_t write_bytes_of_no_use = 8 << 10;
  /// What an open stream is charged beside what it holds: the objects of session and service. What
  /// nghttp2 allocates for it is charged as it is allocated.
  std::size_t stream_bytes = 1 << 10;
  /// What a connection over TLS is charged for OpenSSL's objects.
  std::size_t tls_bytes = 20 << 10;

  // ---- counts

  /// Calls at once. A peer hears of it in SETTINGS and keeps further ones at its side. Those that
  /// it begins before it has acknowledged that are refused before any service sees them; after
  /// that, one too many ends the connection.
  std::uint32_t streams = 1024;
  /// Frames that break the protocol of one stream; one more ends the connection.
  std::uint32_t glitches = 100;
  /// Answers to PING and SETTINGS that may wait for a peer that reads nothing.
  std::size_t waiting_acks = 200;
  /// Entries of a SETTINGS frame. HTTP/2 and its extensions know about ten.
  std::size_t settings_entries = 32;
  /// CONTINUATION frames of one block; `header_bytes` fit one frame.
  std::size_t continuations = 8;

  // ---- frames a second

  /// Frames that bring nothing forward (see FrameCost) are paid from a purse: it has `idle_frames`
  /// at most, gains `idle_frames_a_second`, and `idle_frames_a_data` for each DATA frame that is
  /// sent, since a peer that reads answers these with WINDOW_UPDATE and PING.
  double idle_frames = 2000;
  double idle_frames_a_second = 500;
  double idle_frames_a_data = 4;

  // ---- seconds

  /// From the connection to the peer's preface, and to its acknowledgement of SETTINGS: before it,
  /// the limits above bind nobody.
  std::chrono::milliseconds greeting{10'000};
  /// From the first frame of a block of headers to its last.
  std::chrono::milliseconds header_block{10'000};
  /// After such a silence the peer is asked for a sign of life, and has so long to give one.
  std::chrono::milliseconds silence{30'000};
  std::chrono::milliseconds sign_of_life{20'000};
  /// A peer whose socket takes nothing for so long, though something waits for it, is gone.
  std::chrono::milliseconds unread{60'000};
  /// A connection without a call ends. 0: never.
  std::chrono::milliseconds idle{0};
  /// A connection so old, a tenth more or less, takes no more calls, and after `age_patience` those
  /// that go on end: their callers connect anew, perhaps to another server. 0: never.
  std::chrono::milliseconds age{0};
  std::chrono::milliseconds age_patience{10'000};
  /// Between the two GOAWAY frames of an end in order, if the peer acknowledges no PING.
  std::chrono::milliseconds last_calls{1'000};
};

/// What all connections together may make this process hold, in bytes.
struct Budgets {
  /// The memory of a process that these budgets are for; rpc::BudgetsOf scales them for others.
  static constexpr std::uint64_t kMemory = 256 << 20;

  std::size_t connection = 24 << 20;  ///< more than `connection_window`: unread calls fit
  std::size_t host = 64 << 20;
  std::size_t all = 96 << 20;
};

/// Of a server.
struct ServerLimits {
  Limits connection;
  std::size_t connections = 20'000;      ///< at once
  std::size_t of_host = 20'000;          ///< connections of one host at once
  std::chrono::milliseconds pause{100};  ///< after the system could not accept (no descriptors)
  /// Handshakes of TLS at once. The oldest one of the host that has most makes room for a further
  /// one, so that peers who begin handshakes and do not go on keep nobody out. Each has
  /// Limits::greeting.
  std::size_t handshakes = 512;
  /// Steps of handshakes in one turn of the loop, each some 0.3 to 1 ms of one core.
  int handshakes_a_turn = 4;
  int accepts_a_turn = 64;  ///< so that many who connect delay nobody's messages
};

}  // namespace twofold::h2
