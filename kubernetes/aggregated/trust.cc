#include "kubernetes/aggregated/trust.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace twofold::aggregated {
namespace {

/// A role may name the one ConfigMap: `list` and `watch` are then allowed by its name alone.
kube::Selection TheConfigMap() {
  return {.resource = kube::kConfigMaps,
          .space = kAuthenticationConfig.space,
          .fields = absl::StrCat("metadata.name=", kAuthenticationConfig.name)};
}

}  // namespace

Trust::Trust(kube::Access access)
    : watcher_(kube::Watcher::Start(std::move(access), TheConfigMap())),
      thread_([this] { watcher_->ForEach([this](const auto& event) { Take(event); }); }) {}

Trust::~Trust() {
  watcher_->Stop();
  thread_.join();
}

Result<std::shared_ptr<const FrontProxy>> Trust::Get() const {
  const MutexLock lock(mutex_);
  if (known_ != nullptr) return known_;
  return absl::UnavailableError(
      absl::StrCat("it is not known yet how the API server shows that it is the one",
                   trouble_.empty() ? "" : ": ", trouble_));
}

void Trust::Take(const kube::WatchEvent& event) {
  using enum kube::WatchEvent::Kind;
  if (event.kind == kTrouble) return Fail(event.trouble);
  if (event.kind != kListed && event.kind != kAdded && event.kind != kModified) return;
  auto read = ReadFrontProxy(event.object);
  if (!read.ok()) return Fail(read.status());
  const MutexLock lock(mutex_);
  trouble_.clear();
  if (known_ != nullptr && *known_ == *read) return;
  if (known_ != nullptr) spdlog::info("the API server's front proxy has changed");
  known_ = std::make_shared<const FrontProxy>(*std::move(read));
}

void Trust::Fail(const Status& why) {
  std::string text(why.message());
  const MutexLock lock(mutex_);
  if (text != trouble_) spdlog::warn("{}", text);
  trouble_ = std::move(text);
}

}  // namespace twofold::aggregated
