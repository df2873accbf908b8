#pragma once

#include <string>

#include "lib/common/address.h"
#include "lib/common/result.h"

namespace twofold::backend {

/// The IP address of ours from which packets go to `peer`: one under which hosts on that side reach
/// us, unless something translates addresses in between.
///
/// Errors   kUnavailable: the name cannot be looked up, or there is no route.
/// Cost     Looks the name up, so it may block for seconds; sends nothing to the peer.
Result<std::string> AddressTowards(const HostPort& peer);

}  // namespace twofold::backend
