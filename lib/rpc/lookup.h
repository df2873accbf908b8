#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <vector>

#include "lib/common/address.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::rpc {

/// One address of a server.
struct ResolvedAddress {
  HostPort contact;  ///< as it was written
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

/// The addresses that the system knows for a host. What is an address itself is not looked up.
///
/// The system cannot be told to give a lookup up, and a silent name server makes one last for tens
/// of seconds: each has a thread of its own, which may outlive this call. Calls for the same
/// contact share one, unless it is a second old: the name server may be back by then, and answers a
/// new one at once. So there are some tens of threads for a contact at most, however many calls
/// there are.
///
/// Threads  Safe. Blocks until `until` at most.
/// Errors   kUnavailable: what the system says, or that it says nothing.
Result<std::vector<ResolvedAddress>> LookUp(const HostPort& contact, Instant until);

}  // namespace twofold::rpc
