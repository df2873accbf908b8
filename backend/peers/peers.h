#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/peers/call_set.h"
#include "backend/peers/collector.h"
#include "backend/peers/exec_session.h"
#include "backend/rsh/gang_file.h"
#include "backend/workload/peer_link.h"
#include "lib/common/limited_log.h"
#include "lib/common/result.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/service.h"
#include "lib/rpc/unary.h"
#include "lib/security/client.h"
#include "lib/security/options.h"
#include "lib/security/server.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::backend {

/// How the members of a gang talk to each other: with mutual TLS if the worker shows a certificate
/// to the frontend, the same one at both ends; else plain text.
struct PeersSecurity {
  security::Server server;
  security::Client client;
  std::optional<security::ClientOptions> files;  ///< for programs of rank 0; absolute paths
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

inline constexpr std::size_t kSecretBytes = 32;  ///< of GangRoster.secret

/// Whether `shown` is the secret of an attempt. Takes as long whatever is shown. A secret that has
/// not kSecretBytes is nobody's.
bool IsSecret(std::string_view shown, std::string_view secret);

/// PeerLink over gRPC: the service of this process for members of gangs, and calls of its rank 0s.
/// The service asks for no tokens: the key in its first message says what a caller may do.
///
/// Threads  On the thread of the io_context, to which `loop` belongs; construct before it runs,
///          destroy when it has stopped: calls that are open then are ended. Methods of the service
///          run on the thread of its server, and hand their calls to that thread.
class Peers final : public PeerLink, public rpc::Service {
 public:
  static constexpr std::size_t kMostPrograms = 64;  ///< of one member at once

  /// Errors   kInvalidArgument: the address. kUnavailable: cannot listen there. kNotFound: no
  ///          keeper.
  static Result<std::unique_ptr<Peers>> Start(boost::asio::io_context& io, rpc::LoopOwner& loop,
                                              PeersOptions options);
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

  using CollectCall = rpc::UnaryCall<v1::CollectRequest, v1::CollectReply>;

  // A member that runs in this process, and what its rank 0 has asked of it.
  struct Served {
    std::string secret;
    Member& member;
    const bool serves_exec;
    const std::vector<std::string> environment;
    const std::string directory;
    boost::asio::steady_timer patience;  // with programs that do not end
    absl::flat_hash_set<std::shared_ptr<ExecSession>> sessions = {};
    std::vector<std::weak_ptr<CollectCall>> asked = {};
    std::function<void()> on_gone = {};  // set: it is withdrawn
  };

  Peers(boost::asio::io_context& io, rpc::LoopOwner& loop, PeersOptions options);

  Result<std::shared_ptr<rpc::ByteStream>> ServeExec(const rpc::CallInfo& info);
  Result<std::shared_ptr<rpc::ByteStream>> ServeCollect(const rpc::CallInfo& info);

  Result<Served*> Find(const v1::MemberKey& key);
  Result<ExecPlace> Admit(const v1::MemberKey& key, const std::shared_ptr<ExecSession>& session);
  void Left(const MemberId& id, const std::shared_ptr<ExecSession>& session);
  void Gone(const MemberId& id);
  void Answer(const v1::CollectRequest& request, const CollectCall::Pointer& reply);

  boost::asio::io_context& io_;
  const PeersOptions options_;
  const std::string keeper_;  // path of twofold-keeper
  absl::flat_hash_map<MemberId, std::unique_ptr<gang::HeldGangFile>> files_;
  absl::flat_hash_map<MemberId, std::unique_ptr<Served>> served_;
  LimitedLog refusals_;
  Collector collector_;
  CallSet calls_{kMostCalls};
  std::unique_ptr<rpc::Server> server_;
  std::uint16_t port_ = 0;
};

}  // namespace twofold::backend
