#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/lifecycle/interruption.h"
#include "kubernetes/lifecycle/journal.h"
#include "kubernetes/lifecycle/observed.h"
#include "kubernetes/lifecycle/outcome.h"
#include "kubernetes/lifecycle/settings.h"
#include "kubernetes/lifecycle/watching.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// Watches a run that another process has submitted, or submits still. With a journal that is there
/// already, it goes on where the process that wrote it has ended.
///
/// Threads  Execute by one; Interrupt from any.
class Attached {
 public:
  Attached(kube::Access access, kube::ObjectName run, EndOptions options,
           kube::WatchOptions watch = {});
  ~Attached();

  /// Until all workloads that the sender has sent have come to their end; or for --settle after the
  /// last sign of life of a sender that does not say that it has sent all.
  ///
  /// Errors   kNotFound: there is no such run. kInvalidArgument: its record is none, or --until
  ///          does not fit its kind. kFailedPrecondition: the journal is of another run, is written
  ///          by another process, or ends in the future. Those of Watching::Begin. kCancelled.
  Status Execute(const std::function<void(const std::string&)>& progress,
                 Duration between = std::chrono::seconds(5));

  void Interrupt() { interruption_.Interrupt(); }

  /// After Execute; nullopt: it never came to watch.
  std::optional<Outcome> outcome();
  [[nodiscard]] const kube::ObjectName& run() const { return run_; }

 private:
  Status Begin(kube::Connection& connection);
  Status Open(const Record& record, const kube::Json& object, Tally& before);
  Status Continue(const Record& record, Tally& before);
  Status ExpectAll(const Record& record);
  Sending SendingAt(Instant now, const Progress& look);

  const kube::Access access_;
  const kube::ObjectName run_;
  const EndOptions options_;
  const kube::WatchOptions watch_;
  const Anchor anchor_;
  Interruption interruption_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Observed> observed_;
  std::unique_ptr<Watching> watching_;
  std::optional<kube::ObjectName> canary_;  // once it is made
  Instant attached_;
  std::optional<Instant> all_sent_;
  SubmitCounts counts_;  // of the journal
  bool watched_ = false;
  Instant end_;
};

}  // namespace twofold::lifecycle
