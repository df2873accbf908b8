#include "lib/rpc/health.h"

#include <algorithm>
#include <utility>

#include "grpc/health/v1/health.pb.h"

namespace twofold::rpc {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

/// Tells its caller how a service is, and again when that changes.
class HealthService::WatchCall final
    : public OneRequestCall<HealthCheckRequest, HealthCheckResponse> {
 public:
  explicit WatchCall(HealthService& health) : health_(health) {}

  void Tell(HealthCheckResponse::ServingStatus status) {
    Add(status);
    Flush();
  }

 private:
  void OnRequest(const HealthCheckRequest& request) override {
    if (!health_.Knows(request.service())) return Tell(HealthCheckResponse::SERVICE_UNKNOWN);
    {
      const MutexLock lock(health_.mutex_);
      // Under the lock: a Stop that comes next has the last word.
      Add(health_.serves_ ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING);
      health_.watchers_.Add(std::static_pointer_cast<WatchCall>(shared_from_this()));
    }
    Flush();
  }

  void Add(HealthCheckResponse::ServingStatus status) {
    OneRequestCall::Add([status](HealthCheckResponse& reply) {
      reply.set_status(status);
      return std::size_t{1};
    });
  }

  HealthService& health_;
};

HealthService::HealthService() : Service("grpc.health.v1.Health") {
  Service::Serve<HealthCheckRequest, HealthCheckResponse>(
      "Check", [this](const HealthCheckRequest& request) -> Result<HealthCheckResponse> {
        if (!Knows(request.service())) return absl::NotFoundError("there is no such service");
        HealthCheckResponse reply;
        const MutexLock lock(mutex_);
        reply.set_status(serves_ ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING);
        return reply;
      });
  Service::Serve("Watch", &HealthService::Watch);
}

void HealthService::Serve(const std::vector<Service*>& services) {
  for (const Service* const service : services) names_.push_back(service->name());
}

bool HealthService::Knows(const std::string& service) const {
  return service.empty() || std::find(names_.begin(), names_.end(), service) != names_.end();
}

Result<std::shared_ptr<ByteStream>> HealthService::Watch(const CallInfo&) {
  return std::make_shared<WatchCall>(*this);
}

void HealthService::Stop() {
  std::vector<std::weak_ptr<WatchCall>> watchers;
  {
    const MutexLock lock(mutex_);
    serves_ = false;
    watchers = watchers_.Take();
  }
  for (const auto& weak : watchers) {
    if (const auto watcher = weak.lock()) watcher->Tell(HealthCheckResponse::NOT_SERVING);
  }
}

}  // namespace twofold::rpc
