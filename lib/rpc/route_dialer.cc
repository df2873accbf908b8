#include "lib/rpc/route_dialer.h"

#include <utility>

namespace twofold::rpc {

security::Client SecurityFor(const Dial& dial, const security::Client& security) {
  return dial.named ? security.WithoutServerName() : security;
}

RouteDialer::RouteDialer(LoopOwner& owner, std::string first, security::Client security)
    : owner_(owner), security_(std::move(security)), first_(owner, std::move(first), security_) {}

Dialer& RouteDialer::Of(const Dial& dial) {
  if (!dial.named) return first_;
  if (named_ == nullptr || named_address_ != dial.address) {
    named_ = std::make_unique<Dialer>(owner_, dial.address, SecurityFor(dial, security_));
    named_address_ = dial.address;
  }
  return *named_;
}

}  // namespace twofold::rpc
