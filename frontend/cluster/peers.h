#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "frontend/queues/directory.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/rpc/dialer.h"
#include "lib/security/client.h"

namespace twofold::frontend {

/// What of a call is passed on to another frontend, which checks it as if the caller came there.
struct Caller {
  std::string authorization;
  std::chrono::system_clock::time_point deadline;
  bool is_forwarded = false;  ///< by a frontend
  int hops = 0;               ///< how often it was passed on to who serves its queue
  std::uint64_t epoch = 0;    ///< of the tenure for which it was passed on last
};

/// Of a call that comes in.
Caller CallerOf(const grpc::CallbackServerContext& context);

/// The other frontends: passes calls on to those who serve a queue. A call that comes while its
/// queue moves is passed on more than once, kMostHops times at most.
///
/// Threads  Safe. `done` comes once, from a thread of gRPC or of the Directory.
class Peers {
 public:
  /// `directory` outlives this and all calls.
  Peers(Directory& directory, security::Client security)
      : directory_(directory), security_(std::move(security)) {}

  static constexpr int kMostHops = 3;

  /// Who answers calls about a queue.
  struct Place {
    std::string address = {};  ///< empty: this frontend
    std::uint64_t epoch = 0;
  };
  /// Now or when it is known. `newest_known`: see Directory::Await.
  /// Errors   kUnavailable: nobody serves it.
  void Find(const std::string& queue, std::uint64_t newest_known,
            std::function<void(Result<Place>)> done);

  /// Those that are alive, without this one.
  [[nodiscard]] std::vector<Peer> Others() const { return directory_.Others(); }

  /// Calls a unary method, "/twofold.v1.Admin/ListQueues", with a serialized request. Returns what
  /// breaks the call off.
  using Done = std::function<void(const grpc::Status&, const grpc::ByteBuffer& reply)>;
  std::function<void()> Call(const std::string& address, const std::string& method,
                             const grpc::ByteBuffer& request, const Caller& caller, Done done);

 private:
  static void Prepare(grpc::ClientContext& context, const Caller& caller);
  std::shared_ptr<grpc::Channel> Channel(const std::string& address);

  Directory& directory_;
  const security::Client security_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<rpc::Dialer>> dialers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::frontend
