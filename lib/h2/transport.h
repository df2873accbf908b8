#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "lib/common/descriptors.h"

namespace twofold::h2 {

/// What came of moving bytes without blocking.
struct Moved {
  enum class State {
    kDone,       ///< `bytes` were moved, one at least
    kMustRead,   ///< nothing was: try again when the socket can be read
    kMustWrite,  ///< nothing was: try again when the socket can be written
    kClosed,     ///< the peer sends nothing any more
    kFailed,     ///< `why`
  };

  State state = State::kDone;
  std::size_t bytes = 0;
  std::string why = {};
};

/// Bytes over a socket that does not block: as they are, or over TLS (lib/h2/tls.h).
class Transport {
 public:
  virtual ~Transport() = default;

  /// To be called until it is kDone, before anything else.
  virtual Moved Handshake() = 0;
  virtual Moved Read(char* to, std::size_t size) = 0;
  virtual Moved Write(std::string_view bytes) = 0;
  /// Bytes that Read has without the socket's becoming readable again.
  [[nodiscard]] virtual std::size_t pending() const { return 0; }
};

/// Whether errno says that a call on a socket may be tried again later.
bool WouldBlock(int error);

/// Over TCP as it is. Its handshake is the end of connect(). `socket` outlives it.
std::unique_ptr<Transport> PlainTransport(int socket);

}  // namespace twofold::h2
