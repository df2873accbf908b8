#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twofold::http {

/// Heads of requests whose lines end in LF alone, as people keep them in files and send them with
/// netcat. RFC 9112 (2.2) lets a server take these; Beast does not, so they are rewritten first.
///
/// The first line decides for the whole head: if it ends in CRLF, a bare LF further down is left
/// for the parser to refuse. So what passed through a proxy, which ends its lines in CRLF, never
/// means more to us than to the proxy. Bodies and chunks are not touched. Private to lib/http.
class BareHead {
 public:
  /// Whether the first line of `received` ends in LF alone; false if it has not ended yet.
  static bool Begins(std::string_view received);

  /// Moves on: appends to `head` what of `received` belongs to it, its lines ending in CRLF.
  /// Returns how many bytes of `received` these were; fewer than all if the head ends before.
  std::size_t Take(std::string_view received, std::string& head);

 private:
  bool done_ = false;
  std::string line_;  // so far, as received
};

}  // namespace twofold::http
