#include "lib/metrics/page.h"

#include <absl/strings/str_cat.h>

#include <CLI/App.hpp>
#include <utility>

#include "lib/common/address.h"
#include "lib/common/options.h"
#include "lib/common/program.h"
#include "lib/http/router.h"
#include "lib/metrics/family.h"
#include "lib/security/server.h"

namespace twofold::metrics {
namespace {

/// HOST:PORT, with the port that it was given.
std::string PlaceOf(const PageOptions& options, const http::Server& server) {
  const auto address = ParseAddress(options.http_address);
  const std::string host =
      address.ok() && !address->host.empty() ? address->host : std::string("127.0.0.1");
  return ToString({host, server.port()});
}

}  // namespace

void Declare(CLI::App& app, PageOptions& options, const std::string& ready) {
  AddOption(app, "--http-address", options.http_address, ListenAddress(),
            "Where to serve /metrics and /healthz; :PORT = all interfaces, port 0 = any free one");
  security::DeclareCertificate(app, options.http_security, "http-");
  app.add_option("--ready-file", options.ready_file,
                 "Write {\"pid\", \"http\"} there once " + ready);
}

Result<std::unique_ptr<http::Server>> ServePage(const PageOptions& options, Families families) {
  const auto security = security::Open(options.http_security);
  if (!security.ok()) return security.status();
  const auto address = ParseAddress(options.http_address);
  if (!address.ok()) return address.status();
  const auto metrics = [families = std::move(families)](const http::Request&) {
    const auto all = families();
    return all ? Page(*all) : http::PlainText(503, "not yet\n");
  };
  const auto healthz = [](const http::Request&) { return http::PlainText(200, "ok\n"); };
  http::ServerOptions server;
  server.tls = security->tls;
  auto started = http::Server::Start(
      *address, http::Router({{"GET", "/metrics", metrics}, {"GET", "/healthz", healthz}}), server);
  if (started.ok()) return started;
  return absl::InvalidArgumentError(
      absl::StrCat("--http-address: ", std::string(started.status().message())));
}

std::string UrlOf(const PageOptions& options, const http::Server& server) {
  return absl::StrCat(options.http_security.cert.empty() ? "http://" : "https://",
                      PlaceOf(options, server));
}

Status TellReady(const PageOptions& options, const http::Server& server) {
  if (options.ready_file.empty()) return absl::OkStatus();
  const Status written = WriteReadyFile(options.ready_file, {{"http", PlaceOf(options, server)}});
  if (written.ok()) return written;
  return {written.code(), absl::StrCat("--ready-file: ", std::string(written.message()))};
}

}  // namespace twofold::metrics
