#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "tests/integration/crash_recorder.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::testing {

/// Durable jobs, submitted one by one from several threads to frontends taken at random, and a
/// record of all that was acknowledged. What is refused is submitted again, as another job: the
/// refused one may be there as well.
///
/// Threads  Safe; recorder() after Stop.
class DurableLoad {
 public:
  /// So many jobs wait for their acknowledgement at most.
  static constexpr std::size_t kThreads = 4;

  /// Submits to these frontends until Stop. The jobs' runs begin with `name`.
  DurableLoad(std::string name, std::vector<std::string> addresses);
  ~DurableLoad() { Stop(); }

  void Stop();

  /// From now on only to these. Returns when no call to another one is under way.
  void SubmitTo(const std::vector<std::string>& addresses);

  /// What has come of the calls so far.
  struct Tally {
    std::uint64_t accepted = 0;
    /// Not taken, or in doubt; and calls that took too long. By what was said.
    std::map<std::string, std::uint64_t> unavailable;
    std::map<std::string, std::uint64_t> failed;  ///< otherwise
    Duration longest_pause{0};  ///< between two acknowledgements since ForgetPauses
    Duration waited{0};         ///< for acknowledgements, of all calls together
  };
  [[nodiscard]] Tally tally();
  [[nodiscard]] const std::string& name() const { return name_; }
  void ForgetPauses();

  /// Waits until so many more are acknowledged; false: it took too long.
  bool AwaitMore(std::uint64_t count);

  CrashRecorder& recorder() ABSL_NO_THREAD_SAFETY_ANALYSIS { return recorder_; }

 private:
  void Run(std::size_t thread);
  std::string Choose(std::mt19937_64& random, std::size_t thread);
  void SubmitOne(const std::string& address, const std::string& run);
  void Accepted(const std::string& run, std::uint64_t job, Instant called);
  void Failed(const grpc::Status& status);
  std::shared_ptr<v1::Clients::Stub> StubOf(const std::string& address);

  const std::string name_;
  Mutex mutex_;
  std::vector<std::string> addresses_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<v1::Clients::Stub>> stubs_ ABSL_GUARDED_BY(mutex_);
  std::array<std::string, kThreads> under_way_ ABSL_GUARDED_BY(mutex_);
  CrashRecorder recorder_ ABSL_GUARDED_BY(mutex_);
  Tally tally_ ABSL_GUARDED_BY(mutex_);
  Instant last_accepted_ ABSL_GUARDED_BY(mutex_) = Now();
  std::atomic<bool> stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace twofold::testing
