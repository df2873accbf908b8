#include "backend/agent/health.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "lib/http/router.h"

namespace twofold::backend {

http::Response Healthz(Duration since_last_turn) {
  if (since_last_turn < Health::kHung) return http::PlainText(200, "ok\n");
  return http::PlainText(
      503, absl::StrCat("the main loop has not turned for ", ToSeconds(since_last_turn), " s\n"));
}

http::Response Readyz(bool registered) {
  if (registered) return http::PlainText(200, "ok\n");
  return http::PlainText(503, "not registered at the frontend\n");
}

Result<std::unique_ptr<Health>> Health::Start(boost::asio::io_context& io, const HostPort& address,
                                              std::function<bool()> registered,
                                              http::ServerOptions options) {
  std::unique_ptr<Health> health(new Health(io));
  health->Turn();
  auto server =
      http::Server::Start(address,
                          http::Router({
                              {"GET", "/healthz",
                               [self = health.get()](const http::Request&) {
                                 return Healthz(Now() - self->last_turn_.load());
                               }},
                              {"GET", "/readyz",
                               [registered = std::move(registered)](const http::Request&) {
                                 return Readyz(registered());
                               }},
                          }),
                          std::move(options));
  if (!server.ok()) return server.status();
  health->server_ = *std::move(server);
  return health;
}

void Health::Turn() {
  last_turn_ = Now();
  timer_.expires_after(std::chrono::seconds(1));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Turn();
  });
}

}  // namespace twofold::backend
