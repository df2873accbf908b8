#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/operator/frontends.h"
#include "kubernetes/operator/measurement_job.h"
#include "kubernetes/operator/runs.h"
#include "lib/common/mutex.h"

namespace twofold::benchmarks {

/// The runs of measurements: each is a Job, found again by its name.
///
/// Threads  Safe; calls wait for each other, as they share one connection.
/// Cost     Of a look at a Job whose pod runs: one call to the API server; before that, and at the
///          end, two or three.
/// Errors   Those of Runs, of which kUnavailable is all that the API server refuses.
class MeasurementRuns final : public Runs {
 public:
  /// `frontends` outlives it.
  MeasurementRuns(const MeasurementKind& kind, const kube::Access& access,
                  MeasurementSettings settings, const Frontends& frontends);

  [[nodiscard]] const MeasurementKind& kind() const { return kind_; }

  [[nodiscard]] std::optional<Bar> BarTo(const RunOrder& order) override;

  /// 0: a measurement counts no jobs.
  Result<std::uint64_t> Check(const RunOrder& order) override;
  Result<RunLook> Advance(const RunOrder& order, Duration since, bool anew) override;

  /// A pod that runs may end; a Job whose pod has not begun is deleted.
  Result<RunLook> Pause(const RunOrder& order) override;
  Status Cancel(const RunOrder& order) override;
  Result<Results> Summary(const RunOrder& order) override;
  void Forget(const std::string& id) override;

 private:
  using Objects = std::vector<kube::Json>;

  [[nodiscard]] Result<kube::Json> JobOf(const RunOrder& order) const;

  Result<std::optional<kube::Json>> Find(const RunOrder& order)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<kube::Json> Make(const RunOrder& order) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<RunLook> Look(const kube::Json& job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Status Delete(const kube::Json& job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<Objects> PodsOf(const kube::ObjectName& job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<Objects> EventsOf(const kube::ObjectName& job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const MeasurementKind& kind_;
  const MeasurementSettings settings_;
  const Frontends& frontends_;
  Mutex mutex_;
  kube::Connection connection_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::benchmarks
