#include "kubernetes/operator/perftest_part.h"

#include <absl/strings/str_cat.h>

#include "kubernetes/operator/perftest_workers.h"
#include "kubernetes/pools/pods.h"

namespace twofold::benchmarks {
namespace {

constexpr std::size_t kPoolsBytes = 16 << 20;

/// It does nothing about them: each object asks for its own when it is looked at.
std::unique_ptr<controller::Controller> WatchOfPools(const Options& options,
                                                     const kube::Access& access) {
  if (options.perftest_workers.empty()) return nullptr;
  controller::ControllerOptions of;
  of.name = "perftest-workers";
  of.selection = {pools::kWorkerPools, options.perftest_workers,
                  absl::StrCat(kWorkersForLabel, "=", kForPerftest)};
  of.cache_bytes = kPoolsBytes;
  return std::make_unique<controller::Controller>(
      access, of, [](const kube::ObjectName&, kube::Connection&) { return controller::Next{}; });
}

}  // namespace

PerftestPart::PerftestPart(const Options& options, const kube::Access& access)
    : watch_(WatchOfPools(options, access)) {}

void PerftestPart::Watch() {
  if (watch_) watch_->Watch();
}

void PerftestPart::Stop() {
  if (watch_) watch_->Stop();
}

bool PerftestPart::synced() const { return watch_ == nullptr || watch_->synced(); }

controller::Snapshot PerftestPart::PoolFor(const kube::Json& object) const {
  return watch_ ? benchmarks::PoolFor(object, watch_->All()) : nullptr;
}

void PerftestPart::AddCounts(std::map<std::string, controller::ControllerCounts>& counts) const {
  if (watch_) counts[watch_->name()] = watch_->counts();
}

}  // namespace twofold::benchmarks
