#include "lib/rpc/loop_thread.h"

#include <spdlog/spdlog.h>

#include <future>

namespace twofold::rpc {
namespace {

constexpr Duration kLongTurn = std::chrono::milliseconds(50);  // others wait meanwhile

double Ms(Duration duration) { return ToSeconds(duration) * 1e3; }

}  // namespace

LoopThread::LoopThread(const h2::Budgets& budgets)
    : loop_([this](const h2::Loop::Done& turn) { EndTurn(turn); }),
      ledger_(budgets),
      thread_([this] {
        const TakesTurns here(this);
        loop_.Run();
      }) {}

LoopThread::~LoopThread() {
  loop_.Stop();
  thread_.join();
}

void LoopThread::EndTurn(const h2::Loop::Done& turn) {
  held_ = ledger_.held();
  {
    const MutexLock lock(mutex_);
    turns_.Record(turn.took());
  }
  if (turn.took() < kLongTurn) return;
  const auto others = long_turns_.Admit(Now());
  if (!others) return;
  spdlog::warn(
      "a turn of the loop took {:.0f} ms: {:.0f} for {} sockets, {:.0f} for tasks and timers, "
      "{:.0f} to send{}",
      Ms(turn.took()), Ms(turn.serving), turn.sockets, Ms(turn.running), Ms(turn.sending), *others);
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
