#pragma once

#include <functional>
#include <memory>

#include "lib/http/message.h"
#include "lib/security/gate.h"
#include "lib/security/tokens.h"

namespace twofold::http {

/// The roles that may make a request.
using RolesOf = std::function<security::Roles(const Request&)>;

/// Wraps `handler` for the peers that may call it. Others get 401 (no known token) or 403 (another
/// role, or no certificate where `asks_certificate`), and `gate` counts them. Open requests need no
/// certificate either: health checks have neither.
///
/// A request that read-only may not make changes something, so pages of other sites get 403 for it,
/// with or without tokens (lib/http/origin.h).
Handler Guard(std::shared_ptr<security::Gate> gate, bool asks_certificate, RolesOf roles,
              Handler handler);

}  // namespace twofold::http
