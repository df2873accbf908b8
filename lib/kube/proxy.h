#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lib/common/result.h"
#include "lib/http/client_connection.h"
#include "lib/http/url.h"

namespace twofold::kube {

/// Reads http://[user:password@]host[:port]; the port is 80 if left out.
///
/// Errors   kInvalidArgument: no such URL, or another kind of proxy, which is named. Nothing else
/// of
///          the URL is told, as it may have a password.
Result<http::Proxy> ParseProxy(const std::string& url);

/// Whether a host, by name or address, is this machine: nobody else hears what is said to it.
bool IsThisMachine(const std::string& host);

/// The URL of the proxy that the environment asks for: HTTPS_PROXY or HTTP_PROXY by the server's
/// scheme, in either case of letters, unless NO_PROXY has the server; empty: none. NO_PROXY lists
/// names with all below them, addresses, networks (10.0.0.0/8), or `*`. This machine is never
/// reached through a proxy.
///
/// Source   golang.org/x/net/http/httpproxy, which kubectl uses.
std::string ProxyOfEnvironment(const http::Url& server,
                               const std::function<std::string(const std::string&)>& variable);

}  // namespace twofold::kube
