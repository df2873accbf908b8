#pragma once

#include <cstdint>
#include <string>

#include "cli/lifecycle/storage.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

/// Options of a run beyond its plain pace: waves, a phase that fills, volumes, what it may fill.
namespace twofold::lifecycle {

struct Settings;

/// As they were typed.
struct LimitOptions {
  std::uint32_t wave = 0;
  double delay_seconds = 0;
  std::uint32_t fill = 0;
  double fill_rate = 0;
  std::string pvc;
  std::string storage_class;
  std::string etcd_quota = "2Gi";
};
void Declare(CLI::App& app, LimitOptions& options);

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
Result<LimitSettings> Read(const LimitOptions& options, Settings& each);

/// A number a second.
CLI::Validator PerSecond(double least, double most);

}  // namespace twofold::lifecycle
