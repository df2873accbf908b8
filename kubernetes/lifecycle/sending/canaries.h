#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "kubernetes/api/call.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/lifecycle/journal/observed.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// What a canary is called among those of all ConfigMaps and processes.
std::string CanaryName(const std::string& config_map, const std::string& tick);

/// Writes a number into a ConfigMap each second, and tells the Observer when.
///
/// Threads  A thread of its own, with a connection of its own, until Stop. Safe.
class Canaries {
 public:
  Canaries(const kube::Access& access, kube::ObjectName config_map, Observed& observed,
           Duration between = std::chrono::seconds(1));
  ~Canaries();
  void Stop();

  /// From the next number on, the ConfigMap says that all has been sent.
  void SayAllSent() { all_sent_ = true; }

  Status failure();  ///< of the last write that failed, if any did

 private:
  void Work();
  void Write(std::uint64_t number);

  const kube::ObjectName name_;
  const Duration between_;
  Observed& observed_;
  kube::Connection connection_;
  std::atomic<bool> all_sent_ = false;
  Mutex mutex_;
  Status failure_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace twofold::lifecycle
