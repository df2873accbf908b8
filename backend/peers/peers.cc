#include "backend/peers/peers.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <filesystem>
#include <utility>

#include "backend/peers/exec_session.h"
#include "lib/common/address.h"
#include "lib/process/environment.h"
#include "lib/security/tls_material.h"
#include "twofold/v1/peers.grpc.pb.h"

namespace twofold::backend {
namespace {

gang::Gang GangOf(const v1::GangRoster& roster, const std::optional<gang::Tls>& tls) {
  gang::Gang gang{.job = roster.job(), .attempt = roster.attempt(), .secret = roster.secret()};
  for (const v1::Peer& peer : roster.peers()) {
    gang.members.push_back(
        {peer.node(), peer.pod(), peer.address(), static_cast<std::uint16_t>(peer.port())});
  }
  gang.tls = tls;
  return gang;
}

const grpc::Status kTooMany{grpc::StatusCode::RESOURCE_EXHAUSTED,
                            "this worker has too many calls of other members open"};
const grpc::Status kEnding{grpc::StatusCode::UNAVAILABLE, "this worker ends"};

}  // namespace

Result<PeersSecurity> OpenPeersSecurity(const security::ClientOptions& options) {
  PeersSecurity security;
  if (options.cert.empty()) return security;
  security::ServerOptions serves;
  serves.cert = options.cert;
  serves.key = options.key;
  serves.ca = options.ca;
  Result<security::Server> server = security::Open(serves);
  if (!server.ok()) return server.status();
  security.server = *std::move(server);

  security::ClientOptions towards = options;
  towards.token_file.clear();  // those are for the frontend
  towards.server_name = security::CertificateName(security.server.tls->Get()->cert);
  if (towards.server_name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tls-cert: ", options.cert, " has no name by which other members could know it"));
  }
  Result<security::Client> client = security::Client::Open(towards);
  if (!client.ok()) return client.status();
  security.client = *std::move(client);

  using std::filesystem::absolute;
  security.files = gang::Tls{absolute(options.ca), absolute(options.cert), absolute(options.key),
                             towards.server_name};
  return security;
}

Result<std::unique_ptr<Peers>> Peers::Start(boost::asio::io_context& io, PeersOptions options) {
  std::unique_ptr<Peers> peers(new Peers(io, std::move(options)));
  if (Status status = process::CheckExecutable(peers->keeper_); !status.ok()) return status;
  rpc::Door door;
  door.security = peers->options_.security.server;
  auto listening = rpc::Listen(peers->options_.address, {peers.get()}, door);
  if (!listening.ok()) return listening.status();
  peers->server_ = std::move(listening->server);
  peers->port_ = ParseAddress(listening->address)->port;
  return peers;
}

Peers::Peers(boost::asio::io_context& io, PeersOptions options)
    : rpc::Service(v1::Peers::service_full_name()),
      io_(io),
      options_(std::move(options)),
      keeper_(options_.programs + "/twofold-keeper"),
      members_(io),
      collector_(io, options_.security.client) {
  Serve("Exec", &Peers::ServeExec);
  Serve("Collect", &Peers::ServeCollect);
}

Peers::~Peers() {
  if (!server_) return;
  calls_.EndAll();
  // At once: a caller that does not read is not waited for.
  server_->Shutdown(std::chrono::system_clock::now());
}

// ---- What others ask for

rpc::ByteStream* Peers::ServeExec(grpc::CallbackServerContext*) {
  const auto session = std::make_shared<ExecSession>(
      io_, keeper_, [this](const v1::MemberKey& key, const std::shared_ptr<ExecSession>& self) {
        return members_.Admit(key, self);
      });
  auto place = calls_.Enter([weak = std::weak_ptr(session)] {
    if (const auto open = weak.lock()) open->Abandon(kEnding);
  });
  if (place == nullptr) return rpc::Refuse(kTooMany);
  session->Open(std::move(place));
  return session.get();
}

rpc::ByteStream* Peers::ServeCollect(grpc::CallbackServerContext*) {
  const auto call = std::make_shared<CollectCall>(
      [this](const v1::CollectRequest& request, const CollectCall::Pointer& self) {
        boost::asio::post(io_, [this, request, self] { members_.Collect(request, self); });
      });
  auto place = calls_.Enter([weak = std::weak_ptr(call)] {
    if (const auto open = weak.lock()) open->Fail(kEnding);
  });
  if (place == nullptr) return rpc::Refuse(kTooMany);
  call->Hold(std::move(place));
  call->Start();
  return call.get();
}

// ---- What the workload asks for

void Peers::Announce(const GangSeat& seat, Member& member, bool serves_exec,
                     std::vector<std::string> environment, std::string directory) {
  members_.Announce(IdOf(seat), {seat.gang->secret(), &member, serves_exec, std::move(environment),
                                 std::move(directory)});
}

void Peers::Withdraw(const MemberId& id, std::function<void()> on_gone) {
  members_.Withdraw(id, std::move(on_gone));
}

// Without the file the programs run all the same: most need no others.
std::vector<std::string> Peers::Environment(const GangSeat& seat) {
  auto file =
      gang::HeldGangFile::Write(options_.folder, GangOf(*seat.gang, options_.security.files));
  if (!file.ok()) {
    spdlog::error("no gang file for twofold-rsh: {}", std::string(file.status().message()));
    return {};
  }
  const auto held = files_.insert_or_assign(IdOf(seat), *std::move(file)).first;
  return {absl::StrCat(gang::kGangVariable, "=", held->second.path())};
}

void Peers::Collect(const GangSeat& seat, std::uint32_t rank, bool stop, OnCollected on_collected) {
  collector_.Collect(seat, rank, stop, std::move(on_collected));
}

void Peers::Forget(const MemberId& id) {
  files_.erase(id);
  collector_.Forget(id);
}

}  // namespace twofold::backend
