#include "lib/rpc/listen.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <latch>
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

static_assert(h2::Limits().message_bytes == kMaxMessageBytes,
              "a connection takes the messages that the contract allows");

// One in so many descriptors stays free for the rest of the program.
constexpr std::size_t kReserved = 8;

std::chrono::system_clock::time_point OnTheClock(std::optional<Instant> deadline) {
  if (!deadline) return std::chrono::system_clock::time_point::max();
  const auto left = std::chrono::duration_cast<std::chrono::system_clock::duration>(
      std::min<Duration>(*deadline - Now(), std::chrono::hours(24 * 365)));
  return std::chrono::system_clock::now() + left;
}

/// What connections of one loop show and demand, as the files are when they come.
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

h2::Budgets BudgetsOf(std::uint64_t memory, std::size_t loops) {
  if (memory == 0) memory = MemoryLimit();
  constexpr h2::Budgets kBudgets;
  const double share = static_cast<double>(memory) / static_cast<double>(h2::Budgets::kMemory) /
                       static_cast<double>(loops);
  const auto part = [&](std::size_t budget) {
    const auto scaled = static_cast<std::size_t>(static_cast<double>(budget) * share);
    return std::max(scaled, kBudgets.connection);
  };
  return {.connection = part(kBudgets.connection),
          .host = part(kBudgets.host),
          .all = part(kBudgets.all)};
}

Loops MakeLoops(std::size_t count, std::uint64_t memory) {
  Loops loops;
  while (loops.size() < count)
    loops.push_back(std::make_shared<LoopThread>(BudgetsOf(memory, count)));
  return loops;
}

/// A port that is served, by a server on each loop; the first one listens, for all of them.
class Server::Port {
 public:
  Port(std::uint16_t number, const std::vector<Service*>& services,
       std::shared_ptr<security::Gate> gate)
      : number_(number), gate_(std::move(gate)), reflection_(services) {
    for (Service* const service : services) Add(*service);
    for (Service* const service : reflection_.Versions()) AddOpen(*service);
    AddOpen(health_);
    health_.Serve(services);
  }
  /// The one that listens ends first: what it has handed on is there when the others end.
  ~Port() {
    for (LoopServer& each : servers_) each.loop->Do([&each] { each.server.reset(); });
  }

  /// `tls` is there for each of the loops.
  void Open(const Loops& loops, Listeners listeners, const Door& door,
            std::vector<h2::Server::TlsNow> tls) {
    h2::ServerLimits limits;
    limits.connections = DescriptorLimit() / kReserved * (kReserved - 1);
    limits.of_host = door.of_host == 0 ? limits.connections : door.of_host;
    limits.connection.idle = door.idle;
    limits.connection.age = door.age;
    limits.handshakes = std::max<std::size_t>(limits.handshakes / loops.size(), 1);
    const auto count = std::make_shared<h2::ConnectionCount>(limits.connections, limits.of_host);
    for (const auto& loop : loops) servers_.push_back({.loop = loop});
    // The one that listens comes last, when there are those that it hands connections to.
    for (std::size_t i = servers_.size(); i-- > 0;) {
      h2::Server::Options options = OptionsOf(servers_[i].loop, limits);
      options.tls = std::move(tls[i]);
      options.count = count;
      std::vector<Descriptor> sockets;
      if (i == 0) {
        sockets = std::move(listeners.sockets);
        options.hand_on = [this](Descriptor socket, const std::string& host,
                                 h2::Server::Ticket ticket) {
          HandOn(std::move(socket), host, std::move(ticket));
        };
      }
      servers_[i].loop->Do([&] {
        servers_[i].server = std::make_unique<h2::Server>(servers_[i].loop->loop(),
                                                          std::move(sockets), std::move(options));
      });
    }
  }

  [[nodiscard]] int trouble() const { return servers_.front().server->trouble(); }

  void Shutdown(Duration patience) {
    health_.Stop();
    std::latch done(static_cast<std::ptrdiff_t>(servers_.size()));
    for (LoopServer& each : servers_) {
      each.loop->Post([&] { each.server->Drain(patience, [&done] { done.count_down(); }); });
    }
    done.wait();
  }

 private:
  /// A server belongs to the thread of its loop.
  struct LoopServer {
    std::shared_ptr<LoopThread> loop;
    std::unique_ptr<h2::Server> server = nullptr;
  };

  void Add(Service& service) { services_.emplace(service.name(), &service); }
  void AddOpen(Service& service) {
    service.Guard(nullptr, [](std::string_view) { return security::Roles::Open(); });
    Add(service);
  }

