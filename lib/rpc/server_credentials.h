#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string_view>

#include "lib/security/gate.h"
#include "lib/security/server.h"

namespace twofold::rpc {

/// Which roles may call a method, named by its path: "/twofold.v1.Clients/Submit".
using RolesOf = std::function<security::Roles(std::string_view method)>;

/// Who may connect to a port, and who may call what there. A default one: everybody, everything.
struct Door {
  security::Server security;
  std::shared_ptr<security::Gate> gate;  ///< null: no call is checked
  RolesOf roles;                         ///< needed if there is a gate
};

/// Credentials for Listen. A connection gets the certificate that is in the files when it comes,
/// and keeps it. A call is checked once, when its headers are there: its messages cost nothing
/// more, and no handler hears of a call that is turned away (UNAUTHENTICATED without a known token,
/// PERMISSION_DENIED with the wrong role). TLS is 1.2 at least, gRPC's default.
std::shared_ptr<grpc::ServerCredentials> MakeCredentials(Door door);

}  // namespace twofold::rpc
