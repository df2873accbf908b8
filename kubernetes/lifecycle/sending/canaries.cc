#include "kubernetes/lifecycle/sending/canaries.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "kubernetes/lifecycle/journal/record.h"

namespace twofold::lifecycle {

std::string CanaryName(const std::string& config_map, const std::string& tick) {
  return absl::StrCat(config_map, " ", tick);
}

Canaries::Canaries(const kube::Access& access, kube::ObjectName config_map, Observed& observed,
                   Duration between)
    : name_(std::move(config_map)),
      between_(between),
      observed_(observed),
      connection_(access),
      thread_([this] { Work(); }) {}

Canaries::~Canaries() { Stop(); }

void Canaries::Stop() {
  connection_.Interrupt();
  if (thread_.joinable()) thread_.join();
}

Status Canaries::failure() {
  MutexLock lock(mutex_);
  return failure_;
}

void Canaries::Work() {
  for (std::uint64_t number = 1; connection_.Sleep(between_); ++number) Write(number);
}

void Canaries::Write(std::uint64_t number) {
  const std::string tick = absl::StrCat(number);
  const auto reply = connection_.Do(
      kube::Patch(kube::kConfigMaps, name_, kube::PatchKind::kMerge, TickPatch(tick, all_sent_)));
  if (reply.ok()) {
    observed_.With([&](Observer& observer) {
      observer.Tell(
          input::CanaryWritten{CanaryName(name_.name, tick), reply->sent, reply->first_byte});
    });
  } else if (!absl::IsCancelled(reply.status())) {
    MutexLock lock(mutex_);
    failure_ = reply.status();
  }
}

}  // namespace twofold::lifecycle
