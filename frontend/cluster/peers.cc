#include "frontend/cluster/peers.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/generic/generic_stub.h>

#include <future>

#include "lib/rpc/channel.h"
#include "lib/rpc/wire.h"
#include "twofold/v1/frontends.pb.h"

namespace twofold::frontend {
namespace {

constexpr const char* kForwarded = "twofold-forwarded";

constexpr auto kAskPatience = std::chrono::seconds(10);

// Frontends that have gone are forgotten with all others when there are so many.
constexpr std::size_t kMostDialers = 512;

std::string HeaderOf(const grpc::CallbackServerContext& context, const char* name) {
  const auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end()) return {};
  return {found->second.data(), found->second.size()};
}

}  // namespace

Caller CallerOf(const grpc::CallbackServerContext& context) {
  return {.authorization = HeaderOf(context, "authorization"),
          .deadline = context.deadline(),
          .is_forwarded = !HeaderOf(context, kForwarded).empty()};
}

void Peers::Prepare(grpc::ClientContext& context, const Caller& caller) {
  if (caller.is_forwarded) context.AddMetadata(kForwarded, "1");
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

std::function<void()> Peers::Call(const std::string& address, const std::string& method,
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

std::function<void()> Peers::Start(const std::string& address, const std::string& method,
                                   const grpc::ByteBuffer& request, const Caller& caller,
                                   Done done) {
  struct Open {
    explicit Open(const std::shared_ptr<grpc::Channel>& channel) : stub(channel) {}
    grpc::GenericStub stub;
    grpc::ClientContext context;
    grpc::ByteBuffer request;
    grpc::ByteBuffer reply;
  };
  const auto open = std::make_shared<Open>(Channel(address));
  open->request = request;
  Prepare(open->context, caller);
  open->stub.UnaryCall(
      &open->context, method, {}, &open->request, &open->reply,
      [open, done = std::move(done)](const grpc::Status& status) { done(status, open->reply); });
  return [open] { open->context.TryCancel(); };
}

void Peers::Find(const std::string& queue, std::function<void(Result<std::string>)> done) {
  if (directory_.Find(queue).here) return done(std::string());
  directory_.Await(queue, 0, [this, queue, done = std::move(done)](const v1::Moved& moved) {
    if (directory_.Find(queue).here) return done(std::string());
    if (!moved.shards().empty()) return done(moved.shards(0).client_address());
    done(absl::UnavailableError(
        absl::StrCat("queue ", queue, " is served by no frontend at this moment; try again")));
  });
}

}  // namespace twofold::frontend
