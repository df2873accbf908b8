#include "lib/load/engine/session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <utility>

namespace twofold::load {
namespace {

SessionOptions WithKey(SessionOptions options) {
  std::random_device random;
  while (options.load_key == 0) options.load_key = std::uint64_t{random()} << 32 | random();
  return options;
}

}  // namespace

Session::Session(std::string frontend, JobTemplate job, Generator& generator,
                 SessionOptions options)
    : frontend_(std::move(frontend)),
      job_(std::move(job)),
      generator_(generator),
      options_(WithKey(std::move(options))) {
  generator_.OnTick([this](Instant when) { TickAt(when); });
}

Session::~Session() {
  Stop(Duration(0));
  generator_.OnTick(nullptr);
}

void Session::Start() {
  thread_ = std::thread([this] { Run(); });
}

// All shards have the same time.
void Session::Stop(Duration patience) {
  if (!thread_.joinable()) return;
  generator_.Finish();
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
  const Instant give_up = Now() + patience;
  for (const auto& shard : shards_) shard->Stop(give_up);
  for (const auto& shard : shards_) shard->Join();
}

// ---- the thread

void Session::Run() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    if (shards_.size() < wanted_) {
      mutex_.Unlock();
      OpenNext();
      mutex_.Lock();
    } else if (!tick_at_) {
      changed_.Wait(mutex_);
    } else if (const Instant at = *tick_at_; at > Now()) {
      changed_.WaitUntil(mutex_, at);
    } else {
      tick_at_.reset();
      mutex_.Unlock();
      generator_.Tick();
      mutex_.Lock();
    }
  }
}

void Session::OpenNext() {
  const auto number = static_cast<Generator::Lane>(shards_.size());
  shards_.push_back(
      std::make_unique<ShardSession>(loop_, frontend_, job_, number, generator_, options_,
                                     [this](std::uint32_t count) { HasShards(count); }));
  shards_.back()->Start();
}

// ---- on any thread

// The earliest counts.
void Session::TickAt(Instant when) {
  const MutexLock lock(mutex_);
  if (tick_at_ && *tick_at_ <= when) return;
  tick_at_ = when;
  changed_.NotifyAll();
}

void Session::HasShards(std::uint32_t count) {
  {
    const MutexLock lock(mutex_);
    if (count <= wanted_) return;
    wanted_ = count;
    changed_.NotifyAll();
  }
  spdlog::info("queue {} has {} shards", job_.options.queue(), count);
}

}  // namespace twofold::load
