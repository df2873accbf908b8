#pragma once

#include <string>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "kubernetes/operator/pool_frontend.h"

namespace twofold::benchmarks {

/// By calls to a frontend, which answers for the others as well.
///
/// A job that tells its progress ends when the rest takes as long as what is done took; of the
/// others the one that has run for longest is next.
class FrontendWorkers final : public PoolFrontend {
 public:
  /// `globals` say which frontend.
  explicit FrontendWorkers(const cli::Globals& globals) : frontend_(globals) {}

  Result<pools::WorkersSeen> Look(const std::string& queue, bool with_ends) override;
  Status Drain(const std::string& queue, const std::string& pod) override;

 private:
  Status AddEnds(const std::string& queue, pools::WorkersSeen& workers);

  const cli::Frontend frontend_;
};

}  // namespace twofold::benchmarks
