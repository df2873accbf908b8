#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "kubernetes/operator/runs.h"
#include "lib/common/mutex.h"

namespace twofold::benchmarks {

/// Runs::Check of the runs of any frontend.
Result<std::uint64_t> CheckDefinition(const RunOrder& order);

/// The runs of a frontend, begun, driven and read by what `twofold run` is made of (cli/runs).
///
/// Of each run that goes on it keeps what is known of its jobs, and attends it, so that a person
/// with `twofold run --resume` and another operator are told who does. All of it can be made anew.
///
/// Memory   The definition and the jobs of each run that goes on, until Forget.
class FrontendRuns final : public Runs {
 public:
  /// `globals` say which frontend, and outlive it.
  explicit FrontendRuns(const cli::Globals& globals);
  ~FrontendRuns() override;

  /// Nothing: it has no part in what an admin decides.
  [[nodiscard]] std::optional<Bar> BarTo(const RunOrder& /*order*/) override {
    return std::nullopt;
  }
  Result<std::uint64_t> Check(const RunOrder& order) override { return CheckDefinition(order); }
  Result<RunLook> Advance(const RunOrder& order, Duration since, bool anew) override;
  Result<RunLook> Pause(const RunOrder& order) override;
  Status Cancel(const RunOrder& order) override;
  Result<Results> Summary(const RunOrder& order) override;
  void Forget(const std::string& id) override;

 private:
  class Session;

  /// The session of a run that is there. Errors   kNotFound: there is no such run.
  Result<std::shared_ptr<Session>> Open(const RunOrder& order);
  Result<std::shared_ptr<Session>> Keep(std::shared_ptr<Session> session);
  [[nodiscard]] std::shared_ptr<Session> Find(const std::string& id);
  Status Begin(const RunOrder& order, RunLook& look);

  const cli::Globals& globals_;
  const cli::Frontend frontend_;  // for single calls
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Session>> sessions_ ABSL_GUARDED_BY(mutex_);  // by run
};

}  // namespace twofold::benchmarks
