#pragma once

#include <functional>
#include <memory>

#include "lib/http/message.h"
#include "lib/security/gate.h"
#include "lib/security/tokens.h"

namespace twofold::http {

/// Which roles may make a request.
using RolesOf = std::function<security::Roles(const Request&)>;

/// `handler`, for those who may call it. Others get 401 (no known token) or 403 (another role, or
/// no certificate where `asks_certificate`), and are counted by `gate`. What is open to all is so
/// without a certificate, too: health checks have neither.
///
/// What `roles` does not give to read-only changes something, so pages of other sites get 403 for
/// it, with or without tokens (lib/http/origin.h).
Handler Guard(std::shared_ptr<security::Gate> gate, bool asks_certificate, RolesOf roles,
              Handler handler);

}  // namespace twofold::http
