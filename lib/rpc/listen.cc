#include "lib/rpc/listen.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <utility>

#include "lib/common/descriptors.h"
#include "lib/common/limited_log.h"
#include "lib/common/memory.h"
#include "lib/h2/server.h"
#include "lib/h2/tls.h"
#include "lib/rpc/health.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/listeners.h"
#include "lib/rpc/reflection.h"
#include "lib/rpc/served_call.h"

namespace twofold::rpc {
namespace {

using security::Reason;
using security::TlsMaterial;

// One in so many descriptors stays free for the rest of the program.
constexpr std::size_t kReserved = 8;

std::chrono::system_clock::time_point OnTheClock(std::optional<Instant> deadline) {
  if (!deadline) return std::chrono::system_clock::time_point::max();
  const auto left = std::chrono::duration_cast<std::chrono::system_clock::duration>(
      std::min<Duration>(*deadline - Now(), std::chrono::hours(24 * 365)));
  return std::chrono::system_clock::now() + left;
}

/// What connections show and demand, as the files are when they come.
class CertificateNow {
 public:
  static Result<h2::Server::TlsNow> Open(const security::Server& security) {
    if (security.tls == nullptr) return h2::Server::TlsNow();
    const auto now = std::make_shared<CertificateNow>(security);
    if (Status status = now->Renew(); !status.ok()) return status;
    return [now] {
      const Status status = now->Renew();
      if (!status.ok()) spdlog::error("the certificate before is kept: {}", status.ToString());
      return now->tls_;
    };
  }

  explicit CertificateNow(const security::Server& security)
      : files_(security.tls),
        callers_(security.asks_certificate ? h2::CallersCertificates::kRequired
                                           : h2::CallersCertificates::kNotAsked) {}

 private:
  Status Renew() {
    auto material = files_->Get();
    if (material == material_) return absl::OkStatus();
    material_ = std::move(material);
    auto made = h2::ServersTls(*material_, callers_);
    if (!made.ok()) return made.status();
    tls_ = *std::move(made);
    return absl::OkStatus();
  }

  const std::shared_ptr<security::Reloaded<TlsMaterial>> files_;
  const h2::CallersCertificates callers_;
  std::shared_ptr<const TlsMaterial> material_;
  std::shared_ptr<const h2::Tls> tls_;
};

}  // namespace

h2::Budgets BudgetsOf(std::uint64_t memory) {
  if (memory == 0) memory = MemoryLimit();
  const auto part = [memory](std::uint64_t mebibytes) {
    return static_cast<std::size_t>(memory / 256 * mebibytes);
  };
  return {.connection = std::max<std::size_t>(part(24), std::size_t{24} << 20),
          .host = part(64),
          .all = part(96)};
}

/// A port that is served. Its server belongs to the loop's thread.
class Server::Port {
 public:
  Port(std::shared_ptr<LoopThread> loop, std::uint16_t number,
       const std::vector<Service*>& services, std::shared_ptr<security::Gate> gate)
      : loop_(std::move(loop)), number_(number), gate_(std::move(gate)), reflection_(services) {
    for (Service* const service : services) Add(*service);
    for (Service* const service : reflection_.Versions()) Add(*service);
    Add(health_);
    health_.Serve(services);
  }
  ~Port() {
    loop_->Do([this] { server_.reset(); });
  }

  void Open(Listeners listeners, std::uint32_t of_host, h2::Server::TlsNow tls) {
    h2::ServerLimits limits;
    limits.connection.message_bytes = kMaxMessageBytes;
    limits.connection.streams = kMaxCallsPerConnection;
    limits.connections = DescriptorLimit() / kReserved * (kReserved - 1);
    limits.of_host = of_host == 0 ? limits.connections : of_host;
    h2::Server::Options options{
        .limits = limits,
        .ledger = loop_->ledger(),
        .serve = [this](h2::Stream& stream,
                        const std::string& host) { return Begin(stream, host); },
        .tls = std::move(tls)};
    options.on_turned_away = [this](const std::string& host, std::string_view why) {
      OnTurnedAway(host, why);
    };
    options.on_broken_off = [this](const std::string& host, std::string_view why) {
      OnBrokenOff(host, why);
    };
    options.on_trouble = [this](int error) { OnTrouble(error); };
    loop_->Do([&] {
      server_ = std::make_unique<h2::Server>(loop_->loop(), std::move(listeners.sockets),
                                             std::move(options));
    });
  }

