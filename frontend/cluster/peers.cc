#include "frontend/cluster/peers.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

#include "lib/rpc/channel.h"
#include "lib/rpc/client_stream.h"
#include "lib/rpc/wire.h"
#include "twofold/v1/frontends.pb.h"
#include "twofold/v1/queue.grpc.pb.h"  // gRPC's traits of the messages
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::frontend {
namespace {

constexpr const char* kForwarded = "twofold-forwarded";
constexpr const char* kHops = "twofold-hops";
constexpr const char* kEpoch = "twofold-epoch";

constexpr auto kAskPatience = std::chrono::seconds(10);

// Frontends that have gone are forgotten with all others when there are so many.
constexpr std::size_t kMostDialers = 512;

std::string HeaderOf(const grpc::CallbackServerContext& context, const char* name) {
  const auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end()) return {};
  return {found->second.data(), found->second.size()};
}

/// 0 if it is not there, or no number.
template <typename Number>
Number NumberOf(const grpc::CallbackServerContext& context, const char* name) {
  Number number = 0;
  return absl::SimpleAtoi(HeaderOf(context, name), &number) ? number : 0;
}

}  // namespace

Caller CallerOf(const grpc::CallbackServerContext& context) {
  return {.authorization = HeaderOf(context, "authorization"),
          .deadline = context.deadline(),
          .is_forwarded = !HeaderOf(context, kForwarded).empty(),
          // Whoever says less than none would be sent around for ever.
          .hops = std::max(NumberOf<int>(context, kHops), 0),
          .epoch = NumberOf<std::uint64_t>(context, kEpoch)};
}

void Peers::Prepare(grpc::ClientContext& context, const Caller& caller) {
  if (caller.is_forwarded) {
    context.AddMetadata(kForwarded, "1");
    context.AddMetadata(kHops, std::to_string(caller.hops));
    context.AddMetadata(kEpoch, std::to_string(caller.epoch));
  }
  if (!caller.authorization.empty()) context.AddMetadata("authorization", caller.authorization);
  context.set_deadline(caller.deadline);
}

std::shared_ptr<grpc::Channel> Peers::Channel(const std::string& address) {
  const MutexLock lock(mutex_);
  if (dialers_.size() > kMostDialers) dialers_.clear();
  auto& dialer = dialers_[address];
  if (dialer == nullptr) dialer = std::make_unique<rpc::Dialer>(address, security_);
  return dialer->Channel();
}

// ---- Calls under way

struct Peers::Open {
  virtual ~Open() = default;
  virtual void TryCancel() = 0;
};

struct Peers::UnaryOpen final : Open {
  explicit UnaryOpen(const std::shared_ptr<grpc::Channel>& channel) : stub(channel) {}
  void TryCancel() override { context.TryCancel(); }

  grpc::GenericStub stub;
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer reply;
};

template <typename Request, typename Reply>
struct Peers::StreamOpen final : Open {
  explicit StreamOpen(const std::shared_ptr<grpc::Channel>& channel) : stub(channel) {}
  void TryCancel() override { stream->Cancel(); }

  grpc::TemplatedGenericStub<Request, Reply> stub;
  std::shared_ptr<rpc::ClientStream<Request, Reply>> stream;
};

Peers::~Peers() {
  std::vector<std::uint64_t> numbers;
  {
    const MutexLock lock(mutex_);
    for (const auto& [number, open] : open_) numbers.push_back(number);
  }
  for (const std::uint64_t number : numbers) BreakOff(number);
  const MutexLock lock(mutex_);
  while (!open_.empty()) left_.Wait(mutex_);
}

std::uint64_t Peers::Enter(std::shared_ptr<Open> open) {
  const MutexLock lock(mutex_);
  open_[++last_number_] = std::move(open);
  return last_number_;
}

/// The call is over, and nobody else has a hold on it. Notifies under the lock: whoever waits for
/// the end of the last call destroys this.
void Peers::Leave(std::uint64_t number) {
  const MutexLock lock(mutex_);
  dropper_.Post([open = std::move(open_.extract(number).mapped())] {});
  left_.NotifyAll();
}

