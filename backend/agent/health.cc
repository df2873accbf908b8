#include "backend/agent/health.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "backend/workload/after.h"
#include "lib/http/router.h"

namespace twofold::backend {

http::Response Healthz(Duration since_last_turn) {
  if (since_last_turn < Health::kHung) return http::PlainText(200, "ok\n");
  return http::PlainText(
      503, absl::StrCat("the main loop has not turned for ", ToSeconds(since_last_turn), " s\n"));
}

Result<std::unique_ptr<Health>> Health::Start(boost::asio::io_context& io, const HostPort& address,
                                              std::function<bool()> registered,
                                              http::ServerOptions options) {
  std::unique_ptr<Health> health(new Health(io));
  health->Turn();
  const auto healthz = [self = health.get()](const http::Request&) {
    return Healthz(Now() - self->last_turn_.load());
  };
  const auto readyz = [registered = std::move(registered)](const http::Request&) {
    return registered() ? http::PlainText(200, "ok\n")
                        : http::PlainText(503, "not registered at the frontend\n");
  };
  auto server = http::Server::Start(
      address, http::Router({{"GET", "/healthz", healthz}, {"GET", "/readyz", readyz}}),
      std::move(options));
  if (!server.ok()) return server.status();
  health->server_ = *std::move(server);
  return health;
}

void Health::Turn() {
  last_turn_ = Now();
  After(timer_, std::chrono::seconds(1), [this] { Turn(); });
}

}  // namespace twofold::backend
