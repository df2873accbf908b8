#include "lib/rpc/loop_thread.h"

#include <spdlog/spdlog.h>

#include <future>

#include "lib/common/limited_log.h"

namespace twofold::rpc {
namespace {

constexpr Duration kLongTurn = std::chrono::milliseconds(50);  // others wait meanwhile

}  // namespace

LoopThread::LoopThread(const h2::Budgets& budgets)
    : loop_([this](Duration took) { EndTurn(took); }), ledger_(budgets), thread_([this] {
        const TakesTurns here(this);
        loop_.Run();
      }) {}

LoopThread::~LoopThread() {
  loop_.Stop();
  thread_.join();
}

void LoopThread::EndTurn(Duration took) {
  held_ = ledger_.held();
  {
    const MutexLock lock(mutex_);
    turns_.Record(took);
  }
  static LimitedLog log;
  if (took < kLongTurn) return;
  const auto others = log.Admit(Now());
  if (others) spdlog::warn("a turn of the loop took {:.0f} ms{}", ToSeconds(took) * 1e3, *others);
}

stats::Histogram LoopThread::Turns() const {
  const MutexLock lock(mutex_);
  return turns_;
}

void LoopThread::Do(const std::function<void()>& task) {
  if (IsHere()) return task();
  std::promise<void> done;
  Post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace twofold::rpc