void Peers::BreakOff(std::uint64_t number) {
  std::shared_ptr<Open> open;
  {
    const MutexLock lock(mutex_);
    const auto found = open_.find(number);
    if (found == open_.end()) return;
    open = found->second;
  }
  open->TryCancel();  // its end may come before this returns
  dropper_.Post([open = std::move(open)] {});
}

Peers::Cancel Peers::Call(const std::string& address, const std::string& method,
                          const grpc::ByteBuffer& request, Caller caller, Done done) {
  caller.is_forwarded = true;
  return Start(address, method, request, caller, std::move(done));
}

void Peers::SayLookAgain() {
  const Caller nobody{.authorization = {},
                      .deadline = std::chrono::system_clock::now() + kAskPatience};
  for (const Peer& peer : Others()) {
    Call(peer.client_address, "/twofold.v1.Frontends/LookAgain",
         rpc::Serialize(v1::LookAgainRequest()), nobody, [](auto&, auto&) {});
  }
}

Result<grpc::ByteBuffer> Peers::Ask(const std::string& own_address, const std::string& method,
                                    const grpc::ByteBuffer& request, Caller caller) {
  caller.deadline = std::chrono::system_clock::now() + kAskPatience;
  const auto answer = std::make_shared<std::promise<Result<grpc::ByteBuffer>>>();
  Start(own_address, method, request, caller,
        [answer](const grpc::Status& status, const grpc::ByteBuffer& reply) {
          answer->set_value(status.ok() ? Result<grpc::ByteBuffer>(reply)
                                        : Result<grpc::ByteBuffer>(rpc::FromGrpc(status)));
        });
  return answer->get_future().get();
}

Peers::Cancel Peers::Start(const std::string& address, const std::string& method,
                           const grpc::ByteBuffer& request, const Caller& caller, Done done) {
  const auto call = std::make_shared<UnaryOpen>(Channel(address));
  const std::uint64_t number = Enter(call);
  call->request = request;
  Prepare(call->context, caller);
  call->stub.UnaryCall(&call->context, method, {}, &call->request, &call->reply,
                       [this, number, reply = &call->reply,
                        done = std::move(done)](const grpc::Status& status) mutable {
                         std::exchange(done, nullptr)(status, *reply);
                         Leave(number);
                       });
  return [this, number] { BreakOff(number); };
}

template <typename Request, typename Reply>
Peers::Cancel Peers::Stream(const std::string& address, const std::string& method,
                            const Request& request, Caller caller, OnReply<Reply> on_reply,
                            OnEnd on_end) {
  caller.is_forwarded = true;
  const auto call = std::make_shared<StreamOpen<Request, Reply>>(Channel(address));
  const std::uint64_t number = Enter(call);
  call->stream = std::make_shared<rpc::ClientStream<Request, Reply>>(
      std::move(on_reply),
      [this, number, on_end = std::move(on_end)](const grpc::Status& status) mutable {
        std::exchange(on_end, nullptr)(status);
        Leave(number);
      });
  Prepare(*call->stream->context(), caller);
  call->stub.PrepareBidiStreamingCall(call->stream->context(), method, {}, call->stream.get());
  call->stream->Add([&](Request& message) {
    message = request;
    return std::size_t{1};
  });
  call->stream->Start();
  call->stream->Close();
  return [this, number] { BreakOff(number); };
}

template Peers::Cancel Peers::Stream(const std::string&, const std::string&,
                                     const v1::FollowJobRequest&, Caller, OnReply<v1::JobUpdate>,
                                     OnEnd);
template Peers::Cancel Peers::Stream(const std::string&, const std::string&,
                                     const v1::AttendRunRequest&, Caller,
                                     OnReply<v1::AttendRunReply>, OnEnd);

void Peers::Find(const std::string& queue, std::uint64_t newest_known,
                 std::function<void(Result<Place>)> done) {
  if (directory_.Find(queue).here) return done(Place{});
  directory_.Await(queue, newest_known, [this, queue, done = std::move(done)](v1::Moved moved) {
    if (directory_.Find(queue).here) return done(Place{});
    if (!moved.shards().empty()) {
      return done(Place{moved.shards(0).client_address(), moved.epoch()});
    }
    done(absl::UnavailableError(
        absl::StrCat("queue ", queue, " is served by no frontend at this moment; try again")));
  });
}

}  // namespace twofold::frontend
