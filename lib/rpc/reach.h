#pragma once

#include <memory>
#include <string>

#include "lib/common/descriptors.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/h2/tls.h"
#include "lib/security/client.h"

namespace twofold::rpc {

/// A connection to a server on which nothing has been said yet.
struct Reached {
  Descriptor socket;  ///< does not block, and the kernel watches it (KeepTcpAlive)
  std::string host;   ///< the server's, as its address says
  std::string authority;
  std::shared_ptr<const h2::Tls> tls = nullptr;  ///< to be spoken; null: plain text
};

/// Looks the server's name up, and connects to the first of its addresses, or of a list of contacts
/// (Contacts()), that lets it; a further one is tried when one before has said nothing for a
/// quarter of a second. Through the proxy of `security`, if it has one: that is asked for the first
/// contact.
///
/// Threads  Blocks until `until` at most.
/// Errors   kUnavailable: the address, and what the system, the proxy or TLS says.
Result<Reached> Reach(const std::string& contacts, const security::Client& security, Instant until);

}  // namespace twofold::rpc
