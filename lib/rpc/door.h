#pragma once

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

}  // namespace twofold::rpc
