#include "kubernetes/operator/pool_part.h"

#include <chrono>
#include <utility>
#include <vector>

#include "kubernetes/api/list.h"
#include "lib/common/host_name.h"

namespace twofold::benchmarks {
namespace {

constexpr std::size_t kPoolBytes = 64 << 20;
constexpr std::size_t kPodBytes = 128 << 20;
constexpr Duration kUntilAllIsKnown = std::chrono::milliseconds(200);

controller::ControllerOptions OptionsForPools(int workers, const std::string& space,
                                              const std::string& end) {
  controller::ControllerOptions of;
  of.name = "workerpool" + end;
  of.selection = {pools::kWorkerPools, space};
  of.workers = workers;
  of.cache_bytes = kPoolBytes;
  return of;
}

controller::ControllerOptions OptionsForPods(const std::string& space, const std::string& end) {
  controller::ControllerOptions of;
  of.name = "pod" + end;
  of.selection = {kube::kPods, space, pools::kPoolLabel};
  of.cache_bytes = kPodBytes;
  of.part = pools::PartOfPod;
  return of;
}

}  // namespace

/// The API server by one worker's connection, and both caches.
class PoolPart::PartCluster final : public PoolCluster {
 public:
  PartCluster(PoolPart& part, kube::Connection& connection)
      : part_(part), connection_(connection) {}

  [[nodiscard]] controller::Snapshot Find(const kube::ObjectName& pool) const override {
    return part_.pools_.Find(pool);
  }

  [[nodiscard]] std::vector<controller::Snapshot> PodsOf(
      const kube::ObjectName& pool) const override {
    std::vector<controller::Snapshot> pods = part_.pods_.All();
    std::erase_if(pods, [&](const controller::Snapshot& pod) {
      return kube::NameOf(*pod).space != pool.space ||
             kube::LabelOf(*pod, pools::kPoolLabel) != pool.name;
    });
    return pods;
  }

  [[nodiscard]] bool knows_all() const override { return part_.pods_.counts().cache.left_out == 0; }

  Result<std::vector<std::string>> ListPodsOf(const kube::ObjectName& pool) override {
    std::vector<std::string> names;
    const Status status = kube::ForEach(
        connection_, {kube::kPods, pool.space, std::string(pools::kPoolLabel) + "=" + pool.name},
        [&names](const kube::Json& pod) { names.push_back(kube::NameOf(pod).name); },
        [&names] { names.clear(); });
    if (!status.ok()) return status;
    return names;
  }

  Result<kube::Json> Write(const kube::Call& call) override {
    Result<kube::Reply> reply = connection_.Do(call);
    if (!reply.ok()) return reply.status();
    const std::string kind = kube::TextAt(reply->body, "/kind");
    if (kind == kube::kPods.kind) part_.pods_.Note(reply->body);
    if (kind == pools::kWorkerPools.kind) part_.pools_.Note(reply->body);
    return std::move(reply->body);
  }

 private:
  PoolPart& part_;
  kube::Connection& connection_;
};

PoolPart::PoolPart(const Options& options, const kube::Access& access,
                   const FrontendPart& frontends, const std::string& space, const std::string& end)
    : frontend_(frontends.frontends()),
      reconciler_(frontend_, {.poll = FromSeconds(options.poll_seconds)}, HostName()),
      pools_(access, OptionsForPools(options.workers, space, end),
             [this, &frontends](const kube::ObjectName& name,
                                kube::Connection& connection) -> Result<controller::Next> {
               if (!pods_.synced() || !frontends.synced())
                 return controller::Next{kUntilAllIsKnown};
               PartCluster cluster(*this, connection);
               return reconciler_.Reconcile(cluster, name, Now(), std::chrono::system_clock::now());
             }),
      pods_(access, OptionsForPods(space, end),
            [this](const kube::ObjectName& name, kube::Connection&) {
              pools_.Add({name.space, pools::PoolOfPod(name.name)});
              return Result<controller::Next>(controller::Next{});
            }) {}

PoolPart::~PoolPart() { Stop(); }

void PoolPart::Watch() {
  pods_.Watch();
  pools_.Watch();
}

void PoolPart::Work() {
  pods_.Work();
  pools_.Work();
}

void PoolPart::Stop() {
  pods_.Stop();
  pools_.Stop();
}

void PoolPart::AddCounts(std::map<std::string, controller::ControllerCounts>& counts) const {
  for (const controller::Controller* each : {&pools_, &pods_}) {
    counts[each->name()] = each->counts();
  }
}

}  // namespace twofold::benchmarks
