#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/lifecycle/journal/observed.h"
#include "kubernetes/lifecycle/journal/tally.h"
#include "kubernetes/lifecycle/sending/pace.h"
#include "kubernetes/lifecycle/sending/send_plan.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// Creates an object that has the labels of a run. That it is there already is no error if an
/// earlier try of this very call has made it, as the labels tell. Returns when the answer came.
Result<kube::Reply> CreateOurs(kube::Connection& connection, const kube::Resource& resource,
                               const Object& object);

/// Whether an answer says that the store behind the API server takes no more: etcd's quota or its
/// disk. Trying again makes it worse.
bool IsOutOfSpace(const Status& status);

/// Creates the workloads of a run at their planned instants, or as fast as its connections allow.
///
/// Time     The clock starts with the first instant that is planned. An instant that comes while
///          all connections wait for answers is late, and is counted; those after it, up to the
///          next wave, are not moved.
/// Threads  Safe. A thread a connection.
class Submitter {
 public:
  /// `resources`: of the objects of a workload, in their order. Starts at once. `plan` must outlive
  /// it.
  Submitter(const kube::Access& access, const SendPlan& plan, std::vector<kube::Resource> resources,
            Observed& observed);

  /// Stops.
  ~Submitter();

  /// Sends no more. Calls that are under way may finish for kGrace.
  void Stop();
  static constexpr Duration kGrace = std::chrono::seconds(5);

  /// Sends no more, and returns at once: what is under way goes on.
  void Cease();

  /// Whether all has been sent and answered, now or until `deadline`; or Stop or Cease was called.
  bool Await(Instant deadline);

  /// Not OK: the server's store is full (IsOutOfSpace), so nothing more is sent.
  Status failure();

  SendCounts counts();

 private:
  void Work(kube::Connection& connection);
  std::optional<Pace::Turn> TakeNext();
  bool WaitUntil(Instant planned);
  void Send(kube::Connection& connection, std::vector<Object> objects, Instant planned,
            std::uint32_t wave);
  void Count(const kube::Connection& connection, const kube::ConnectionCounts& before,
             const Status& status, Duration late);
  void End();

  const SendPlan& plan_;
  const std::vector<kube::Resource> resources_;
  Observed& observed_;
  Mutex mutex_;
  Condition changed_;
  SendCounts counts_ ABSL_GUARDED_BY(mutex_);
  Pace pace_ ABSL_GUARDED_BY(mutex_);
  Status failure_ ABSL_GUARDED_BY(mutex_);
  std::size_t working_ ABSL_GUARDED_BY(mutex_) = 0;  // threads
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<kube::Connection>> connections_;
  std::vector<std::thread> threads_;
};

}  // namespace twofold::lifecycle