  [[nodiscard]] int trouble() const { return server_->trouble(); }

  void Shutdown(Duration patience) {
    std::promise<void> done;
    loop_->Post([&] {
      health_.Stop();
      server_->Drain(patience, [&done] { done.set_value(); });
    });
    done.get_future().wait();
  }

 private:
  void Add(Service& service) { services_.emplace(service.name(), &service); }

  /// Who serves the call.
  Result<std::shared_ptr<h2::End>> Begin(h2::Stream& stream, const std::string& host) {
    const std::string& path = stream.path();
    const std::size_t slash = path.rfind('/');
    const auto service = path.empty() || slash == 0 || slash == std::string::npos
                             ? services_.end()
                             : services_.find(path.substr(1, slash - 1));
    if (service == services_.end()) return absl::UnimplementedError("there is no such service");
    auto opened =
        service->second->Open({path, stream.metadata(), host, OnTheClock(stream.deadline())});
    if (!opened.ok()) return opened.status();
    const auto call = std::make_shared<ServedCall>(loop_, stream);
    call->Begin(*std::move(opened));
    return call;
  }

  void OnTurnedAway(const std::string& host, std::string_view why) {
    if (gate_ != nullptr)
      gate_->Count(why.starts_with("their") ? Reason::kTooMany : Reason::kNoRoom);
    const auto others = log_.Admit(Now());
    if (others)
      spdlog::warn("port {}: turned away a connection of {}: {}{}", number_, host, why, *others);
  }

  void OnBrokenOff(const std::string& host, std::string_view why) {
    const auto others = log_.Admit(Now());
    if (others)
      spdlog::debug("port {}: a connection of {} ended: {}{}", number_, host, why, *others);
  }

  void OnTrouble(int error) const {
    if (error == 0) return spdlog::info("port {}: connections are taken again", number_);
    spdlog::error("port {}: connections cannot be taken: {}; trying again", number_,
                  std::strerror(error));
  }

  const std::shared_ptr<LoopThread> loop_;
  const std::uint16_t number_;
  const std::shared_ptr<security::Gate> gate_;
  HealthService health_;
  ReflectionServices reflection_;
  absl::flat_hash_map<std::string, Service*> services_;  // by name
  LimitedLog log_;
  std::unique_ptr<h2::Server> server_;
};

Server::Server(HostPort address, std::unique_ptr<Port> port)
    : address_(std::move(address)), port_(std::move(port)) {}

Server::~Server() = default;

std::string Server::trouble() const {
  const int error = port_->trouble();
  return error == 0 ? "" : std::strerror(error);
}

void Server::Shutdown(Duration patience) { port_->Shutdown(patience); }

Result<std::unique_ptr<Server>> Listen(const std::string& address,
                                       const std::vector<Service*>& services, const Door& door,
                                       std::shared_ptr<LoopThread> loop) {
  const Result<HostPort> parsed = ParseAddress(address);
  if (!parsed.ok()) return parsed.status();
  auto tls = CertificateNow::Open(door.security);
  if (!tls.ok()) return tls.status();
  Result<Listeners> listeners = OpenListeners(*parsed);
  if (!listeners.ok()) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ",
                                               std::string(listeners.status().message())));
  }
  for (Service* service : services) service->Guard(door.gate, door.roles);
  const HostPort in_use{parsed->host, listeners->port};
  auto port = std::make_unique<Server::Port>(std::move(loop), listeners->port, services, door.gate);
  port->Open(*std::move(listeners), door.of_host, *std::move(tls));
  return std::make_unique<Server>(in_use, std::move(port));
}

Result<std::unique_ptr<Server>> Listen(const std::string& address,
                                       const std::vector<Service*>& services, const Door& door,
                                       std::uint64_t memory) {
  return Listen(address, services, door, std::make_shared<LoopThread>(BudgetsOf(memory)));
}

}  // namespace twofold::rpc
