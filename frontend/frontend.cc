#include "frontend/frontend.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <set>

#include "frontend/access.h"
#include "frontend/web.h"
#include "lib/common/address.h"
#include "lib/http/guard.h"
#include "lib/rpc/listen.h"

namespace twofold::frontend {
namespace {

// Streams have so long to end by themselves when the frontend stops.
constexpr auto kStopGrace = std::chrono::milliseconds(200);

Status CheckNames(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    return absl::InvalidArgumentError(absl::StrCat("QUEUE: '", name, "' is named twice"));
  }
  return absl::OkStatus();
}

void WarnIfExposed(const Options& options, const security::Server& security) {
  for (const auto& address :
       {options.client_address, options.worker_address, options.http_address}) {
    const std::string warning = security::Warning(security, address);
    if (!warning.empty()) spdlog::warn(warning);
  }
}

void Stop(std::unique_ptr<grpc::Server>& server) {
  if (server) server->Shutdown(std::chrono::system_clock::now() + kStopGrace);
}

}  // namespace

Result<std::unique_ptr<Frontend>> Frontend::Start(const Options& options) {
  if (Status status = CheckNames(options.queues); !status.ok()) return status;
  Result<security::Server> security = security::Open(options.security);
  if (!security.ok()) return security.status();
  WarnIfExposed(options, *security);
  std::unique_ptr<Frontend> frontend(new Frontend(options, *std::move(security)));
  if (Status status = frontend->Serve(options); !status.ok()) return status;
  return frontend;
}

Frontend::Frontend(const Options& options, security::Server security)
    : security_(std::move(security)),
      client_gate_(std::make_shared<security::Gate>("client", security_.tokens)),
      worker_gate_(std::make_shared<security::Gate>("worker", security_.tokens)),
      http_gate_(std::make_shared<security::Gate>("http", security_.tokens)),
      client_calls_(options.peer_calls, *client_gate_),
      worker_calls_(options.peer_calls, *worker_gate_),
      queues_(options.queues, QueueOptions(options), std::random_device{}()),
      clients_(queues_, client_calls_),
      admin_(queues_),
      workers_(queues_, worker_calls_) {}

Status Frontend::Serve(const Options& options) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  auto clients = rpc::Listen(options.client_address, {&clients_, &admin_},
                             {security_, client_gate_, RolesOfMethod});
  if (!clients.ok()) return clients.status();
  client_server_ = std::move(clients->server);
  client_address_ = clients->address;

  auto workers =
      rpc::Listen(options.worker_address, {&workers_}, {security_, worker_gate_, RolesOfMethod});
  if (!workers.ok()) return workers.status();
  worker_server_ = std::move(workers->server);
  worker_address_ = workers->address;

  ticker_ = std::make_unique<Ticker>(
      queues_, std::min(FromSeconds(options.lease), FromSeconds(options.grace)),
      FromSeconds(options.log_interval));
  return ServeHttp(options);
}

Status Frontend::ServeHttp(const Options& options) {
  Result<HostPort> address = ParseAddress(options.http_address);
  if (!address.ok()) return address.status();
  http_host_ = address->host;
  const http::Handler web = MakeWeb(queues_, [this] { return clients_.clients(); },
                                    {client_gate_.get(), worker_gate_.get(), http_gate_.get()});
  auto http = http::Server::Start(
      *address, http::Guard(http_gate_, security_.asks_certificate, RolesOfPage, web),
      {.tls = security_.tls});
  if (!http.ok()) return http.status();
  http_server_ = *std::move(http);
  return absl::OkStatus();
}

Frontend::~Frontend() {
  http_server_.reset();
  Stop(client_server_);
  Stop(worker_server_);
  ticker_.reset();
}

std::string Frontend::http_address() const { return ToString({http_host_, http_server_->port()}); }

}  // namespace twofold::frontend
