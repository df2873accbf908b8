#pragma once

#include <cstdint>
#include <string>

#include "kubernetes/lifecycle/storage.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "suites/lifecycle/spec.pb.h"

namespace CLI {
class App;
}

/// Options of a run beyond its plain pace: waves, a phase that fills, volumes, what it may fill.
namespace twofold::lifecycle {

struct Settings;

/// As they were typed, beside those that are fields of the suite's spec.
struct LimitOptions {
  std::string etcd_quota = "2Gi";
};
/// These, and the fields of `spec` that limits are about.
void Declare(CLI::App& app, v1::suites::LifecycleSpec& spec, LimitOptions& options);

/// What they mean.
struct LimitSettings {
  std::uint32_t wave = 0;  ///< workloads; 0: all are one wave
  Duration delay{};        ///< between waves
  std::uint32_t fill = 0;  ///< workloads that fill the cluster before the measured ones
  double fill_rate = 0;    ///< a second; 0: as fast as the connections allow
  StorageLimits storage = {};
};

/// `each` gets the volume.
/// Errors   kInvalidArgument: which option, which value, what is allowed.
Result<LimitSettings> Read(const v1::suites::LifecycleSpec& spec, const LimitOptions& options,
                           Settings& each);

}  // namespace twofold::lifecycle
