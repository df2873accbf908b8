#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::bench {

/// Calls functions when they are due, for connections that have no loop of their own. Runs to the end
/// of the process.
///
/// Threads  Wake from any; the functions come on the thread of this object, one at a time.
class DueThread {
 public:
  struct Member {
    std::function<Instant()> next_due;
    std::function<void(Instant now)> on_due;
  };

  explicit DueThread(std::vector<Member> members);

  /// Something may be due earlier than it was.
  void Wake();

 private:
  void Run();
  [[nodiscard]] Instant NextDue() const;

  const std::vector<Member> members_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool woken_ = false;
};

}  // namespace twofold::bench
