#pragma once

#include "lib/http/message.h"
#include "lib/security/tokens.h"

namespace twofold::client {

/// The roles that may make a request to the client's HTTP: health is open, pages that change
/// nothing also allow read-only, and everything else is for clients and admins.
security::Roles RolesOfPage(const http::Request& request);

}  // namespace twofold::client
