#include "frontend/frontend.h"

#include <absl/strings/str_cat.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <variant>

#include "frontend/access.h"
#include "frontend/kubernetes_options.h"
#include "frontend/shard_options.h"
#include "frontend/web/web.h"
#include "lib/common/host_name.h"
#include "lib/common/memory.h"
#include "lib/http/guard.h"
#include "lib/results/records.h"
#include "lib/results/store_address.h"

namespace twofold::frontend {
namespace {

// Calls and streams have so long to end by themselves when the frontend stops, and then as long to
// take what they are told.
constexpr auto kStopGrace = std::chrono::milliseconds(200);

// Between looks whether jobs still run.
constexpr auto kFinishPeriod = std::chrono::milliseconds(50);

// So long other frontends may take to answer what was passed on to them.
constexpr auto kForwardedGrace = std::chrono::seconds(2);

// So long others may take to take the queues over.
constexpr auto kDrainLimit = std::chrono::seconds(5);

Status CheckNames(const Options& options) {
  std::set<std::string> seen;
  for (const std::string& name : options.queues) {
    if (seen.insert(name).second) continue;
    return absl::InvalidArgumentError(absl::StrCat("QUEUE: '", name, "' is named twice"));
  }
  for (const auto& [flag, names] :
       {std::pair("--durable", &options.durable), std::pair("--strict", &options.strict)}) {
    for (const std::string& name : *names) {
      if (seen.contains(name)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(flag, ": there is no queue '", name, "' among QUEUE..."));
    }
  }
  if (!options.durable.empty() && !options.storage.is_given()) {
    return absl::InvalidArgumentError("--durable needs --store sqlite:PATH, or another store");
  }
  return absl::OkStatus();
}

/// What the store says of the numbers of queues. A queue that several frontends share counts on
/// when it is opened.
Result<LastIds> KnownIds(Storage& storage, const std::vector<std::string>& queues) {
  if (storage.shared() == nullptr) return storage.store().Load([](const results::StoredJob&) {});
  const auto numbers = Membership::NumberQueues(*storage.shared(), queues);
  if (!numbers.ok()) return numbers.status();
  LastIds ids;
  for (const auto& [queue, number] : *numbers) ids[queue] = results::LowestId(number);
  return ids;
}

/// Frontends call each other with their servers' certificate, and with the token of the caller for
/// whom they do so, or their own.
Result<security::Client> OpenPeers(const Options& options) {
  security::ClientOptions peers;
  peers.token_file = options.peers_token_file;
  if (options.security.cert.empty() && peers.token_file.empty()) return security::Client();
  if (options.security.cert.empty()) return security::Client::Open(peers);
  peers.ca = options.peers_ca.empty() ? options.security.ca : options.peers_ca;
  peers.cert = options.security.cert;
  peers.key = options.security.key;
  if (!peers.ca.empty()) return security::Client::Open(peers);
  return absl::InvalidArgumentError(
      "--peers-tls-ca: frontends that share a store call each other by TLS, and need the CA of "
      "their certificates");
}

/// What a store that is shared makes possible, by its address alone.
Status CheckShared(const Options& options) {
  bool is_shared = false;
  if (options.storage.is_given()) {
    const auto address =
        results::ParseStoreAddress({.store = options.storage.url, .file = options.storage.file});
    if (!address.ok()) return address.status();
    is_shared = std::holds_alternative<postgres::Target>(*address);
  }
  if (is_shared) return OpenPeers(options).status();
  if (!options.shards.empty())
    return absl::InvalidArgumentError("--shards needs a PostgreSQL store");
  if (!options.relay) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--relay: there are no other frontends to pass streams on to; that needs a --store that "
      "they share, postgresql://...");
}

/// Loops that have to share less would let a process hold more than it may.
Status CheckLoops(const Options& options) {
  const std::uint64_t memory =
      options.memory_limit == 0 ? MemoryLimit() : options.memory_limit << 20;
  if (options.loops <= 1 || options.loops * rpc::kLeastMemoryOfLoop <= memory)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--loops ", options.loops, ": needs ",
                                                 rpc::kLeastMemoryOfLoop >> 20,
                                                 " MiB for each loop, and there are ", memory >> 20,
                                                 " (--memory-limit, or what the container has)"));
}

/// The options with all shards by name, if nothing in them and in their files is wrong.
Result<Options> Checked(const Options& given) {
  if (Status status = CheckNames(given); !status.ok()) return status;
  if (Status status = CheckLoops(given); !status.ok()) return status;
  Result<Options> options = WithShards(given);
  if (!options.ok()) return options;
  if (Status status = CheckShared(*options); !status.ok()) return status;
  if (Status status = CheckMetricsApi(*options); !status.ok()) return status;
  if (Status status = CheckDeletionCost(*options); !status.ok()) return status;
  return options;
}

