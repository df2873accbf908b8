#include "tests/lib/http/test_server.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "lib/http/router.h"

namespace twofold::http {

std::unique_ptr<Server> StartTestServer(ServerOptions options) {
  Router router({
      {"GET", "/", [](const Request&) { return PlainText(200, "hello"); }},
      {"POST", "/echo", [](Request request) { return PlainText(200, std::move(request.body)); }},
      {"DELETE", "/nothing", [](const Request&) { return PlainText(204, ""); }},
      {"GET", "/throw", [](const Request&) -> Response { throw std::runtime_error("oops"); }},
      {"GET", "/big", [](const Request&) { return PlainText(200, std::string(kBig, 'x')); }},
  });
  return Server::Start({"127.0.0.1", 0}, std::move(router), options).value();
}

}  // namespace twofold::http
