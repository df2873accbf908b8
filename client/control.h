#pragma once

#include <cstdint>
#include <memory>

#include "client/generator.h"
#include "lib/http/message.h"
#include "lib/security/gate.h"

namespace twofold::client {

/// The client's HTTP interface: control, pages and metrics; docs/client.md lists them all.
///
/// `gate` has counted the requests that were turned away; null: there is none.
///
/// Threads  The handler is for one http::Server: it is called by one thread. The generator outlives
///          it.
/// Cost     Pages asked for within 50 ms of each other share one look at the generator, so that
///          many requests do not disturb the load.
http::Handler MakeControl(Generator& generator, std::uint32_t max_parallelism,
                          std::shared_ptr<const security::Gate> gate = {});

}  // namespace twofold::client
