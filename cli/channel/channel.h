#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/rpc/route.h"
#include "lib/security/client.h"
#include "lib/security/tls_material.h"

/// The command line's connections: it calls by gRPC's own library, as any program of somebody else
/// would.
namespace twofold::cli {

/// A channel to `address` (host:port, or a list as Contacts() accepts, whose first that lets it is
/// taken) with a connection of its own and our message limits.
/// With the TLS that `security` says, as its files are now, and through its proxy, but through none
/// that only the environment names; of a list a proxy is asked for the first address.
/// Pauses between the channel's own tries grow from `first_pause` to 5 s.
std::shared_ptr<grpc::Channel> Connect(const std::string& address,
                                       const security::Client& security = {},
                                       Duration first_pause = std::chrono::milliseconds(100));

/// Adds the token, if there is one, to a call that is about to begin.
void Authorize(grpc::ClientContext& context, const security::Client& security);

/// Details go along, see rpc/status_details.h.
Status FromGrpc(const grpc::Status& status);

/// A channel to one address, and a new one in its place when it has had no connection for some four
/// seconds, as gRPC may not look its name up again for minutes. Also when the files of TLS have
/// changed.
///
/// Threads  Safe.
class Redialed {
 public:
  Redialed(std::string address, security::Client security);

  /// For the next call.
  std::shared_ptr<grpc::Channel> Channel();

  /// One that is connected; null after `timeout`.
  std::shared_ptr<grpc::Channel> Connected(Duration timeout);

 private:
  bool IsOfUse(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string address_;
  const security::Client security_;

  Mutex mutex_;
  std::shared_ptr<grpc::Channel> channel_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const security::TlsMaterial> tls_ ABSL_GUARDED_BY(mutex_);  // that of channel_
  Instant last_good_ ABSL_GUARDED_BY(mutex_);  // when it was connected or made
};

/// The channels along a Route: to the first contact, and to the frontend that was named last.
///
/// Threads  Safe for dials that lead to the first contact; others: one thread.
class RouteChannels {
 public:
  /// `first` is the address of the first contact.
  RouteChannels(const std::string& first, security::Client security);

  Redialed& Of(const rpc::Dial& dial);

 private:
  const security::Client security_;
  Redialed first_;
  std::unique_ptr<Redialed> named_;  // null: none was
  std::string named_address_;
};

}  // namespace twofold::cli
