#pragma once

#include <string>
#include <string_view>

#include "lib/common/no_proxy.h"
#include "lib/common/result.h"
#include "lib/http/client_connection.h"
#include "lib/http/url.h"

namespace twofold::http {

/// Reads http://[user:password@]host[:port]; the port is 80 if left out.
///
/// Errors   kInvalidArgument: no such URL, or another kind of proxy, which is named. Nothing else
/// of
///          the URL is told, as it may have a password.
Result<Proxy> ParseProxy(const std::string& url);

/// The URL of the proxy that the environment asks for: HTTPS_PROXY or HTTP_PROXY by the server's
/// scheme, in either case of letters, unless the server GoesDirect by NO_PROXY; empty: none.
///
/// Source   golang.org/x/net/http/httpproxy, which kubectl uses.
std::string ProxyOfEnvironment(const Url& server, const Variables& variable);

}  // namespace twofold::http
