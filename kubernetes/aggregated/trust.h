#pragma once

#include <memory>
#include <string>
#include <thread>

#include "kubernetes/aggregated/front_proxy.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::aggregated {

/// Follows what the cluster says of its front proxy, from construction to destruction, on a thread
/// of its own. What was read last counts while the API server is away, and when it says what cannot
/// be used.
///
/// Threads  Safe.
/// Errors   Logged when their reason changes; Get says the last one as long as nothing is known.
class Trust {
 public:
  explicit Trust(kube::Access access);
  ~Trust();
  Trust(const Trust&) = delete;
  Trust& operator=(const Trust&) = delete;

  /// Errors   kUnavailable: it has not been read yet, and why.
  [[nodiscard]] Result<std::shared_ptr<const FrontProxy>> Get() const;

 private:
  void Take(const kube::WatchEvent& event);
  void Fail(const Status& why);

  mutable Mutex mutex_;
  std::shared_ptr<const FrontProxy> known_ ABSL_GUARDED_BY(mutex_);
  std::string trouble_ ABSL_GUARDED_BY(mutex_);  // empty: none
  const std::unique_ptr<kube::Watcher> watcher_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace twofold::aggregated
