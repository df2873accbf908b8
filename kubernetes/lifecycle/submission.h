#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kubernetes/api/connection.h"
#include "kubernetes/lifecycle/interruption.h"
#include "kubernetes/lifecycle/observed.h"
#include "kubernetes/lifecycle/settings.h"
#include "kubernetes/lifecycle/submitter.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// The sending half of a run: its record, its workloads, and nothing else. Others watch.
///
/// Threads  Execute by one; Interrupt from any.
class Submission {
 public:
  Submission(kube::Access access, RunSettings settings);

  /// Until all has been sent and answered, or Interrupt. `progress` is called each `between`.
  /// Errors   Before the first workload: those of Prepare and WriteRecord. kCancelled: interrupted.
  Status Execute(const std::function<void(const std::string&)>& progress,
                 Duration between = std::chrono::seconds(5));

  /// Submits nothing more.
  void Interrupt() { interruption_.Interrupt(); }

  /// After Execute.
  [[nodiscard]] bool has_begun() const { return submitter_ != nullptr; }
  SubmitCounts counts() { return submitter_->counts(); }
  [[nodiscard]] Duration took() const { return took_; }
  [[nodiscard]] const RunSettings& settings() const { return settings_; }

 private:
  Status Begin(kube::Connection& connection);
  Status Await(const std::function<void(const std::string&)>& progress, Duration between);

  const kube::Access access_;
  const RunSettings settings_;
  Interruption interruption_;
  Observed observed_;
  std::unique_ptr<Submitter> submitter_;
  Duration took_{};
};

}  // namespace twofold::lifecycle
