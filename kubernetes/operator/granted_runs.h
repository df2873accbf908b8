#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kubernetes/operator/frontend_runs.h"
#include "kubernetes/operator/runs.h"
#include "kubernetes/operator/sites.h"

namespace twofold::benchmarks {

/// The runs of all frontends: each at the one that runs its object, by the token of its namespace.
class GrantedRuns final : public Runs {
 public:
  /// `frontends` outlives it.
  explicit GrantedRuns(const Frontends& frontends) : frontends_(frontends), sites_(frontends) {}

  [[nodiscard]] std::optional<Bar> BarTo(const RunOrder& order) override;
  Result<std::uint64_t> Check(const RunOrder& order) override { return CheckDefinition(order); }
  Result<RunLook> Advance(const RunOrder& order, Duration since, bool anew) override;
  Result<RunLook> Pause(const RunOrder& order) override;
  Status Cancel(const RunOrder& order) override;
  Result<Results> Summary(const RunOrder& order) override;
  void Forget(const std::string& id) override;

 private:
  const Frontends& frontends_;
  Sites<FrontendRuns> sites_;
};

}  // namespace twofold::benchmarks
