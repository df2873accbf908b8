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

constexpr auto kSayPatience = std::chrono::seconds(10);

// Frontends that have gone are forgotten with all others when there are so many.
constexpr std::size_t kMostDialers = 512;

// Of relayed streams, on one connection: few enough that one thread at a time can deal with it, and
// far fewer than calls may be.
constexpr int kStreamsOfWay = 64;

std::string HeaderOf(const rpc::CallInfo& call, const char* name) {
  const std::string* const found = h2::Find(call.metadata, name);
  return found == nullptr ? "" : *found;
}

/// 0 if it is not there, or no number.
template <typename Number>
Number NumberOf(const rpc::CallInfo& call, const char* name) {
  Number number = 0;
  return absl::SimpleAtoi(HeaderOf(call, name), &number) ? number : 0;
}

}  // namespace

Caller CallerOf(const rpc::CallInfo& call) {
  return {.authorization = HeaderOf(call, "authorization"),
          .deadline = call.deadline,
          .is_forwarded = !HeaderOf(call, kForwarded).empty(),
          // Whoever says less than none would be sent around for ever.
          .hops = std::max(NumberOf<int>(call, kHops), 0),
          .epoch = NumberOf<std::uint64_t>(call, kEpoch)};
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

// ---- Streams that go on elsewhere

/// The first one that has room: the last ones are those that no stream uses any more.
std::shared_ptr<Way> Peers::WayTo(const std::string& address) {
  const MutexLock lock(mutex_);
  if (ways_.size() > kMostDialers) dropper_.Post([old = std::exchange(ways_, {})] {});
  auto& ways = ways_[address];
  while (ways.size() > 1 && ways.back().use_count() == 1) {
    dropper_.Post([unused = std::move(ways.back())] {});
    ways.pop_back();
  }
  for (const auto& way : ways) {
    if (way.use_count() <= kStreamsOfWay) return way;
  }
  return ways.emplace_back(std::make_shared<Way>(address, security_));
}

std::shared_ptr<rpc::Passage> Peers::Relay(const std::string& address, const std::string& method,
                                           Caller caller) {
  const std::shared_ptr<RelayedStream> relayed(
      new RelayedStream(WayTo(address), method), [this](RelayedStream* over) {
        dropper_.Post([over = std::shared_ptr<RelayedStream>(over)] {});
      });
  caller.is_forwarded = true;
  Prepare(relayed->context(), caller);
  return relayed;
}

// ---- Calls under way

struct Peers::Open {
  virtual ~Open() = default;
  virtual void TryCancel() = 0;
  /// Once, and soon: it is no stream.
  [[nodiscard]] virtual bool IsAnswered() const { return false; }
};

struct Peers::UnaryOpen final : Open {
  explicit UnaryOpen(const std::shared_ptr<grpc::Channel>& channel) : stub(channel) {}
  void TryCancel() override { context.TryCancel(); }
  [[nodiscard]] bool IsAnswered() const override { return true; }

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

void Peers::AwaitAnswers(Duration limit) {
  const Instant until = Now() + limit;
  const MutexLock lock(mutex_);
  const auto is_answered = [](const auto& each) { return each.second->IsAnswered(); };
  while (std::any_of(open_.begin(), open_.end(), is_answered) && left_.WaitUntil(mutex_, until)) {
  }
}

void Peers::SayLookAgain() {
  Caller me = self();
  me.deadline = std::chrono::system_clock::now() + kSayPatience;
  for (const Peer& peer : Others()) {
    Call(peer.client_address, "/twofold.v1.Frontends/LookAgain",
         rpc::Serialize(v1::LookAgainRequest()), me, [](auto&, auto&) {});
  }
}

Result<grpc::ByteBuffer> Peers::Ask(const std::string& address, const std::string& method,
                                    const grpc::ByteBuffer& request, Caller caller,
                                    std::chrono::milliseconds patience) {
  caller.deadline = std::chrono::system_clock::now() + patience;
  const auto answer = std::make_shared<std::promise<Result<grpc::ByteBuffer>>>();
  Start(address, method, request, caller,
        [answer](const grpc::Status& status, const grpc::ByteBuffer& reply) {
          answer->set_value(status.ok() ? Result<grpc::ByteBuffer>(reply)
                                        : Result<grpc::ByteBuffer>(rpc::FromGrpc(status)));
        });
  return answer->get_future().get();
}

std::map<std::string, grpc::ByteBuffer> Peers::AskOthers(const std::string& method,
                                                         const grpc::ByteBuffer& request,
                                                         std::chrono::milliseconds patience) {
  using Answer = std::pair<std::string, Result<grpc::ByteBuffer>>;
  Caller me = self();
  me.deadline = std::chrono::system_clock::now() + patience;
  std::vector<std::future<Answer>> answers;
  for (const Peer& peer : Others()) {
    const auto answer = std::make_shared<std::promise<Answer>>();
    answers.push_back(answer->get_future());
    Call(peer.client_address, method, request, me,
         [answer, address = peer.client_address](const grpc::Status& status,
                                                 const grpc::ByteBuffer& reply) {
           answer->set_value(
               {address, status.ok() ? Result<grpc::ByteBuffer>(reply) : rpc::FromGrpc(status)});
         });
  }
  std::map<std::string, grpc::ByteBuffer> replies;
  for (std::future<Answer>& each : answers) {
    const auto [address, reply] = each.get();
    if (reply.ok()) replies[address] = *reply;
  }
  return replies;
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
      const v1::Shard& there = moved.shards(0);
      return done(Place{there.client_address(), moved.epoch(), there.worker_address()});
    }
    done(absl::UnavailableError(
        absl::StrCat("queue ", queue, " is served by no frontend at this moment; try again")));
  });
}

}  // namespace twofold::frontend
