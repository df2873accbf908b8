#include "backend/peers/peers.h"

#include <absl/strings/str_cat.h>
#include <openssl/crypto.h>
#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <filesystem>
#include <utility>

#include "backend/workload/after.h"
#include "lib/common/address.h"
#include "lib/process/environment.h"
#include "lib/rpc/limits.h"
#include "lib/security/tls_material.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::backend {
namespace {

constexpr std::size_t kEnvelopeBytes = 1024;  // of a message, around what it carries

// A program that waits for a dead disk cannot be killed.
constexpr Duration kKillPatience = std::chrono::seconds(10);

MemberId NamedBy(const v1::MemberKey& key) { return {{key.job(), key.attempt()}, key.rank()}; }

// Of all peers together: the process is to live with 256 MiB.
constexpr std::uint64_t kPeersMemory = 256 << 20;

Status TooMany() {
  return absl::ResourceExhaustedError("this worker has too many calls of other members open");
}
Status WorkerEnds() { return absl::UnavailableError("this worker ends"); }

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
  towards.proxy.clear();
  towards.server_name = security::CertificateName(security.server.tls->Get()->cert);
  if (towards.server_name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tls-cert: ", options.cert, " has no name by which other members could know it"));
  }
  Result<security::Client> client = security::Client::Open(towards);
  if (!client.ok()) return client.status();
  security.client = *std::move(client);

  for (std::string* file : {&towards.ca, &towards.cert, &towards.key}) {
    *file = std::filesystem::absolute(*file);
  }
  security.files = std::move(towards);
  return security;
}

bool IsSecret(std::string_view shown, std::string_view secret) {
  return secret.size() == kSecretBytes && shown.size() == kSecretBytes &&
         CRYPTO_memcmp(shown.data(), secret.data(), kSecretBytes) == 0;
}

Result<std::unique_ptr<Peers>> Peers::Start(boost::asio::io_context& io, rpc::LoopOwner& loop,
                                            PeersOptions options) {
  std::unique_ptr<Peers> peers(new Peers(io, loop, std::move(options)));
  if (Status status = process::CheckExecutable(peers->keeper_); !status.ok()) return status;
  rpc::Door door;
  door.security = peers->options_.security.server;
  auto server = rpc::Listen(peers->options_.address, {peers.get()}, door, kPeersMemory);
  if (!server.ok()) return server.status();
  peers->server_ = *std::move(server);
  peers->port_ = peers->server_->address().port;
  return peers;
}

Peers::Peers(boost::asio::io_context& io, rpc::LoopOwner& loop, PeersOptions options)
    : rpc::Service("twofold.v1.Peers"),
      io_(io),
      options_(std::move(options)),
      keeper_(options_.programs + "/twofold-keeper"),
      collector_(io, loop, options_.security.client) {
  Serve("Exec", &Peers::ServeExec);
  Serve("Collect", &Peers::ServeCollect);
  const std::size_t removed = gang::RemoveLeft(options_.folder);
  if (removed > 0) spdlog::info("{} gang files of a worker that is gone are removed", removed);
}

Peers::~Peers() {
  if (!server_) return;
  calls_.EndAll();
  // At once: a caller that does not read is not waited for.
  server_->Shutdown(Duration(0));
}

// ---- What others ask for

Result<std::shared_ptr<rpc::ByteStream>> Peers::ServeExec(const rpc::CallInfo&) {
  const auto session = std::make_shared<ExecSession>(
      io_, keeper_, [this](const v1::MemberKey& key, const std::shared_ptr<ExecSession>& self) {
        return Admit(key, self);
      });
  auto place = calls_.Enter([weak = std::weak_ptr(session)] {
    if (const auto open = weak.lock()) open->Abandon(WorkerEnds());
  });
  if (place == nullptr) return TooMany();
  session->Hold(std::move(place));
  return session;
}

Result<std::shared_ptr<rpc::ByteStream>> Peers::ServeCollect(const rpc::CallInfo&) {
  const auto call = std::make_shared<CollectCall>(
      [this](const v1::CollectRequest& request, const CollectCall::Pointer& self) {
        boost::asio::post(io_, [this, request, self] { Answer(request, self); });
      });
  auto place = calls_.Enter([weak = std::weak_ptr(call)] {
    if (const auto open = weak.lock()) open->Fail(WorkerEnds());
  });
  if (place == nullptr) return TooMany();
  call->Hold(std::move(place));
  return call;
}

