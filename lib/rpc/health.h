#pragma once

#include <string>
#include <vector>

#include "lib/common/mutex.h"
#include "lib/rpc/service.h"
#include "lib/rpc/weak_list.h"

namespace twofold::rpc {

/// grpc.health.v1.Health, by which probes ask whether a server serves.
///
/// Threads  Safe.
class HealthService final : public Service {
 public:
  HealthService();

  /// These are served from now on, as is the server as a whole. Call it before the first call.
  void Serve(const std::vector<Service*>& services);

  /// Nothing is served from now on: whoever watches is told.
  void Stop();

 private:
  class WatchCall;

  [[nodiscard]] bool Knows(const std::string& service) const;
  Result<std::shared_ptr<ByteStream>> Watch(const CallInfo& call);

  std::vector<std::string> names_;
  Mutex mutex_;
  bool serves_ ABSL_GUARDED_BY(mutex_) = true;
  WeakList<WatchCall> watchers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::rpc
