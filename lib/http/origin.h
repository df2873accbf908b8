#pragma once

#include <string>

#include "lib/http/message.h"

/// Protection of servers without tokens from pages that somebody on this network looks at: a
/// browser sends a request wherever a page asks it to. What sends no headers of a browser (curl,
/// scripts, Prometheus) is not concerned.
namespace twofold::http {

/// Whether a page of another site has caused the request: by Sec-Fetch-Site, which browsers send to
/// https and to localhost; else by Origin or Referer. A page that suppresses the latter, in a
/// browser that does not send the former, cannot be told from curl.
bool IsFromOtherSite(const Request& request);

/// Whether the header Host names a server that only this machine can reach: by address, by a name
/// without a dot, *.localhost or `own_name`. Any other name belongs to somebody who made it point
/// here (DNS rebinding), so that a browser takes our answers for that site's.
bool IsLocalHost(const std::string& host, const std::string& own_name);

/// `handler`, for requests whose Host IsLocalHost; others get 421.
Handler ForLocalHosts(std::string own_name, Handler handler);

}  // namespace twofold::http
