#pragma once

#include <nghttp2/nghttp2.h>

#include "lib/h2/account.h"

namespace twofold::h2 {

/// The allocator of a session of nghttp2: what it takes is charged to `account`, and it gets
/// nothing that the account does not admit. `account` outlives the session.
nghttp2_mem CountedMemory(Account& account);

}  // namespace twofold::h2
