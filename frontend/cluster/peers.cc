#include "frontend/cluster/peers.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <grpcpp/generic/generic_stub.h>

namespace twofold::frontend {
namespace {

constexpr const char* kForwarded = "twofold-forwarded";
constexpr const char* kHops = "twofold-hops";
constexpr const char* kEpoch = "twofold-epoch";

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
          .hops = NumberOf<int>(context, kHops),
          .epoch = NumberOf<std::uint64_t>(context, kEpoch)};
}

void Peers::Prepare(grpc::ClientContext& context, const Caller& caller) {
  context.AddMetadata(kForwarded, "1");
  context.AddMetadata(kHops, std::to_string(caller.hops));
  context.AddMetadata(kEpoch, std::to_string(caller.epoch));
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
