#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "lib/common/limited_log.h"
#include "lib/common/mutex.h"
#include "lib/h2/account.h"
#include "lib/h2/closing.h"
#include "lib/h2/limits.h"
#include "lib/h2/loop.h"
#include "lib/rpc/loop_owner.h"
#include "lib/stats/histogram.h"

namespace twofold::rpc {

/// A loop on a thread of its own, and the budget of all servers on it: what one turn brings to
/// several of them is answered together, and what their peers make this process hold counts
/// together.
///
/// Threads  Safe, but for loop() and ledger(), which belong to the thread. The last holder must not
///          be that thread.
class LoopThread final : public LoopOwner {
 public:
  explicit LoopThread(const h2::Budgets& budgets);
  ~LoopThread() override;

  [[nodiscard]] h2::Loop& loop() override { return loop_; }
  [[nodiscard]] h2::Ledger& ledger() { return ledger_; }

  void Post(std::function<void()> task) override { loop_.Post(std::move(task)); }

  /// Runs `task` on the thread, and waits for it.
  void Do(const std::function<void()>& task);

  /// How long turns took: nobody else is served meanwhile.
  [[nodiscard]] stats::Histogram Turns() const;
  /// What peers made this process hold at the end of the last turn, in bytes.
  [[nodiscard]] std::size_t held() const { return held_; }
  /// Of the connections of all servers on it.
  [[nodiscard]] h2::ClosingCounts& closed() { return closed_; }

 private:
  void EndTurn(const h2::Loop::Done& turn);

  mutable Mutex mutex_;
  stats::Histogram turns_ ABSL_GUARDED_BY(mutex_);
  std::atomic<std::size_t> held_ = 0;
  h2::ClosingCounts closed_;
  LimitedLog long_turns_;
  h2::Loop loop_;
  h2::Ledger ledger_;
  std::thread thread_;  // last: it uses the others
};

/// Those on which servers run: connections are spread over them one after the other, and stay.
using Loops = std::vector<std::shared_ptr<LoopThread>>;

}  // namespace twofold::rpc
