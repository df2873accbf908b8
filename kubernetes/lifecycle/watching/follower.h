#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/lifecycle/journal/observed.h"
#include "lib/common/instant.h"
#include "lib/common/limited_log.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// What to watch.
struct Following {
  std::string run;
  /// One for each kind of object; the first is of the workloads themselves. ConfigMaps are only
  /// looked at for the run's record and for the canaries.
  std::vector<kube::Selection> selections;
  std::string canary;   ///< the ConfigMap into which this process writes
  bool stamps = false;  ///< another process sends: when, the stamps of its workloads say
};

/// What is seen of the process that sends.
struct SenderSign {
  Instant last;           ///< the last sign of life; none: Instant{}
  bool all_sent = false;  ///< as the run's record says
};

/// Watches the objects of a run and shows them to an Observer.
///
/// Threads  Safe. A thread a watch, which parses; instants are those at which bytes came, however
///          long that takes.
class Follower {
 public:
  Follower(const kube::Access& access, Following following, const kube::WatchOptions& options,
           Observed& observed);

  /// Stops.
  ~Follower();

  /// Waits until all that is there has been listed.
  ///
  /// Errors   What a watch says that cannot be helped by trying again: no right, no such resource.
  ///          kDeadlineExceeded, with the last trouble. kCancelled: stopped.
  Status AwaitSync(Instant deadline);

  /// Whether no watch is known to be broken: what happens is seen then.
  bool sees_all();

  SenderSign sender();

  /// What was read before is still shown.
  void Stop();

  /// Streams that ended before their time, of all watches.
  std::uint64_t breaks();

 private:
  struct Stream {
    std::string kind;
    std::unique_ptr<kube::Watcher> watcher;
    bool synced = false;  // once at least
    Status trouble = {};  // until it tells something again
  };

  void AwaitTurn(const Stream& stream);
  void Follow(Stream& stream);
  void Take(Stream& stream, const kube::WatchEvent& event);
  void TakeTrouble(Stream& stream, const Status& trouble);
  void Show(const Stream& stream, const kube::WatchEvent& event);
  void ShowConfigMap(const kube::WatchEvent& event);
  void ReadStamps(const Object& object, Observer& observer) const;
  void NoteSign(const kube::WatchEvent& event, bool all_sent);

  const Following following_;
  Observed& observed_;
  Mutex mutex_;
  Condition changed_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  SenderSign sender_ ABSL_GUARDED_BY(mutex_);
  LimitedLog log_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::thread> threads_;
};

}  // namespace twofold::lifecycle
