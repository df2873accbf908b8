#include "frontend/scalers/port.h"

#include <algorithm>
#include <utility>

namespace twofold::scalers {
namespace {

// Of one host, at once: each costs a look at its queue whenever one changes.
constexpr std::uint32_t kMostStreams = 1000;

// Streams have so long to take what they are told, and calls to end.
constexpr auto kStopGrace = std::chrono::milliseconds(200);

}  // namespace

Port::Port(const Sight& sight, const rpc::Door& door, std::uint32_t streams)
    : gate_(door.gate),
      streams_(streams == 0 ? kMostStreams : std::min(streams, kMostStreams), *gate_),
      scaler_(sight.observer, streams_, sight.readers) {}

Result<std::unique_ptr<Port>> Port::Open(const std::string& address, const Sight& sight,
                                         const rpc::Door& door, std::uint32_t streams,
                                         const rpc::Loops& loops) {
  std::unique_ptr<Port> port(new Port(sight, door, streams));
  auto server = rpc::Listen(address, {&port->scaler_}, door, loops);
  if (!server.ok()) return server.status();
  port->server_ = *std::move(server);
  return port;
}

Port::~Port() {
  if (server_ == nullptr) return;
  streams_.EndAll(absl::OkStatus());
  server_->Shutdown(kStopGrace);
  server_.reset();
}

}  // namespace twofold::scalers
