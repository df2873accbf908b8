#pragma once

#include <map>
#include <memory>
#include <string>

#include "kubernetes/controller/controller.h"
#include "kubernetes/operator/frontends.h"
#include "kubernetes/operator/options.h"

namespace twofold::benchmarks {

/// The Frontends of the cluster, watched where --frontends is given.
class FrontendPart {
 public:
  /// `options` outlive it.
  FrontendPart(const Options& options, const kube::Access& access);

  void Watch();
  void Stop();

  /// Whether all are known. Before, nothing must be run.
  [[nodiscard]] bool synced() const;

  [[nodiscard]] const Frontends& frontends() const { return frontends_; }
  void AddCounts(std::map<std::string, controller::ControllerCounts>& counts) const;

 private:
  const std::unique_ptr<controller::Controller> watch_;  // nullptr: there are none
  const Frontends frontends_;
};

}  // namespace twofold::benchmarks
