#include "frontend/queues/usage_record.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace twofold::frontend {
namespace {

// Between two reports: ten years of a core. A sum of many of these still fits.
constexpr std::uint64_t kMostNs = 10ULL * 365 * 24 * 3600 * 1'000'000'000;

Duration Since(std::uint64_t before, std::uint64_t now) {
  if (now <= before || now - before > kMostNs) return Duration(0);
  return Duration(static_cast<Duration::rep>(now - before));
}

/// The part of `used` that fell into the last `here` of `uptime`, if it was used evenly.
Duration ShareOf(std::uint64_t used, std::uint64_t uptime_ns, Duration here) {
  const double uptime = static_cast<double>(std::max<std::uint64_t>(uptime_ns, 1));
  const double share = std::clamp(static_cast<double>(here.count()) / uptime, 0.0, 1.0);
  const Duration all = Since(0, used);
  return Duration(static_cast<Duration::rep>(static_cast<double>(all.count()) * share));
}

}  // namespace

WorkerUsage UsageRecord::Take(const v1::Usage& usage, Instant now) {
  WorkerUsage added;
  if (newest_) {
    added = {Since(newest_->cpu_ns(), usage.cpu_ns()),
             Since(newest_->throttled_ns(), usage.throttled_ns()),
             Since(newest_->uptime_ns(), usage.uptime_ns())};
  } else {
    const Duration here = now - joined_.value_or(now);
    added = {ShareOf(usage.cpu_ns(), usage.uptime_ns(), here),
             ShareOf(usage.throttled_ns(), usage.uptime_ns(), here),
             ShareOf(usage.uptime_ns(), usage.uptime_ns(), here)};
  }
  newest_ = usage;
  if (!std::isfinite(usage.cpu_quota())) newest_->clear_cpu_quota();
  return added;
}

}  // namespace twofold::frontend
