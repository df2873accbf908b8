#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/result.h"
#include "lib/rpc/acceptor.h"
#include "lib/rpc/service.h"
#include "lib/security/gate.h"
#include "lib/security/server.h"

namespace twofold::rpc {

/// Who may connect to a port, and who may call what there. A default one: everybody, everything.
struct Door {
  security::Server security;
  std::shared_ptr<security::Gate> gate;  ///< null: no call is checked
  RolesOf roles;                         ///< needed if there is a gate
  /// Thousands come here who say little. gRPC answers whoever speaks after a silence with a ping of
  /// its own, to measure how much it may read ahead: two thirds of what a heartbeat costs. Not
  /// here, where it reads 256 KiB ahead on each stream.
  bool for_quiet_ones = false;
};

/// A gRPC server that runs, with what takes its connections.
///
/// Threads  Shutdown and destruction on one; the rest on any until then.
class Server {
 public:
  Server(HostPort address, std::unique_ptr<grpc::Server> server, std::unique_ptr<Acceptor> acceptor)
      : address_(std::move(address)), server_(std::move(server)), acceptor_(std::move(acceptor)) {}
  ~Server() { acceptor_.reset(); }

  /// In use, also when port 0 was asked for.
  [[nodiscard]] const HostPort& address() const { return address_; }

  /// Why nobody can connect at this moment; empty: they can.
  [[nodiscard]] std::string trouble() const { return acceptor_->trouble(); }

  /// Takes no more connections and calls, and waits for those that there are. What goes on at
  /// `deadline` is broken off.
  void Shutdown(std::chrono::system_clock::time_point deadline) {
    acceptor_.reset();
    server_->Shutdown(deadline);
  }

  /// Until it has been shut down, by another thread.
  void Wait() { server_->Wait(); }

 private:
  const HostPort address_;
  const std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Acceptor> acceptor_;  // hands connections to server_
};

/// Serves `services` at `address` (host:port; no host = all interfaces) with our settings, to those
/// whom `door` lets in. Health and reflection are open. See Acceptor for connections.
///
/// Errors   kInvalidArgument: what is wrong with the address. kUnavailable: cannot listen there,
///          and the reason of the system, in one line.
Result<std::unique_ptr<Server>> Listen(const std::string& address,
                                       const std::vector<Service*>& services, const Door& door = {},
                                       const ConnectionLimits& limits = {});

}  // namespace twofold::rpc
