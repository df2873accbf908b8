#include "frontend/cluster/peers.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "lib/h2/limits.h"
#include "lib/rpc/parse.h"
#include "lib/rpc/status_details.h"
#include "twofold/v1/frontends.pb.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {
namespace {

constexpr const char* kForwarded = "twofold-forwarded";
constexpr const char* kHops = "twofold-hops";
constexpr const char* kEpoch = "twofold-epoch";

constexpr auto kSayPatience = std::chrono::seconds(10);

// Frontends that have gone are forgotten with all others when there are so many.
constexpr std::size_t kMostAddresses = 512;

// On one connection: far fewer than a server takes.
constexpr int kCallsOfWay = h2::Limits().streams / 4;

// CallInfo's word for a caller who waits for ever.
constexpr auto kForEver = std::chrono::system_clock::time_point::max();

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

namespace {

/// Of a call to another frontend.
h2::CallOptions OptionsOf(const std::string& method, const Caller& caller) {
  h2::CallOptions options{.path = method};
  if (caller.is_forwarded) {
    options.metadata = {{kForwarded, "1"},
                        {kHops, std::to_string(caller.hops)},
                        {kEpoch, std::to_string(caller.epoch)}};
  }
  if (!caller.authorization.empty()) {
    options.metadata.emplace_back("authorization", caller.authorization);
  }
  if (caller.deadline != kForEver) {
    options.deadline = Now() + (caller.deadline - std::chrono::system_clock::now());
  }
  return options;
}

}  // namespace

// ---- Ways

/// The first one that has room: the last ones are those that nobody uses any more.
std::shared_ptr<rpc::Dialer> Peers::WayTo(const std::string& address) {
  const MutexLock lock(mutex_);
  if (ways_.size() > kMostAddresses) ways_.clear();
  auto& ways = ways_[address];
  while (ways.size() > 1 && ways.back().use_count() == 1) ways.pop_back();
  for (const auto& way : ways) {
    if (way.use_count() <= kCallsOfWay) return way;
  }
  return ways.emplace_back(std::make_shared<rpc::Dialer>(loop_, address, security_));
}

// ---- Calls under way

Peers::~Peers() {
  std::vector<std::uint64_t> numbers;
  {
    const MutexLock lock(mutex_);
    for (const auto& [number, call] : under_way_) numbers.push_back(number);
  }
  for (const std::uint64_t number : numbers) BreakOff(number);
  const MutexLock lock(mutex_);
  while (!under_way_.empty()) left_.Wait(mutex_);
}

std::uint64_t Peers::NextNumber() {
  const MutexLock lock(mutex_);
  return ++last_number_;
}

/// Starts the call, which ends with Leave.
Peers::Cancel Peers::Enter(std::uint64_t number, UnderWay begun,
                           const std::shared_ptr<rpc::Dialer>& way, h2::CallOptions options) {
  const auto call = begun.call;
  {
    const MutexLock lock(mutex_);
    under_way_[number] = std::move(begun);
  }
  call->Start(way->Get(), std::move(options));
  return [this, number] { BreakOff(number); };
}

/// Notifies under the lock: whoever waits for the end of the last call destroys this.
void Peers::Leave(std::uint64_t number) {
  const MutexLock lock(mutex_);
  under_way_.erase(number);
  left_.NotifyAll();
}

void Peers::BreakOff(std::uint64_t number) {
  std::shared_ptr<rpc::OutgoingCall> call;
  {
    const MutexLock lock(mutex_);
    const auto found = under_way_.find(number);
    if (found == under_way_.end()) return;
    call = found->second.call;
  }
  call->Cancel();
}

Peers::Cancel Peers::Call(const std::string& address, const std::string& method,
                          const google::protobuf::Message& request, Caller caller, Done done) {
  caller.is_forwarded = true;
  return Start(address, method, request, caller, std::move(done));
}

void Peers::AwaitAnswers(Duration limit) {
  const Instant until = Now() + limit;
  const MutexLock lock(mutex_);
  const auto is_unary = [](const auto& each) { return each.second.is_unary; };
  while (std::any_of(under_way_.begin(), under_way_.end(), is_unary) &&
         left_.WaitUntil(mutex_, until)) {
  }
}

void Peers::SayLookAgain() {
  Caller me = self();
  me.deadline = std::chrono::system_clock::now() + kSayPatience;
  for (const Peer& peer : Others()) {
    Call(peer.client_address, "/twofold.v1.Frontends/LookAgain", v1::LookAgainRequest(), me,
         [](const auto&) {});
  }
}

Result<std::string> Peers::Ask(const std::string& address, const std::string& method,
                               const google::protobuf::Message& request, Caller caller,
                               std::chrono::milliseconds patience) {
  caller.deadline = std::chrono::system_clock::now() + patience;
  const auto answer = std::make_shared<std::promise<Result<std::string>>>();
  Start(address, method, request, caller,
        [answer](Result<std::string> reply) { answer->set_value(std::move(reply)); });
  return answer->get_future().get();
}

std::map<std::string, std::string> Peers::AskOthers(const std::string& method,
                                                    const google::protobuf::Message& request,
                                                    std::chrono::milliseconds patience) {
  using Answer = std::pair<std::string, Result<std::string>>;
  Caller me = self();
  me.deadline = std::chrono::system_clock::now() + patience;
  std::vector<std::future<Answer>> answers;
  for (const Peer& peer : Others()) {
    const auto answer = std::make_shared<std::promise<Answer>>();
    answers.push_back(answer->get_future());
    Call(peer.client_address, method, request, me,
         [answer, address = peer.client_address](Result<std::string> reply) {
           answer->set_value({address, std::move(reply)});
         });
  }
  std::map<std::string, std::string> replies;
  for (std::future<Answer>& each : answers) {
    auto [address, reply] = each.get();
    if (reply.ok()) replies[address] = *std::move(reply);
  }
  return replies;
}

Peers::Cancel Peers::Start(const std::string& address, const std::string& method,
                           const google::protobuf::Message& request, const Caller& caller,
                           Done done) {
  const std::uint64_t number = NextNumber();
  const auto way = WayTo(address);
  const auto call = std::make_shared<rpc::UnaryRequest>(
      request.SerializeAsString(),
      [this, number, way, done = std::move(done)](Result<std::string> reply) {
        done(std::move(reply));
        Leave(number);
      });
  return Enter(number, {.call = call, .is_unary = true}, way, OptionsOf(method, caller));
}

std::shared_ptr<rpc::AwaitedCall> Peers::Open(const std::string& address, const std::string& method,
                                              Caller caller) {
  caller.is_forwarded = true;
  const std::uint64_t number = NextNumber();
  auto way = WayTo(address);
  auto call = std::make_shared<rpc::AwaitedCall>();
  rpc::AwaitedCall* const opened = call.get();
  Enter(number, {.call = call}, way, OptionsOf(method, caller));
  return {opened,
          [this, number, call = std::move(call), way = std::move(way)](auto*) { Leave(number); }};
}

template <typename Request, typename Reply>
Task<Status> Peers::Stream(Answerer there, std::string method, Request request, Caller caller,
                           std::stop_token gone, OnReply<Reply> on_reply) {
  caller.epoch = there.epoch;
  const auto call = Open(there.address, method, std::move(caller));
  const std::stop_callback cancel(std::move(gone), [&call] { call->Cancel(); });
  std::string asked = request.SerializeAsString();
  if (const bool is_taken = co_await call->Write(asked); is_taken) call->HalfClose();
  for (;;) {
    const std::optional<std::string> message = co_await call->Read();
    if (!message) break;
    Reply reply;
    if (const Status bad = rpc::Parse(*message, reply); !bad.ok()) {
      call->Cancel();
      co_return absl::InternalError(bad.message());
    }
    on_reply(reply);
  }
  co_return rpc::WithDetails(call->status(), call->trailers());
}

template Task<Status> Peers::Stream(Answerer, std::string, v1::FollowJobRequest, Caller,
                                    std::stop_token, OnReply<v1::JobUpdate>);
template Task<Status> Peers::Stream(Answerer, std::string, v1::AttendRunRequest, Caller,
                                    std::stop_token, OnReply<v1::AttendRunReply>);

Later<Peers::Answerer> Peers::Find(const std::string& queue, std::uint64_t newest_known) {
  return Later<Answerer>([this, queue, newest_known](auto done) {
    if (directory_.Find(queue).here) return done(Answerer{});
    directory_.Await(queue, newest_known,
                     [this, queue, done](v1::Moved moved) { done(FoundAt(queue, moved)); });
  });
}

/// Who answers, as the directory has it now or has told.
Result<Peers::Answerer> Peers::FoundAt(const std::string& queue, const v1::Moved& moved) {
  if (directory_.Find(queue).here) return Answerer{};
  if (!moved.shards().empty()) {
    const v1::Shard& there = moved.shards(0);
    return Answerer{there.client_address(), moved.epoch(), there.worker_address()};
  }
  return absl::UnavailableError(
      absl::StrCat("queue ", queue, " is served by no frontend at this moment; try again"));
}

}  // namespace twofold::frontend
