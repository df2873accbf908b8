#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/operator/frontends.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::benchmarks {

/// Whether both lead to the same frontend by the same files.
bool LeadsTo(const cli::Globals& a, const cli::Globals& b);

/// What speaks to frontends, one T for each namespace at each of them, made of cli::Globals that
/// outlive it. A namespace gets its own, and with it its token; another one when the Frontend has
/// changed.
///
/// Threads  Safe.
/// Memory   Each T stays; there are as many as Frontends list namespaces.
template <typename T>
class Sites {
 public:
  /// `frontends` outlives it.
  explicit Sites(const Frontends& frontends) : frontends_(frontends) {}

  /// Errors   Those of Frontends::SiteOf.
  Result<std::shared_ptr<T>> Of(const kube::Json& object) {
    Result<Site> site = frontends_.SiteOf(object);
    if (!site.ok()) return site.status();
    std::shared_ptr<Known> before;  // ends after the lock: it may wait for its streams
    const MutexLock lock(mutex_);
    std::shared_ptr<Known>& known = known_[{site->frontend, site->space}];
    if (known == nullptr || !LeadsTo(known->globals, site->globals)) {
      before = std::exchange(known, std::make_shared<Known>(std::move(site->globals)));
    }
    return std::shared_ptr<T>(known, &known->speaker);
  }

  std::vector<std::shared_ptr<T>> All() {
    const MutexLock lock(mutex_);
    std::vector<std::shared_ptr<T>> all;
    for (const auto& [place, known] : known_) all.emplace_back(known, &known->speaker);
    return all;
  }

 private:
  struct Known {
    explicit Known(cli::Globals of) : globals(std::move(of)), speaker(globals) {}

    const cli::Globals globals;
    T speaker;
  };

  const Frontends& frontends_;
  Mutex mutex_;
  /// By frontend and namespace.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Known>> known_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::benchmarks
