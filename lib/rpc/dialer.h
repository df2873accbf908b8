#pragma once

#include <memory>
#include <string>

#include "lib/common/backoff.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/loop_owner.h"
#include "lib/security/client.h"
#include "lib/security/tls_material.h"

namespace twofold::rpc {

/// The way to one address: a channel, and a new one in its place when it takes no further calls or
/// the files of TLS have changed. Each looks the name up again, and gives up after two to four
/// seconds (kConnectPatience, with jitter), so a server is found within five when its name is known
/// again, or known for another address.
///
/// Threads  Safe. The owner of the loop outlives it and its channels.
/// Cost     A server that is away hears from us once a second at most.
class Dialer {
 public:
  Dialer(LoopOwner& owner, std::string address, security::Client security);

  /// For the next call; one that is over if it is too early to try again: calls on it say why.
  std::shared_ptr<Channel> Get();

  /// One that is ready; null after `timeout`. Not on the loop's thread.
  std::shared_ptr<Channel> Connected(Duration timeout);

 private:
  bool IsOfUse(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  LoopOwner& owner_;
  const std::string address_;
  const security::Client security_;

  Mutex mutex_;
  std::shared_ptr<Channel> channel_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const security::TlsMaterial> tls_ ABSL_GUARDED_BY(mutex_);  // that of channel_
  Instant next_try_ ABSL_GUARDED_BY(mutex_){};  // not before, if channel_ was never ready
  Backoff pause_ ABSL_GUARDED_BY(mutex_);
  Backoff patience_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::rpc
