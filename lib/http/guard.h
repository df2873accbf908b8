#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/http/message.h"
#include "lib/security/gate.h"
#include "lib/security/tokens.h"

/// Who may make a request. Servers without tokens are protected as well, from pages that somebody
/// on this network looks at: a page can make a browser send a request anywhere. Programs that send
/// no browser headers (curl, scripts, Prometheus) are not affected.
namespace twofold::http {

/// Whether a page of another site has caused the request: by Sec-Fetch-Site, which browsers send to
/// https and to localhost; else by Origin or Referer. A page that suppresses these, in a
/// browser without Sec-Fetch-Site, looks like curl.
bool IsFromOtherSite(const Request& request);

/// Whether the header Host names a server that only this machine can reach: by address, by a name
/// without a dot, *.localhost or `own_name`. An attacker may have made any other name point
/// here (DNS rebinding), so that a browser takes our answers for that site's.
bool IsLocalHost(const std::string& host, const std::string& own_name);

/// Wraps `handler` for requests whose Host IsLocalHost; others get 421.
Handler ForLocalHosts(std::string own_name, Handler handler);

/// The roles that may make a request.
using RolesOf = std::function<security::Roles(const Request&)>;

/// Wraps `handler` for the peers that may call it. Others get 401 (no known token) or 403 (another
/// role, or no certificate where `asks_certificate`), and `gate` counts them. Open requests need no
/// certificate either: health checks have neither.
///
/// A request that read-only may not make changes something, so pages of other sites get 403 for it,
/// with or without tokens (IsFromOtherSite).
Handler Guard(std::shared_ptr<security::Gate> gate, bool asks_certificate, RolesOf roles,
              Handler handler);

/// Says who makes the request: {"roles": ["admin"], "tokens": whether one is required}. `otherwise`
/// is the role of who needs no token. `gate` null: nobody does.
Response WhoAsks(const security::Gate* gate, security::Role otherwise, const Request& request);

}  // namespace twofold::http
