#include "frontend/frontend.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <spdlog/spdlog.h>

#include <map>
#include <random>
#include <set>
#include <utility>

#include "frontend/queue_plans.h"
#include "frontend/web.h"
#include "lib/common/address.h"
#include "lib/rpc/listen.h"

namespace twofold::frontend {
namespace {

// Streams have so long to end by themselves when the frontend stops.
constexpr auto kStopGrace = std::chrono::milliseconds(200);

Status CheckNames(const Options& options) {
  std::set<std::string> seen;
  for (const std::string& name : options.queues) {
    if (seen.insert(name).second) continue;
    return absl::InvalidArgumentError(absl::StrCat("QUEUE: '", name, "' is named twice"));
  }
  for (const std::string& name : options.durable) {
    if (seen.contains(name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--durable: there is no queue '", name, "' among QUEUE..."));
  }
  if (!options.durable.empty() && options.storage.url.empty()) {
    return absl::InvalidArgumentError("--durable needs --store sqlite:PATH");
  }
  return absl::OkStatus();
}

void Stop(std::unique_ptr<grpc::Server>& server) {
  if (server) server->Shutdown(std::chrono::system_clock::now() + kStopGrace);
}

}  // namespace

Result<std::unique_ptr<Frontend>> Frontend::Start(const Options& options) {
  if (Status status = CheckNames(options); !status.ok()) return status;
  std::unique_ptr<Storage> storage;
  LastIds last_ids;
  if (!options.storage.url.empty()) {
    auto opened = Storage::Open(options.storage);
    if (!opened.ok()) return opened.status();
    storage = *std::move(opened);
    auto known = storage->store().Load([](const results::StoredJob&) {});
    if (!known.ok()) return known.status();
    last_ids = *std::move(known);
  }
  auto plans = PlanQueues(options.queues, options.durable, last_ids);
  if (!plans.ok()) return plans.status();
  Trace trace;
  if (!options.trace.empty()) {
    auto opened = queue::trace::TraceWriter::Open(options.trace);
    if (!opened.ok()) return opened.status();
    trace = *std::move(opened);
  }
  std::unique_ptr<Frontend> frontend(
      new Frontend(options, *plans, std::move(trace), std::move(storage)));
  if (Status status = frontend->Restore(); !status.ok()) return status;
  if (Status status = frontend->Serve(options); !status.ok()) return status;
  return frontend;
}

Frontend::Frontend(const Options& options, const std::vector<QueuePlan>& plans, Trace trace,
                   std::unique_ptr<Storage> storage)
    : trace_(std::move(trace)),
      queues_(plans, QueueOptions(options), std::random_device{}(), &alarm_, trace_.get()),
      storage_(std::move(storage)),
      clients_(queues_),
      admin_(queues_),
      workers_(queues_) {}

/// Takes in what an earlier life has left, and starts to keep what this one does.
Status Frontend::Restore() {
  if (storage_ == nullptr) return absl::OkStatus();
  std::map<std::string, std::uint64_t> left;  // jobs of queues that are not there
  std::uint64_t restored = 0;
  const auto loaded = storage_->store().Load([&](const results::StoredJob& job) {
    const auto host = queues_.Find(job.accepted.queue);
    if (!host.ok()) {
      ++left[job.accepted.queue];
      return;
    }
    QueueHost::Turn(**host, Now()).Restore(job);
    ++restored;
  });
  if (!loaded.ok()) return loaded.status();
  if (restored > 0) spdlog::info("{} unfinished jobs are back from the store", restored);
  for (const auto& [queue, jobs] : left) {
    spdlog::warn("{} unfinished jobs stay in the store: there is no queue '{}'", jobs, queue);
  }
  queues_.SetStore(storage_->store(), storage_->StartJournal());
  return absl::OkStatus();
}

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

  ticker_ = std::make_unique<Ticker>(queues_, alarm_, FromSeconds(options.log_interval));

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
  storage_.reset();  // its last messages go to streams that have ended
}

std::string Frontend::http_address() const { return ToString({http_host_, http_server_->port()}); }

}  // namespace twofold::frontend
