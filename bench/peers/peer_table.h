#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bench/peers/peer.h"
#include "bench/peers/plan.h"

/// Who is measured. To add a system: write peers/<name>.cc with a class derived from Peer, and add
/// its rows in peer_table.cc and, if it has a server of its own, in server_table.cc.
namespace twofold::bench {

struct PeerRow {
  Traits traits;
  std::string_view server;  ///< the row of server_table.h that it runs against
  std::unique_ptr<Peer> (*make)();
  std::string_view about;  ///< how a job travels, and what is kept
};

std::span<const PeerRow> Peers();

/// nullptr: there is none of that name.
const PeerRow* FindPeer(std::string_view name);

std::unique_ptr<Peer> MakeBeanstalkd();
std::unique_ptr<Peer> MakeGearman();
std::unique_ptr<Peer> MakeGrpcPacked();
std::unique_ptr<Peer> MakeGrpcRepeated();
std::unique_ptr<Peer> MakeJetStreamFile();
std::unique_ptr<Peer> MakeJetStreamMemory();
std::unique_ptr<Peer> MakeNats();
std::unique_ptr<Peer> MakeRabbitDurable();
std::unique_ptr<Peer> MakeRabbitTransient();
std::unique_ptr<Peer> MakeRedis();
std::unique_ptr<Peer> MakeTcpRelay();
std::unique_ptr<Peer> MakeTwofold();
std::unique_ptr<Peer> MakeTwofoldDurable();
std::unique_ptr<Peer> MakeTwofoldTls();

}  // namespace twofold::bench
