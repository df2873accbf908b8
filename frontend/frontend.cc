#include "frontend/frontend.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>

#include <algorithm>
#include <random>
#include <set>

#include "frontend/web.h"
#include "lib/common/address.h"
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

void Stop(std::unique_ptr<grpc::Server>& server) {
  if (server) server->Shutdown(std::chrono::system_clock::now() + kStopGrace);
}

}  // namespace

Result<std::unique_ptr<Frontend>> Frontend::Start(const Options& options) {
  if (Status status = CheckNames(options.queues); !status.ok()) return status;
  std::unique_ptr<Frontend> frontend(new Frontend(options));
  if (Status status = frontend->Serve(options); !status.ok()) return status;
  return frontend;
}

Frontend::Frontend(const Options& options)
    : queues_(options.queues, QueueOptions(options), std::random_device{}()),
      clients_(queues_),
      admin_(queues_),
      workers_(queues_) {}

Status Frontend::Serve(const Options& options) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  auto clients = rpc::Listen(options.client_address, {&clients_, &admin_});
  if (!clients.ok()) return clients.status();
  client_server_ = std::move(clients->server);
  client_address_ = clients->address;

  auto workers = rpc::Listen(options.worker_address, {&workers_});
  if (!workers.ok()) return workers.status();
  worker_server_ = std::move(workers->server);
  worker_address_ = workers->address;

  ticker_ = std::make_unique<Ticker>(
      queues_, std::min(FromSeconds(options.lease), FromSeconds(options.grace)),
      FromSeconds(options.log_interval));

  Result<HostPort> address = ParseAddress(options.http_address);
  if (!address.ok()) return address.status();
  http_host_ = address->host;
  auto http =
      http::Server::Start(*address, MakeWeb(queues_, [this] { return clients_.clients(); }));
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
