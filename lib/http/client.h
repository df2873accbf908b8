#pragma once

#include <string>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/http/message.h"
#include "lib/security/client.h"

namespace twofold::http {

/// Makes one request on a new connection and waits for the answer. For the command line and tests.
///
/// `url` is http://host[:port]/path?query, its parts percent-encoded; the port is 80 if left out.
/// With https:// it is 443, and `security` says whom to trust: its CA, else those of this system.
/// Its token is sent in any case, and its proxy is asked for a connection. `timeout` covers
/// connecting, sending and receiving, but not looking up a name.
///
/// Threads  Blocks. Calls share nothing.
/// Errors   kInvalidArgument: the URL. kDeadlineExceeded: no answer in time. kUnavailable: nobody
///          there, the TLS handshake failed, or the answer is not HTTP or longer than 64 MiB.
///          Any status that the server answers, 500 too, is a Response.
Result<Response> Get(const std::string& url, Duration timeout,
                     const security::Client& security = {});
Result<Response> Delete(const std::string& url, Duration timeout,
                        const security::Client& security = {});

/// With a JSON body.
Result<Response> Put(const std::string& url, std::string json, Duration timeout,
                     const security::Client& security = {});
Result<Response> Post(const std::string& url, std::string json, Duration timeout,
                      const security::Client& security = {});

}  // namespace twofold::http
