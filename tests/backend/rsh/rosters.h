#pragma once

#include <cstdint>
#include <string>

#include "twofold/v1/queue.pb.h"

namespace twofold::gang {

inline void AddPeer(v1::GangRoster& roster, const std::string& node, const std::string& pod,
                    const std::string& address, std::uint32_t port) {
  v1::Peer& peer = *roster.add_peers();
  peer.set_node(node);
  peer.set_pod(pod);
  peer.set_address(address);
  peer.set_port(port);
}

}  // namespace twofold::gang