  h2::Server::Options OptionsOf(const std::shared_ptr<LoopThread>& loop,
                                const h2::ServerLimits& limits) {
    h2::Server::Options options{.limits = limits,
                                .ledger = loop->ledger(),
                                .serve = [this, loop](h2::Stream& stream, const std::string& host) {
                                  return Begin(loop, stream, host);
                                }};
    options.keeps_frames = [] { return spdlog::should_log(spdlog::level::debug); };
    options.on_turned_away = [this, loop](const std::string& host, const h2::Closing& closing) {
      loop->closed().Count(closing.cause);
      OnTurnedAway(host, closing);
    };
    options.on_broken_off = [this, loop](const std::string& host, const h2::Closing& closing) {
      loop->closed().Count(closing.cause);
      OnBrokenOff(host, closing);
    };
    options.on_trouble = [this](int error) { OnTrouble(error); };
    return options;
  }

  /// To each in turn. On the thread of the first one.
  void HandOn(Descriptor socket, const std::string& host, h2::Server::Ticket ticket) {
    LoopServer& next = servers_[next_++ % servers_.size()];
    if (next.loop->IsHere()) return next.server->Take(std::move(socket), host, std::move(ticket));
    next.loop->Post([&next, host, socket = std::make_shared<Descriptor>(std::move(socket)),
                     ticket = std::move(ticket)]() mutable {
      next.server->Take(std::move(*socket), host, std::move(ticket));
    });
  }

  /// Who serves the call.
  Result<std::shared_ptr<h2::End>> Begin(const std::shared_ptr<LoopThread>& loop,
                                         h2::Stream& stream, const std::string& host) {
    const std::string& path = stream.path();
    const std::size_t slash = path.rfind('/');
    const auto service = path.empty() || slash == 0 || slash == std::string::npos
                             ? services_.end()
                             : services_.find(path.substr(1, slash - 1));
    if (service == services_.end()) return absl::UnimplementedError("there is no such service");
    auto opened =
        service->second->Open({path, stream.metadata(), host, OnTheClock(stream.deadline())});
    if (!opened.ok()) return opened.status();
    const bool open = service->second->IsOpen(path);
    const auto call = std::make_shared<ServedCall>(loop, stream, open);
    call->Begin(*std::move(opened));
    return call;
  }

  void OnTurnedAway(const std::string& host, const h2::Closing& closing) {
    if (gate_ != nullptr) {
      gate_->Count(closing.cause == h2::Cause::kTooMany ? Reason::kTooMany : Reason::kNoRoom);
    }
    const auto others = warnings_.Admit(Now());
    if (others) {
      spdlog::warn("port {}: turned away a connection of {}: {}{}", number_, host, closing.why,
                   *others);
    }
  }

  /// Peers that get lost are no reason to leave out a warning, so each kind has its own limit.
  void OnBrokenOff(const std::string& host, const h2::Closing& closing) {
    const bool harm = h2::IsHarm(closing.cause);
    const auto others = (harm ? warnings_ : ends_).Admit(Now());
    if (!others) return;
    spdlog::log(harm ? spdlog::level::warn : spdlog::level::debug,
                "port {}: a connection of {} ended: {}{}", number_, host, closing.why, *others);
    if (closing.frames.empty()) return;
    spdlog::debug("port {}: the last frames of that connection of {}: {}", number_, host,
                  closing.frames);
  }

  void OnTrouble(int error) const {
    if (error == 0) return spdlog::info("port {}: connections are taken again", number_);
    spdlog::error("port {}: connections cannot be taken: {}; trying again", number_,
                  std::strerror(error));
  }

  const std::uint16_t number_;
  const std::shared_ptr<security::Gate> gate_;
  HealthService health_;
  ReflectionServices reflection_;
  absl::flat_hash_map<std::string, Service*> services_;  // by name
  LimitedLog warnings_;
  LimitedLog ends_;
  std::vector<LoopServer> servers_;
  std::size_t next_ = 0;  // the first loop's
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
                                       const Loops& loops) {
  const Result<HostPort> parsed = ParseAddress(address);
  if (!parsed.ok()) return parsed.status();
  std::vector<h2::Server::TlsNow> tls;
  while (tls.size() < loops.size()) {
    auto now = CertificateNow::Open(door.security);
    if (!now.ok()) return now.status();
    tls.push_back(*std::move(now));
  }
  Result<Listeners> listeners = OpenListeners(*parsed);
  if (!listeners.ok()) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ",
                                               std::string(listeners.status().message())));
  }
  for (Service* service : services) service->Guard(door.gate, door.roles);
  const HostPort in_use{parsed->host, listeners->port};
  auto port = std::make_unique<Server::Port>(listeners->port, services, door.gate);
  port->Open(loops, *std::move(listeners), door, std::move(tls));
  return std::make_unique<Server>(in_use, std::move(port));
}

Result<std::unique_ptr<Server>> Listen(const std::string& address,
                                       const std::vector<Service*>& services, const Door& door,
                                       std::uint64_t memory) {
  return Listen(address, services, door, MakeLoops(1, memory));
}

}  // namespace twofold::rpc
