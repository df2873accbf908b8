#include "backend/peers/collector.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "backend/rsh/gang_file.h"
#include "backend/workload/after.h"
#include "lib/common/address.h"
#include "lib/rpc/channel.h"
#include "twofold/v1/peers.grpc.pb.h"

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
  // Of one try.
  std::unique_ptr<v1::Peers::Stub> stub;
  std::unique_ptr<grpc::ClientContext> context;
  v1::CollectReply reply;
};

Collector::~Collector() {
  for (const auto& [call, id] : calls_) {
    if (call->context) call->context->TryCancel();
  }
  const MutexLock lock(mutex_);
  while (on_the_way_ > 0) answered_.Wait(mutex_);
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
  call->stub = v1::Peers::NewStub(rpc::Connect(call->address, security_));
  call->context = std::make_unique<grpc::ClientContext>();
  {
    const MutexLock lock(mutex_);
    ++on_the_way_;
  }
  // The last of the call goes on our thread: gRPC must not end a channel on its own.
  call->stub->async()->Collect(call->context.get(), &call->request, &call->reply,
                               [this, held = call](const grpc::Status& status) mutable {
                                 boost::asio::post(
                                     io_, [this, asked = std::move(held),
                                           why = rpc::FromGrpc(status)] { Answered(asked, why); });
                                 const MutexLock lock(mutex_);
                                 --on_the_way_;
                                 answered_.NotifyAll();
                               });
}

void Collector::Answered(const std::shared_ptr<Call>& call, const Status& status) {
  if (!calls_.contains(call)) return;  // forgotten
  if (status.ok()) return Tell(call, std::move(*call->reply.mutable_rank()));
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
    call->context->TryCancel();
  }
}

}  // namespace twofold::backend
