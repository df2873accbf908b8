#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "cli/lifecycle/follower.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/kube/call.h"
#include "lib/kube/connection.h"

/// The ConfigMap of a run: it has the run's name and label, says what to look for when somebody has
/// to clean up after it, and is written each second to measure how late watches are.
namespace twofold::lifecycle {

/// What a run makes, in its record.
struct Record {
  std::string run;
  std::string space;
  std::string kind;
  std::vector<kube::Resource> resources;  ///< of which the run has objects with its label
};

kube::Json ToObject(const Record& record);

/// Of an object that may be anybody's: what cannot be read is left out.
Record ReadRecord(const kube::Json& object);

/// The number that was written last; empty: none.
std::string TickOf(const kube::Json& object);

/// Writes a number into the record each second, and tells the follower when.
///
/// Threads  A thread of its own, with a connection of its own, until Stop.
class Canaries {
 public:
  Canaries(const kube::Access& access, const Record& record, Follower& follower,
           Duration between = std::chrono::seconds(1));
  ~Canaries();
  void Stop();

  Status failure();  ///< of the last write that failed, if any did

 private:
  void Work();
  void Write(std::uint64_t number);

  const kube::ObjectName name_;
  const Duration between_;
  Follower& follower_;
  kube::Connection connection_;
  Mutex mutex_;
  Status failure_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace twofold::lifecycle
