#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/peers/collector.h"
#include "backend/peers/members.h"
#include "backend/peers/security.h"
#include "backend/peers/service.h"
#include "backend/rsh/gang_file.h"
#include "backend/workload/peer_link.h"
#include "lib/common/result.h"

namespace twofold::backend {

struct PeersOptions {
  std::string address;     ///< host:port to listen at; no host: all interfaces, port 0: any
  PeersSecurity security;  ///< of both ends
  std::string programs;    ///< folder of twofold-keeper
  std::string folder;      ///< for gang files
};

/// PeerLink over gRPC: the port of this process for members of gangs, and calls of its rank 0s.
///
/// Threads  On the thread of the io_context; construct before it runs, destroy when it has stopped.
class Peers final : public PeerLink {
 public:
  /// Errors   kInvalidArgument: the address. kUnavailable: cannot listen there. kNotFound: no
  ///          keeper.
  static Result<std::unique_ptr<Peers>> Start(boost::asio::io_context& io, PeersOptions options);

  [[nodiscard]] std::uint16_t port() const { return service_->port(); }

  void Announce(const GangSeat& seat, Member& member, bool serves_exec,
                std::vector<std::string> environment, std::string directory) override;
  void Withdraw(const MemberId& id, std::function<void()> on_gone) override;
  std::vector<std::string> Environment(const GangSeat& seat) override;
  void Collect(const GangSeat& seat, std::uint32_t rank, bool stop,
               OnCollected on_collected) override;
  void Forget(const MemberId& id) override;

 private:
  Peers(boost::asio::io_context& io, PeersOptions options);

  const PeersOptions options_;
  absl::flat_hash_map<MemberId, gang::HeldGangFile> files_;
  Members members_;
  std::unique_ptr<PeersService> service_;  // after `members_`, which its calls use
  Collector collector_;
};

}  // namespace twofold::backend