Result<Peers::Served*> Peers::Find(const v1::MemberKey& key) {
  const auto found = served_.find(NamedBy(key));
  const bool is_ours = found != served_.end();
  const std::string nobodys(kSecretBytes, '\0');
  if (!IsSecret(key.secret(), is_ours ? found->second->secret : nobodys) || !is_ours) {
    if (const auto left_out = refusals_.Admit(Now())) {
      spdlog::warn("peers: turned away a call that is not of an attempt here{}", *left_out);
    }
    return absl::UnauthenticatedError("");
  }
  if (found->second->on_gone) return absl::UnavailableError("the attempt is over");
  return found->second.get();
}

Result<ExecPlace> Peers::Admit(const v1::MemberKey& key,
                               const std::shared_ptr<ExecSession>& session) {
  const Result<Served*> served = Find(key);
  if (!served.ok()) return served.status();
  if (!(*served)->serves_exec) {
    return absl::UnavailableError("this member runs no programs for others");
  }
  if ((*served)->sessions.size() >= kMostPrograms) {
    return absl::ResourceExhaustedError(
        absl::StrCat("this member runs ", kMostPrograms, " programs for others already"));
  }
  (*served)->sessions.insert(session);
  return ExecPlace{(*served)->environment, (*served)->directory,
                   [this, id = NamedBy(key), weak = std::weak_ptr(session)] {
                     if (const auto left = weak.lock()) Left(id, left);
                   }};
}

void Peers::Left(const MemberId& id, const std::shared_ptr<ExecSession>& session) {
  const auto found = served_.find(id);
  if (found == served_.end()) return;
  found->second->sessions.erase(session);
  if (found->second->on_gone && found->second->sessions.empty()) Gone(id);
}

void Peers::Gone(const MemberId& id) {
  const auto served = served_.extract(id);
  if (served) served.mapped()->on_gone();
}

void Peers::Answer(const v1::CollectRequest& request, const CollectCall::Pointer& reply) {
  const Result<Served*> served = Find(request.member());
  if (!served.ok()) return reply->Fail(served.status());
  std::erase_if((*served)->asked, [](const auto& weak) { return weak.expired(); });
  (*served)->asked.push_back(reply);
  (*served)->member.Collect(request.stop(), [reply](v1::RankRecord record) {
    v1::CollectReply message;
    *message.mutable_rank() = std::move(record);
    const std::size_t bytes = message.ByteSizeLong();
    if (bytes + kEnvelopeBytes <= rpc::kMaxMessageBytes) return reply->Answer(message);
    reply->Fail(absl::ResourceExhaustedError(
        absl::StrCat("its record has ", bytes, " bytes, too many for one message")));
  });
}

// ---- What the workload asks for

void Peers::Announce(const GangSeat& seat, Member& member, bool serves_exec,
                     std::vector<std::string> environment, std::string directory) {
  served_.insert_or_assign(
      IdOf(seat), std::unique_ptr<Served>(new Served{seat.gang->secret(), member, serves_exec,
                                                     std::move(environment), std::move(directory),
                                                     boost::asio::steady_timer(io_)}));
}

void Peers::Withdraw(const MemberId& id, std::function<void()> on_gone) {
  const auto found = served_.find(id);
  if (found == served_.end()) return on_gone();
  Served& served = *found->second;
  served.on_gone = std::move(on_gone);
  for (const auto& weak : std::exchange(served.asked, {})) {
    const auto reply = weak.lock();
    if (reply) reply->Fail(absl::UnavailableError("the attempt is over"));
  }
  if (served.sessions.empty()) return Gone(id);
  for (const auto& session : served.sessions) session->Stop();
  After(served.patience, kKillPatience, [this, id] {
    spdlog::error("programs of job {} cannot be killed, they are left to themselves", id.gang.job);
    Gone(id);
  });
}

// Without the file the programs run all the same: most need no others.
std::vector<std::string> Peers::Environment(const GangSeat& seat) {
  auto file = gang::HeldGangFile::Write(options_.folder, {*seat.gang, options_.security.files});
  if (!file.ok()) {
    spdlog::error("no gang file for twofold-rsh: {}", std::string(file.status().message()));
    return {};
  }
  const auto held = files_.insert_or_assign(IdOf(seat), *std::move(file)).first;
  return {absl::StrCat(gang::kGangVariable, "=", held->second->path())};
}

void Peers::Collect(const GangSeat& seat, std::uint32_t rank, bool stop, OnCollected on_collected) {
  collector_.Collect(seat, rank, stop, std::move(on_collected));
}

void Peers::Forget(const MemberId& id) {
  files_.erase(id);
  collector_.Forget(id);
}

}  // namespace twofold::backend
