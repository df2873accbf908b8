#pragma once

#include <string>

#include "lib/http/message.h"

/// Protects servers without tokens from pages that somebody on this network looks at: a page can
/// make a browser send a request anywhere. Programs that send no browser headers (curl, scripts,
/// Prometheus) are not affected.
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

}  // namespace twofold::http
