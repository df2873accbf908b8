#pragma once

#include <map>
#include <memory>
#include <string>

#include "kubernetes/controller/controller.h"
#include "kubernetes/operator/options.h"

namespace twofold::benchmarks {

/// The WorkerPools by which objects of kube-perftest get workers of their own, watched where
/// --perftest-workers is given.
class PerftestPart {
 public:
  /// `options` outlive it.
  PerftestPart(const Options& options, const kube::Access& access);

  void Watch();
  void Stop();

  /// Whether all are known. Before, nothing must be run.
  [[nodiscard]] bool synced() const;

  /// That of the object's kind; nullptr: it has none.
  [[nodiscard]] controller::Snapshot PoolFor(const kube::Json& object) const;

  void AddCounts(std::map<std::string, controller::ControllerCounts>& counts) const;

 private:
  const std::unique_ptr<controller::Controller> watch_;  // nullptr: there are none
};

}  // namespace twofold::benchmarks
