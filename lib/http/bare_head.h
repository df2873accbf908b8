#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twofold::http {

/// Rewrites heads of requests whose lines end in LF alone, as people keep them in files and send
/// them with netcat. RFC 9112 (2.2) lets a server accept these, but Beast does not.
///
/// The first line decides for the whole head: if it ends in CRLF, a bare LF further down is left
/// for the parser to refuse. So a head from a proxy, which ends its lines in CRLF, never
/// means more to us than to the proxy. Bodies and chunks are not touched. Private to lib/http.
class BareHead {
 public:
  /// Whether the first line of `received` ends in LF alone; false if it has not ended yet.
  static bool Begins(std::string_view received);

  /// Appends the part of `received` that belongs to the head to `head`, with lines ending in CRLF.
  /// Returns how many bytes of `received` that was: fewer than all if the head ends before.
  std::size_t Take(std::string_view received, std::string& head);

 private:
  bool done_ = false;
  std::string line_;  // so far, as received
};

}  // namespace twofold::http
