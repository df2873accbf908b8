#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "lib/common/backoff.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/rpc/channel.h"
#include "lib/security/client.h"
#include "lib/security/tls_material.h"

namespace twofold::rpc {

/// A channel without a connection for this long is of no use any more: it may not look its name up
/// again for 30 s, or 2 min when there was no answer, whatever limits it is given.
inline constexpr Duration kConnectPatience = std::chrono::seconds(4);

/// The way to one address: a channel, and a new one in its place when it has had no connection for
/// two to four seconds (kConnectPatience, with jitter), so that a server is found within five when
/// its name is known again, or known for another address. Also when the files of TLS have changed.
///
/// Threads  Safe. What it returns is kept as long as it is used, and dropped on a thread of the
///          caller's own, as every channel.
/// Cost     Without a connection, two or three lookups or tries to connect with each channel.
class Dialer {
 public:
  Dialer(std::string address, security::Client security);

  /// For the next call.
  std::shared_ptr<grpc::Channel> Channel();

  /// One that is connected; null after `timeout`. The kernel watches the connection, so a stream on
  /// it notices within 11 s that the server's host is gone (KeepTcpAlive); other calls notice it
  /// within half a minute, by gRPC's pings.
  std::shared_ptr<grpc::Channel> Connected(Duration timeout);

 private:
  bool IsOfUse(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string address_;
  const security::Client security_;

  Mutex mutex_;
  std::shared_ptr<grpc::Channel> channel_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const security::TlsMaterial> tls_ ABSL_GUARDED_BY(mutex_);  // that of channel_
  Instant last_good_ ABSL_GUARDED_BY(mutex_);    // when it was connected or made
  Duration patience_ ABSL_GUARDED_BY(mutex_){};  // with this channel
  Backoff jitter_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::rpc