bool ServesScalers(const Options& options) {
  return !options.scaler_address.empty() || !options.metrics_api_address.empty();
}

void WarnIfExposed(const Options& options, const security::Server& security) {
  for (const auto& address :
       {options.client_address, options.worker_address, options.http_address}) {
    const std::string warning = security::Warning(security, address);
    if (!warning.empty()) spdlog::warn(warning);
  }
  const std::string& scaler = options.scaler_address;
  const bool asks_nothing = security.tokens != nullptr && !security.asks_certificate;
  if (!asks_nothing || scaler.empty() || security::IsLoopback(scaler)) return;
  spdlog::warn(
      "--scaler-address {}: whoever reaches it can read the numbers of the queues, as KEDA shows "
      "no "
      "token; ask for certificates by --tls-ca, or keep others away by a network policy",
      scaler);
}

/// The addresses under which others reach what listens on these.
std::string Advertised(const Options& options, const HostPort& listening, const std::string& name) {
  if (!options.advertise.empty()) return ToString({options.advertise, listening.port});
  const bool is_any =
      listening.host.empty() || listening.host == "0.0.0.0" || listening.host == "::";
  return ToString({is_any ? name : listening.host, listening.port});
}

/// Callers learn that they may ask again, which a call that is broken off does not say.
void Stop(std::unique_ptr<rpc::Server>& server, OpenCalls& calls) {
  if (!server) return;
  calls.AwaitNone(kStopGrace);
  calls.EndAll(absl::UnavailableError("this frontend ends; ask again"));
  server->Shutdown(kStopGrace);
}

}  // namespace

Result<std::unique_ptr<Frontend>> Frontend::Start(const Options& given) {
  const Result<Options> checked = Checked(given);
  if (!checked.ok()) return checked.status();
  const Options& options = *checked;
  Result<security::Server> security = security::Open(options.security);
  if (!security.ok()) return security.status();
  WarnIfExposed(options, *security);
  Parts parts;
  Status status = Open(options, parts);
  if (!status.ok()) return status;
  std::unique_ptr<Frontend> frontend(new Frontend(options, *std::move(security), std::move(parts)));
  if (status = frontend->Restore(); !status.ok()) return status;
  if (status = frontend->Serve(options); !status.ok()) return status;
  return frontend;
}

Status Frontend::Check(const Options& options) {
  Status status = Checked(options).status();
  return status.ok() ? security::Open(options.security).status() : status;
}

/// What files the options name, and what they say about the queues.
Status Frontend::Open(const Options& options, Parts& parts) {
  LastIds last_ids;
  if (options.storage.is_given()) {
    auto opened = Storage::Open(options.storage);
    if (!opened.ok()) return opened.status();
    parts.storage = *std::move(opened);
    auto known = KnownIds(*parts.storage, options.queues);
    if (!known.ok()) return known.status();
    last_ids = *std::move(known);
  }
  auto plans = PlanQueues(options.queues, options.durable, last_ids);
  if (!plans.ok()) return plans.status();
  parts.plans = *std::move(plans);
  if (parts.storage != nullptr && parts.storage->shared() != nullptr) {
    auto peers = OpenPeers(options);
    if (!peers.ok()) return peers.status();
    parts.peers = *std::move(peers);
  }
  if (options.trace.empty()) return absl::OkStatus();
  auto opened = queue::trace::TraceWriter::Open(options.trace);
  if (!opened.ok()) return opened.status();
  parts.trace = *std::move(opened);
  return absl::OkStatus();
}

Frontend::Frontend(const Options& options, security::Server security, Parts parts)
    : security_(std::move(security)),
      client_gate_(std::make_shared<security::Gate>("client", security_.tokens)),
      worker_gate_(std::make_shared<security::Gate>("worker", security_.tokens)),
      http_gate_(std::make_shared<security::Gate>("http", security_.tokens)),
      scaler_gate_(std::make_shared<security::Gate>("scaler", security_.tokens)),
      client_calls_(options.peer_calls, *client_gate_),
      worker_calls_(options.peer_calls, *worker_gate_),
      loops_(rpc::MakeLoops(options.loops, options.memory_limit << 20)),
      trace_(std::move(parts.trace)),
      queues_(parts.plans, QueueOptions(options), std::random_device{}(), &alarm_, trace_.get()),
      storage_(std::move(parts.storage)),
      clients_(queues_, client_calls_, readers_),
      admin_(queues_, client_calls_, readers_),
      frontends_(
          queues_, [this] { return joined_.load(); }, client_calls_, readers_),
      results_(queues_, storage_.get(), client_calls_, readers_),
      workers_(queues_, worker_calls_, readers_) {
  if (ServesScalers(options)) queues_.SetChanges(changes_);
  if (storage_ == nullptr || storage_->shared() == nullptr) return;
  directory_ = std::make_unique<Directory>(FromSeconds(options.ttl));
  queues_.SetDirectory(*directory_);
  peers_ = std::make_unique<Peers>(*loops_.front(), *directory_, std::move(parts.peers));
  for (Service* const service :
       std::initializer_list<Service*>{&clients_, &admin_, &frontends_, &results_, &workers_}) {
    service->SetPeers(*peers_);
    if (options.relay) service->RelayStreams();
  }
}

