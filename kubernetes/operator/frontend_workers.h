#pragma once

#include <optional>
#include <string>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "kubernetes/operator/pool_frontend.h"
#include "kubernetes/operator/sites.h"

namespace twofold::benchmarks {

/// The workers of a frontend, by calls to it; it answers for those that share its queues as well.
///
/// A job that tells its progress ends when the rest takes as long as what is done took; of the
/// others the one that has run for longest is next.
///
/// Errors   Those of PoolFrontend.
class FrontendWorkers {
 public:
  /// `globals` say which frontend.
  explicit FrontendWorkers(const cli::Globals& globals) : frontend_(globals) {}

  Result<pools::WorkersSeen> Look(const std::string& queue, bool with_ends);
  Status Drain(const std::string& queue, const std::string& pod);

 private:
  Status AddEnds(const std::string& queue, pools::WorkersSeen& workers);

  const cli::Frontend frontend_;
};

/// Those of all frontends: of each pool at the one that its object names, by the token of its
/// namespace.
class GrantedWorkers final : public PoolFrontend {
 public:
  /// `frontends` outlives it.
  explicit GrantedWorkers(const Frontends& frontends) : frontends_(frontends), sites_(frontends) {}

  [[nodiscard]] std::optional<Bar> BarTo(const kube::Json& pool) const override {
    return frontends_.BarTo(pool, true);
  }
  Result<pools::WorkersSeen> Look(const kube::Json& pool, bool with_ends) override;
  Status Drain(const kube::Json& pool, const std::string& pod) override;

 private:
  const Frontends& frontends_;
  Sites<FrontendWorkers> sites_;
};

}  // namespace twofold::benchmarks
