#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/result.h"
#include "lib/rpc/loop_thread.h"
#include "lib/rpc/service.h"
#include "lib/security/gate.h"
#include "lib/security/server.h"

namespace twofold::rpc {

/// Who may connect to a port, and who may call what there. A default one: everybody, everything.
struct Door {
  security::Server security;
  std::shared_ptr<security::Gate> gate;  ///< null: no call is checked
  RolesOf roles;                         ///< needed if there is a gate
  std::uint32_t of_host = 0;             ///< connections of one host at once; 0: no limit
  std::chrono::milliseconds idle{0};     ///< see h2::Limits
  std::chrono::milliseconds age{0};      ///< see h2::Limits
};

/// What the peers on each of `loops` loops of a process that may have so many bytes (0:
/// MemoryLimit()) may make it hold: h2::Budgets, scaled from Budgets::kMemory to that memory and
/// divided by `loops`, but never less than h2::Budgets have for one connection.
h2::Budgets BudgetsOf(std::uint64_t memory, std::size_t loops = 1);

/// What a process has to have for each of its loops, so that their budgets are what it may hold.
inline constexpr std::uint64_t kLeastMemoryOfLoop = 64 << 20;

Loops MakeLoops(std::size_t count, std::uint64_t memory);

/// A gRPC server that runs: HTTP/2, with TLS if its door asks for it.
///
/// Threads  Shutdown and destruction on one, not that of a loop; the rest on any until then.
class Server {
 public:
  class Port;

  Server(HostPort address, std::unique_ptr<Port> port);
  ~Server();  ///< breaks off what there is
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// In use, also when port 0 was asked for.
  [[nodiscard]] const HostPort& address() const { return address_; }

  /// Why nobody can connect at this moment; empty: they can.
  [[nodiscard]] std::string trouble() const;

  /// Takes no more connections and calls, and waits for those that there are. What goes on after
  /// `patience` is broken off.
  void Shutdown(Duration patience);

 private:
  const HostPort address_;
  const std::unique_ptr<Port> port_;
};

/// Serves `services` at `address` (host:port; no host = all interfaces) on `loops`, to those whom
/// `door` lets in. Health and reflection are open. The services outlive the server.
///
/// Errors   kInvalidArgument: what is wrong with the address, or with the certificate.
///          kUnavailable: cannot listen there, and the reason of the system, in one line.
Result<std::unique_ptr<Server>> Listen(const std::string& address,
                                       const std::vector<Service*>& services, const Door& door,
                                       const Loops& loops);

/// The same on a loop of its own.
Result<std::unique_ptr<Server>> Listen(const std::string& address,
                                       const std::vector<Service*>& services, const Door& door = {},
                                       std::uint64_t memory = 0);

}  // namespace twofold::rpc