/// Takes in what an earlier life has left, and starts to keep what this one does.
Status Frontend::Restore() {
  if (storage_ == nullptr) return absl::OkStatus();
  // The next turn of each queue does as its journal says.
  storage_->WhenWritableChanges([this] { alarm_.Ring(Now()); });
  if (directory_ != nullptr) {
    queues_.SetStore(storage_->store(), storage_->StartJournal());
    return absl::OkStatus();
  }
  std::map<std::string, std::uint64_t> left;  // jobs of queues that are not there
  std::uint64_t restored = 0;
  const auto loaded = storage_->store().Load([&](const results::StoredJob& job) {
    // On their way between frontends of the database that this store is a copy of.
    if (!queue::IsDurable(queue::JobId{job.accepted.id})) return;
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

rpc::Door Frontend::DoorOf(const Options& options, std::shared_ptr<security::Gate> gate) const {
  const auto in_ms = [](double seconds) {
    return std::chrono::ceil<std::chrono::milliseconds>(FromSeconds(seconds));
  };
  return {.security = security_,
          .gate = std::move(gate),
          .roles = RolesOfMethod,
          .of_host = options.peer_connections,
          .idle = in_ms(options.connection_idle),
          .age = in_ms(options.connection_age)};
}

Status Frontend::Serve(const Options& options) {
  auto clients = rpc::Listen(options.client_address, {&clients_, &admin_, &frontends_, &results_},
                             DoorOf(options, client_gate_), loops_);
  if (!clients.ok()) return clients.status();
  client_server_ = *std::move(clients);

  const Duration idle_lease = FromSeconds(options.idle_lease);
  queues_.SetIdleLease(idle_lease);
  auto workers =
      rpc::Listen(options.worker_address, {&workers_}, DoorOf(options, worker_gate_), loops_);
  if (!workers.ok()) return workers.status();
  worker_server_ = *std::move(workers);

  ticker_ = std::make_unique<Ticker>(
      queues_, alarm_,
      Ticker::Periods{.log = FromSeconds(options.log_interval), .idle_lease = idle_lease});
  if (Status status = ServeScalers(options); !status.ok()) return status;
  if (Status status = WriteCosts(options); !status.ok()) return status;
  if (Status status = ServeHttp(options); !status.ok()) return status;
  if (directory_ != nullptr) Join(options);
  return absl::OkStatus();
}

Status Frontend::ServeScalers(const Options& options) {
  if (!ServesScalers(options)) return absl::OkStatus();
  observer_ = std::make_unique<scalers::Observer>(queues_, peers_.get(), changes_);
  if (Status status = ServeMetricsApi(options); !status.ok()) return status;
  if (options.scaler_address.empty()) return absl::OkStatus();
  auto opened = scalers::Port::Open(options.scaler_address, {*observer_, readers_},
                                    DoorOf(options, scaler_gate_), options.peer_calls, loops_);
  if (!opened.ok()) return opened.status();
  scalers_ = *std::move(opened);
  return absl::OkStatus();
}

Status Frontend::ServeMetricsApi(const Options& options) {
  if (options.metrics_api_address.empty()) return absl::OkStatus();
  auto api = MetricsApiOf(options);
  if (!api.ok()) return api.status();
  auto opened = scalers::MetricsApi::Open(*std::move(api), queues_, *observer_);
  if (!opened.ok()) return opened.status();
  metrics_api_ = *std::move(opened);
  return absl::OkStatus();
}

Status Frontend::WriteCosts(const Options& options) {
  if (options.deletion_cost.empty()) return absl::OkStatus();
  auto costs = CostWriterOf(options);
  if (!costs.ok()) return costs.status();
  costs_ = std::make_unique<scalers::CostWriter>(*std::move(costs), queues_);
  return absl::OkStatus();
}

std::vector<prometheus::MetricFamily> Frontend::FurtherMetrics() const {
  std::vector<prometheus::MetricFamily> all;
  if (metrics_api_) all = metrics_api_->Families();
  if (!costs_) return all;
  for (prometheus::MetricFamily& family : costs_->Families()) all.push_back(std::move(family));
  return all;
}

/// Takes its part of the queues, now that callers can be sent here.
void Frontend::Join(const Options& options) {
  const std::string name = options.name.empty() ? HostName() : options.name;
  Peer me{name, Advertised(options, client_server_->address(), HostName()),
          Advertised(options, worker_server_->address(), HostName())};
  spdlog::info("one of the frontends of {}: {}, reached at {} and {}", storage_->shared()->name(),
               me.name, me.client_address, me.worker_address);
  membership_ = std::make_unique<Membership>(
      queues_, *storage_, *directory_,
      MembershipOptions{.me = std::move(me),
                        .ttl = FromSeconds(options.ttl),
                        .strict = {options.strict.begin(), options.strict.end()},
                        .released = [this] { peers_->SayLookAgain(); },
                        .replaced = [] { kill(getpid(), SIGTERM); }});
  joined_ = membership_.get();
  if (!options.shards.empty()) balancer_ = std::make_unique<Balancer>(queues_, *peers_);
}

/// Hands all queues over. Streams learn where these are served now. No-op the second time.
void Frontend::Leave() {
  if (membership_ == nullptr || std::exchange(has_left_, true)) return;
  balancer_.reset();
  if (!membership_->Drain(kDrainLimit)) {
    spdlog::warn("not all queues are handed over: others take them when they miss this frontend");
  }
  directory_->Stop();
}

std::string Frontend::Stalled() const {
  const std::string trouble = client_server_->trouble();
  return trouble.empty() ? worker_server_->trouble() : trouble;
}

Status Frontend::ServeHttp(const Options& options) {
  Result<HostPort> address = ParseAddress(options.http_address);
  if (!address.ok()) return address.status();
  http_host_ = address->host;
  const auto run_later = [this](ReaderPool::Task task) { return readers_.Post(std::move(task)); };
  Api::Ask ask;
  if (peers_ != nullptr) {
    ask = [this](const std::string& method, const google::protobuf::Message& request,
                 const Caller& caller) {
      const Membership* const joined = joined_;
      const std::string own = joined ? joined->me().client_address : client_address();
      return peers_->Ask(own, method, request, caller);
    };
  }
  const ActionRules rules = {http_gate_.get(), security::IsLoopback(options.http_address)};
  const auto log = std::make_shared<PostLog>(rules);
  const http::Handler web = MakeWeb(
      {.queues = queues_,
       .storage = storage_.get(),
       .gates = {client_gate_.get(), worker_gate_.get(), http_gate_.get(), scaler_gate_.get()},
       .stalled = [this] { return Stalled(); },
       .rules = rules,
       .ask = ask,
       .run_later = run_later,
       .loops = loops_,
       .further = [this] { return FurtherMetrics(); }});
  auto http = http::Server::Start(
      *address,
      PostLog::Around(log, http::Guard(http_gate_, security_.asks_certificate, RolesOfPage, web)),
      {.tls = security_.tls,
       .on_refused = [log](const std::string& request,
                           int status) { log->Refused(request, status); },
       .run_later = run_later});
  if (!http.ok()) return http.status();
  http_server_ = *std::move(http);
  return absl::OkStatus();
}

void Frontend::Finish(Duration grace) {
  Leave();
  for (const auto& host : queues_.all()) QueueHost::Turn(*host, Now()).HandOutNoMore();
  if (grace <= Duration(0) || !RunsVolatile()) return;
  spdlog::info("running jobs have {} s to end", ToSeconds(grace));
  const Instant give_up = Now() + grace;
  while (!hurries_ && Now() < give_up && RunsVolatile()) std::this_thread::sleep_for(kFinishPeriod);
}

bool Frontend::RunsVolatile() {
  return std::ranges::any_of(
      queues_.all(), [](const auto& host) { return QueueHost::Turn(*host, Now()).RunsVolatile(); });
}

/// Hands out no more, and waits until what was handed out is on disk and on its way. Else workers
/// would come back without attempts that are on disk, and those would be lost.
void Frontend::SettleAttempts() {
  if (storage_ == nullptr) return;
  for (const auto& host : queues_.all()) QueueHost::Turn(*host, Now()).HandOutNoMore();
  storage_->journal().Flush(kFlushLimit);
}

Frontend::~Frontend() {
  http_server_.reset();
  costs_.reset();
  metrics_api_.reset();
  scalers_.reset();
  observer_.reset();
  Leave();
  if (worker_server_) SettleAttempts();
  // Whoever serves the queues now may have more to do than usual.
  if (peers_) peers_->AwaitAnswers(kForwardedGrace);
  Stop(client_server_, client_calls_);
  Stop(worker_server_, worker_calls_);
  ticker_.reset();
  membership_.reset();
  if (storage_) storage_->Stop();  // its last messages go to streams that have ended
  readers_.Stop();                 // last, as a reader may wait for a disk that hangs
  queues_.LeaveStore();            // the same
  storage_.reset();
}

}  // namespace twofold::frontend
