#include "backend/peers/collector.h"

#include <absl/strings/str_cat.h>

#include <utility>
#include <vector>

#include "backend/rsh/gang_file.h"
#include "backend/workload/after.h"
#include "lib/common/address.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/outgoing_call.h"
#include "lib/rpc/parse.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::backend {
namespace {

constexpr Duration kBetweenTries = std::chrono::milliseconds(200);

std::string AddressOf(const v1::Peer& peer) {
  return ToString({peer.address(), static_cast<std::uint16_t>(peer.port())});
}

}  // namespace

struct Collector::Call {
  Call(boost::asio::io_context& io, std::string where) : address(std::move(where)), pause(io) {}

  const std::string address;
  v1::CollectRequest request;
  PeerLink::OnCollected on_collected;
  Instant give_up{};
  boost::asio::steady_timer pause;
  std::shared_ptr<rpc::UnaryRequest> under_way;  // of one try
};

Collector::Collector(boost::asio::io_context& io, rpc::LoopOwner& loop, security::Client security)
    : io_(io), loop_(loop), security_(std::move(security)) {}

Collector::~Collector() {
  for (const auto& [call, asker] : calls_) call->under_way->Abandon();
}

void Collector::Collect(const GangSeat& seat, std::uint32_t rank, bool stop,
                        PeerLink::OnCollected on_collected) {
  const v1::Peer& peer = seat.gang->peers(static_cast<int>(rank));
  if (peer.port() == 0) {
    return on_collected(absl::UnavailableError(
        "its worker does not serve the members of gangs (twofold-backend --peers-address)"));
  }
  const auto call = std::make_shared<Call>(io_, AddressOf(peer));
  *call->request.mutable_member() = gang::KeyOf(*seat.gang, rank);
  call->request.set_stop(stop);
  call->on_collected = std::move(on_collected);
  call->give_up = Now() + kPatience;
  calls_.emplace(call, IdOf(seat));
  Try(call);
}

void Collector::Try(const std::shared_ptr<Call>& call) {
  // The answer may find nobody: the loop lives longer.
  call->under_way = std::make_shared<rpc::UnaryRequest>(
      call->request.SerializeAsString(),
      [this, weak = std::weak_ptr<Call>(call)](const Result<std::string>& reply) {
        if (const auto asked = weak.lock()) Answered(asked, reply);
      });
  call->under_way->Start(rpc::Channel::Connect(loop_, call->address, {.security = security_}),
                         rpc::CallTo("/twofold.v1.Peers/Collect", security_));
}

void Collector::Answered(const std::shared_ptr<Call>& call, const Result<std::string>& reply) {
  if (!calls_.contains(call)) return;  // forgotten
  v1::CollectReply record;
  const Status status = reply.ok() ? rpc::Parse(*reply, record) : reply.status();
  if (status.ok()) return Tell(call, std::move(*record.mutable_rank()));
  if (absl::IsUnauthenticated(status)) {
    return Tell(call, absl::UnavailableError("its worker does not run this attempt any more"));
  }
  if (!absl::IsUnavailable(status) || Now() > call->give_up) return Tell(call, status);
  After(call->pause, kBetweenTries, [this, call] {
    if (calls_.contains(call)) Try(call);
  });
}

void Collector::Tell(const std::shared_ptr<Call>& call, Result<v1::RankRecord> result) {
  calls_.erase(call);
  call->on_collected(std::move(result));
}

void Collector::Forget(const MemberId& id) {
  std::vector<std::shared_ptr<Call>> theirs;
  for (const auto& [call, asker] : calls_) {
    if (asker == id) theirs.push_back(call);
  }
  for (const auto& call : theirs) {
    calls_.erase(call);
    call->on_collected = nullptr;
    call->pause.cancel();
    call->under_way->Cancel();
    call->under_way->Abandon();  // the loop may take no turn that ends it
  }
}

}  // namespace twofold::backend
