#include "kubernetes/operator/frontend_part.h"

#include "kubernetes/operator/frontend_kind.h"

namespace twofold::benchmarks {
namespace {

constexpr std::size_t kFrontendBytes = 32 << 20;

/// It does nothing about them: each object asks for its own when it is looked at.
std::unique_ptr<controller::Controller> WatchOf(const Options& options,
                                                const kube::Access& access) {
  if (options.frontends.empty()) return nullptr;
  controller::ControllerOptions of;
  of.name = "frontend";
  of.selection = {kFrontends, ""};
  of.cache_bytes = kFrontendBytes;
  return std::make_unique<controller::Controller>(
      access, of, [](const kube::ObjectName&, kube::Connection&) { return controller::Next{}; });
}

}  // namespace

FrontendPart::FrontendPart(const Options& options, const kube::Access& access)
    : watch_(WatchOf(options, access)),
      frontends_(options.frontend, options.frontends, [this](const std::string& name) {
        return watch_->Find({"", name});
      }) {}

void FrontendPart::Watch() {
  if (watch_) watch_->Watch();
}

void FrontendPart::Stop() {
  if (watch_) watch_->Stop();
}

bool FrontendPart::synced() const { return watch_ == nullptr || watch_->synced(); }

void FrontendPart::AddCounts(std::map<std::string, controller::ControllerCounts>& counts) const {
  if (watch_) counts[watch_->name()] = watch_->counts();
}

}  // namespace twofold::benchmarks
