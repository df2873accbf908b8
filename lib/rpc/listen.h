#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "lib/common/result.h"
#include "lib/rpc/server_credentials.h"

namespace twofold::rpc {

struct Listening {
  std::unique_ptr<grpc::Server> server;
  std::string address;  ///< host:port in use, also when port 0 was asked for
};

/// Serves `services` at `address` (host:port; no host = all interfaces) with our settings, to those
/// whom `door` lets in. The kernel watches the connections (KeepTcpAlive).
///
/// Errors   kInvalidArgument: what is wrong with the address. kUnavailable: cannot listen there,
/// and
///          the reason of the system, in one line.
Result<Listening> Listen(const std::string& address, const std::vector<grpc::Service*>& services,
                         const Door& door = {});

}  // namespace twofold::rpc
