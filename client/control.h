#pragma once

#include <cstdint>
#include <memory>

#include "lib/http/message.h"
#include "lib/load/engine/generator.h"
#include "lib/load/profile.h"
#include "lib/security/gate.h"
#include "lib/security/tokens.h"

namespace twofold::client {

/// What loads that are set by HTTP take from the command line.
struct LoadDefaults {
  load::JobTemplate job;
  load::Arrivals arrivals = load::Arrivals::kConstant;
  std::uint64_t seed = 1;
};

/// The client's HTTP interface: control, pages and metrics; docs/client.md lists them all.
///
/// `gate` counts the refused requests; null: there is no gate.
///
/// Threads  The handler is for one http::Server, which calls it on one thread. The generator
///          outlives the handler.
/// Cost     Requests within 50 ms of each other share one snapshot of the generator, so that many
///          requests do not disturb the load.
http::Handler MakeControl(load::Generator& generator, std::uint32_t max_parallelism,
                          std::shared_ptr<const security::Gate> gate = {},
                          LoadDefaults defaults = {});

/// The roles that may make a request: health is open, pages that change nothing also allow
/// read-only, and everything else is for clients and admins.
security::Roles RolesOfPage(const http::Request& request);

}  // namespace twofold::client
