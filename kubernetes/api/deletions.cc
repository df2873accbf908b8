#include "kubernetes/api/deletions.h"

#include <atomic>
#include <cstddef>
#include <thread>

#include "lib/common/mutex.h"

namespace twofold::kube {
namespace {

class Deletions {
 public:
  Deletions(const Access& access, const std::vector<Call>& calls)
      : access_(access), calls_(calls) {}

  void Work() {
    Connection connection(access_);
    for (std::size_t i = next_++; i < calls_.size(); i = next_++) {
      const Status status = connection.Do(calls_[i]).status();
      if (status.ok() || absl::IsNotFound(status) || absl::IsAborted(status)) continue;
      MutexLock lock(mutex_);
      failure_.Update(status);
      // Whom one call cannot reach the others cannot either.
      if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) next_ = calls_.size();
    }
  }

  Status failure() {
    MutexLock lock(mutex_);
    return failure_;
  }

 private:
  const Access& access_;
  const std::vector<Call>& calls_;
  std::atomic<std::size_t> next_ = 0;
  Mutex mutex_;
  Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

Status CarryOut(const Access& access, const std::vector<Call>& deletions, int connections) {
  if (deletions.empty()) return absl::OkStatus();
  Deletions work(access, deletions);
  std::vector<std::thread> threads;
  for (int i = 0; i < connections; ++i) threads.emplace_back([&] { work.Work(); });
  for (std::thread& thread : threads) thread.join();
  return work.failure();
}

}  // namespace twofold::kube
