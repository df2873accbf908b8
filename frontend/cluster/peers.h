#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/queues/directory.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/rpc/dialer.h"
#include "lib/security/client.h"

namespace twofold::frontend {

/// What of a call is passed on to another frontend, which checks it as if the caller came there.
struct Caller {
  std::string authorization;
  std::chrono::system_clock::time_point deadline = {};
  /// By a frontend: it is answered here, whoever serves the queue. All that Call sends is.
  bool is_forwarded = false;
};

/// Of a call that comes in.
Caller CallerOf(const grpc::CallbackServerContext& context);

/// The other frontends: passes calls on to those who serve a queue. A call is passed on once.
///
/// Threads  Safe. `done` comes once, from a thread of gRPC or of the Directory.
class Peers {
 public:
  /// `directory` outlives this and all calls.
  Peers(Directory& directory, security::Client security)
      : directory_(directory), security_(std::move(security)) {}

  /// Who answers calls about this queue, now or when it is known: an address, or empty: this
  /// frontend. Errors   kUnavailable: nobody serves it.
  void Find(const std::string& queue, std::function<void(Result<std::string> address)> done);

  /// Those that are alive, without this one.
  [[nodiscard]] std::vector<Peer> Others() const { return directory_.Others(); }

  /// Calls a unary method, "/twofold.v1.Admin/ListQueues", with a serialized request. Returns what
  /// breaks the call off.
  /// `done` comes once.
  using Done = std::function<void(const grpc::Status&, const grpc::ByteBuffer& reply)>;
  std::function<void()> Call(const std::string& address, const std::string& method,
                             const grpc::ByteBuffer& request, Caller caller, Done done);

  /// Says to all others that who serves what has changed. Returns at once.
  void SayLookAgain();

  /// A call of this frontend's own service, which may pass it on. Blocks, for ten seconds at most.
  Result<grpc::ByteBuffer> Ask(const std::string& own_address, const std::string& method,
                               const grpc::ByteBuffer& request, Caller caller);

 private:
  std::function<void()> Start(const std::string& address, const std::string& method,
                              const grpc::ByteBuffer& request, const Caller& caller, Done done);
  static void Prepare(grpc::ClientContext& context, const Caller& caller);
  std::shared_ptr<grpc::Channel> Channel(const std::string& address);

  Directory& directory_;
  const security::Client security_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<rpc::Dialer>> dialers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::frontend
