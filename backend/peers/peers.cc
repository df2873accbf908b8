#include "backend/peers/peers.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "lib/process/find_program.h"

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

std::string KeeperIn(const std::string& folder) { return folder + "/twofold-keeper"; }

}  // namespace

Result<std::unique_ptr<Peers>> Peers::Start(boost::asio::io_context& io, PeersOptions options) {
  const std::string keeper = KeeperIn(options.programs);
  if (Status status = process::CheckExecutable(keeper); !status.ok()) return status;
  std::unique_ptr<Peers> peers(new Peers(io, std::move(options)));
  auto service = PeersService::Start(
      io, peers->members_, {peers->options_.address, peers->options_.security.server, keeper});
  if (!service.ok()) return service.status();
  peers->service_ = *std::move(service);
  return peers;
}

Peers::Peers(boost::asio::io_context& io, PeersOptions options)
    : options_(std::move(options)), members_(io), collector_(io, options_.security.client) {}

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
