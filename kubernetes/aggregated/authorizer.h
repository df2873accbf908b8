#pragma once

#include <memory>
#include <vector>

#include "kubernetes/aggregated/attributes.h"
#include "kubernetes/aggregated/decisions.h"
#include "kubernetes/api/connection.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::aggregated {

/// Asks the API server who may do what, and remembers it for Decisions::kFresh. Members of
/// system:masters may do everything, as everywhere in Kubernetes.
///
/// Threads  Safe. As many questions at a time as there are callers, each on a connection.
class Authorizer {
 public:
  explicit Authorizer(kube::Access access) : access_(std::move(access)) {}
  ~Authorizer();
  Authorizer(const Authorizer&) = delete;
  Authorizer& operator=(const Authorizer&) = delete;

  /// Blocks, for five seconds at most.
  /// Errors   kPermissionDenied: who may not do what; kUnavailable: the API server does not say,
  ///          and why.
  Status Check(const Caller& caller, const Attributes& attributes);

  /// Ends the questions in progress, and all later ones.
  void Stop();

 private:
  Result<bool> Ask(const kube::Call& review);
  std::shared_ptr<kube::Connection> Borrow();
  void GiveBack(std::shared_ptr<kube::Connection> connection);

  const kube::Access access_;
  Mutex mutex_;
  Decisions decisions_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<kube::Connection>> idle_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<kube::Connection>> busy_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace twofold::aggregated
