#include "backend/peers/collector.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <string>
#include <utility>

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

/// A question to a member, and the coroutine that asks it. Both end when it is forgotten.
struct Collector::Question : std::enable_shared_from_this<Question> {
  ~Question() {
    if (!call) return;
    call->Cancel();
    call->Abandon();  // the loop may take no turn that ends it
  }

  std::string address;
  std::string request;
  PeerLink::OnCollected on_collected;
  std::shared_ptr<rpc::UnaryRequest> call;  // of the last try
  std::optional<Task<>> asking;
};

Collector::Collector(boost::asio::io_context& io, rpc::LoopOwner& loop, security::Client security)
    : io_(io), loop_(loop), security_(std::move(security)) {}

void Collector::Collect(const GangSeat& seat, std::uint32_t rank, bool stop,
                        PeerLink::OnCollected on_collected) {
  const v1::Peer& peer = seat.gang->peers(static_cast<int>(rank));
  if (peer.port() == 0) {
    return on_collected(absl::UnavailableError(
        "its worker does not serve the members of gangs (twofold-backend --peers-address)"));
  }
  v1::CollectRequest request;
  *request.mutable_member() = gang::KeyOf(*seat.gang, rank);
  request.set_stop(stop);
  const auto question = std::make_shared<Question>();
  question->address = AddressOf(peer);
  question->request = request.SerializeAsString();
  question->on_collected = std::move(on_collected);
  questions_.emplace(question, IdOf(seat));
  question->asking.emplace(Ask(*question)).Begin();
}

Task<> Collector::Ask(Question& question) {
  const Instant give_up = Now() + kPatience;
  for (;;) {
    Result<v1::RankRecord> record = co_await Try(question);
    if (!absl::IsUnavailable(record.status()) || Now() > give_up) {
      co_return Tell(question, std::move(record));
    }
    co_await Pause(question);
  }
}

Task<Result<v1::RankRecord>> Collector::Try(Question& question) {
  Once<std::string> answer;
  question.call = std::make_shared<rpc::UnaryRequest>(question.request,
                                                      GiveWhile(question.weak_from_this(), answer));
  question.call->Start(rpc::Channel::Connect(loop_, question.address, {.security = security_}),
                       rpc::CallTo("/twofold.v1.Peers/Collect", security_));
  const Result<std::string> bytes = co_await answer;
  if (!bytes.ok()) co_return bytes.status();
  v1::CollectReply reply;
  if (Status status = rpc::Parse(*bytes, reply); !status.ok()) co_return status;
  co_return std::move(*reply.mutable_rank());
}

Task<> Collector::Pause(Question& question) {
  boost::asio::steady_timer timer(io_);
  Once<> passed;
  After(timer, kBetweenTries, GiveWhile(question.weak_from_this(), passed));
  (void)co_await passed;
}

// Forgets the question first: who is told may ask again, or forget all of its own.
void Collector::Tell(Question& question, Result<v1::RankRecord> record) {
  if (absl::IsUnauthenticated(record.status())) {
    record = absl::UnavailableError("its worker does not run this attempt any more");
  }
  questions_.erase(question.shared_from_this());
  question.on_collected(std::move(record));
}

void Collector::Forget(const MemberId& id) {
  absl::erase_if(questions_, [&](const auto& question) { return question.second == id; });
}

}  // namespace twofold::backend
