#pragma once

#include <memory>
#include <string>

#include "lib/rpc/dialer.h"
#include "lib/rpc/route.h"
#include "lib/security/client.h"

namespace twofold::rpc {

/// What a caller shows where a Route leads: to a frontend that was named it is not the first
/// contact's name that counts.
security::Client SecurityFor(const Dial& dial, const security::Client& security);

/// The ways along a Route: to the first contact, and to the frontend that was named last.
///
/// Threads  Safe for dials that lead to the first contact. Others: from one thread, which uses the
///          Dialer until it asks for one of another name.
class RouteDialer {
 public:
  /// `first` is the address of the first contact.
  RouteDialer(LoopOwner& owner, std::string first, security::Client security);

  Dialer& Of(const Dial& dial);

 private:
  LoopOwner& owner_;
  const security::Client security_;
  Dialer first_;
  std::unique_ptr<Dialer> named_;  // null: none was
  std::string named_address_;
};

}  // namespace twofold::rpc
