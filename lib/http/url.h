#pragma once

#include <string>
#include <string_view>

#include "lib/common/address.h"
#include "lib/common/result.h"

namespace twofold::http {

/// The address of something on a server, taken apart.
struct Url {
  bool tls = false;       ///< https
  HostPort server;        ///< with the scheme's port if none is written
  std::string authority;  ///< as in the URL, for the header Host
  std::string target;     ///< from the first '/', which is added if missing; percent-encoded
};

/// Reads http://host[:port]/path?query or https, its parts percent-encoded.
///
/// Errors   kInvalidArgument: the text and what is allowed. No user, no fragment.
Result<Url> ParseUrl(std::string_view text);

}  // namespace twofold::http
