#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/peers/call_set.h"
#include "backend/peers/collector.h"
#include "backend/peers/members.h"
#include "backend/rsh/gang_file.h"
#include "backend/workload/peer_link.h"
#include "lib/common/result.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/service.h"
#include "lib/security/client.h"
#include "lib/security/options.h"
#include "lib/security/server.h"

namespace twofold::backend {

/// How the members of a gang talk to each other: with mutual TLS if the worker shows a certificate
/// to the frontend, the same one at both ends; else plain text.
struct PeersSecurity {
  security::Server server;
  security::Client client;
  std::optional<gang::Tls> files;  ///< for programs of rank 0; absolute paths
};

/// `options` are those towards the frontend.
/// Errors   Those of security::Open, or: the certificate has no name.
Result<PeersSecurity> OpenPeersSecurity(const security::ClientOptions& options);

struct PeersOptions {
  std::string address;     ///< host:port to listen at; no host: all interfaces, port 0: any
  PeersSecurity security;  ///< of both ends
  std::string programs;    ///< folder of twofold-keeper
  std::string folder;      ///< for gang files
};

/// PeerLink over gRPC: the service of this process for members of gangs, and calls of its rank 0s.
/// The service asks for no tokens: what a caller may do is in its first message (Members).
///
/// Threads  On the thread of the io_context; construct before it runs, destroy when it has stopped:
///          calls that are open then are ended. Methods of the service run on threads of gRPC, and
///          hand their calls to that thread.
class Peers final : public PeerLink, public rpc::Service {
 public:
  /// Errors   kInvalidArgument: the address. kUnavailable: cannot listen there. kNotFound: no
  ///          keeper.
  static Result<std::unique_ptr<Peers>> Start(boost::asio::io_context& io, PeersOptions options);
  ~Peers() override;

  [[nodiscard]] std::uint16_t port() const { return port_; }

  void Announce(const GangSeat& seat, Member& member, bool serves_exec,
                std::vector<std::string> environment, std::string directory) override;
  void Withdraw(const MemberId& id, std::function<void()> on_gone) override;
  std::vector<std::string> Environment(const GangSeat& seat) override;
  void Collect(const GangSeat& seat, std::uint32_t rank, bool stop,
               OnCollected on_collected) override;
  void Forget(const MemberId& id) override;

 private:
  static constexpr std::size_t kMostCalls = 1024;  // at once, of all members

  Peers(boost::asio::io_context& io, PeersOptions options);

  rpc::ByteStream* ServeExec(grpc::CallbackServerContext* context);
  rpc::ByteStream* ServeCollect(grpc::CallbackServerContext* context);

  boost::asio::io_context& io_;
  const PeersOptions options_;
  const std::string keeper_;  // path of twofold-keeper
  absl::flat_hash_map<MemberId, gang::HeldGangFile> files_;
  Members members_;
  Collector collector_;
  CallSet calls_{kMostCalls};
  std::unique_ptr<rpc::Server> server_;
  std::uint16_t port_ = 0;
};

}  // namespace twofold::backend
