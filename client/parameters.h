#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "client/limits.h"
#include "client/steps.h"
#include "lib/common/result.h"
#include "lib/http/message.h"
#include "lib/load/profile.h"
#include "lib/stats/comparison.h"
#include "lib/stats/explanation.h"
#include "lib/stats/looks.h"

namespace twofold::client {

/// Reads values from the query of a request, and remembers the first that is bad. So a page asks
/// for all it needs, and once at the end whether it got it. Pure.
class Parameters {
 public:
  explicit Parameters(const http::Params& query) : query_(query) {}

  /// `value`, a whole number, clamped to 0..`most`.
  std::uint32_t Parallelism(std::uint32_t most);

  /// `value`, jobs a second, 0..load::kMostRate.
  double Rate();

  /// `arrivals`, constant or poisson.
  load::Arrivals Arrivals(load::Arrivals otherwise);

  /// The number of that name; 0 if it is refused.
  double Number(const Limits& limits);

  /// The numbers of an earlier window: `throughput`, `log_error`, `df`, `seconds`. An unknown
  /// window has a throughput of 0 or an error of `inf` (or `null`, as in JSON).
  stats::Rate Base();

  /// `workers`, `scale`, `cap`, and, if they are there, `patience`, `repeats`, `pods`, and `next`:
  /// always, unless-failed or never.
  stats::StepPlan Plan();

  /// `scale`, and, if they are there, `pods` and `allow_failures`.
  Judging HowJudged();

  /// `records` (default none).
  std::vector<stats::StepRecord> Records();

  /// `evidence`, which must be there.
  std::vector<stats::StepEvidence> Evidence();

  /// `pods`, any or these (default any).
  Pods WhichPods();

  /// Errors   kInvalidArgument: which parameter, its value, and what is allowed.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  [[nodiscard]] std::string_view ValueOf(std::string_view name) const;
  void Refuse(std::string_view name, std::string_view value, std::string_view allowed);
  double LogError();
  stats::Next NextStep();
  std::uint32_t Count(const Limits& limits);

  const http::Params& query_;
  Status status_;
};

}  // namespace twofold::client
