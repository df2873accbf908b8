#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace twofold::h2 {

/// Why a connection ended or did not begin, for those who count.
enum class Cause : std::uint8_t {
  kInOrder,            ///< it was over, or the peer has gone while no call was under way
  kLost,               ///< the peer has gone during calls, or gave no sign of life
  kShutdown,           ///< the server ended before it was over
  kHandshake,          ///< TLS: no agreement, or a certificate that is not trusted
  kTooManyHandshakes,  ///< at once; this was the oldest of its host
  kTooSlow,            ///< no handshake, greeting or end of headers in time
  kTooOld,             ///< its calls went on after Limits::age and Limits::age_patience
  kUnread,             ///< the peer did not read what waited for it
  kProtocol,           ///< the peer broke HTTP/2, or speaks something else
  kFlood,              ///< frames that bring nothing forward, metadata without end
  kMemory,             ///< connection, host or all held more than they may: see Ledger::Settle
  kMadeRoom,           ///< for a newcomer at a limit of connections: see ConnectionCount
  kTooMany,            ///< the host has as many connections as it may
  kNoRoom,             ///< all have as many as they may, or the system has no room for one more
};
/// Of the metric, so they stay as they are.
inline constexpr std::array<std::string_view, 14> kCauseNames = {
    "in_order", "lost",     "shutdown", "handshake", "too_many_handshakes", "too_slow", "too_old",
    "unread",   "protocol", "flood",    "memory",    "made_room",           "too_many", "no_room"};

/// Whether such a peer takes more than its share from others.
constexpr bool IsHarm(Cause cause) {
  return cause == Cause::kTooManyHandshakes || cause == Cause::kUnread || cause == Cause::kFlood ||
         cause == Cause::kMemory || cause == Cause::kMadeRoom;
}

/// How a connection ended or did not begin. The texts are there during the call that tells of it.
struct Closing {
  Cause cause = Cause::kInOrder;
  std::string_view why;          ///< in words; empty: it was over
  std::string_view frames = {};  ///< the last ones, in words, if they were kept; not kInOrder
};

/// How often connections were closed, by cause.
///
/// Threads  Safe.
class ClosingCounts {
 public:
  void Count(Cause cause) { ++counts_[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] std::uint64_t of(Cause cause) const {
    return counts_[static_cast<std::size_t>(cause)];
  }

 private:
  std::array<std::atomic<std::uint64_t>, kCauseNames.size()> counts_{};
};

}  // namespace twofold::h2
