#include "lib/load/engine/session.h"

#include <spdlog/spdlog.h>

#include <future>
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
      options_(WithKey(std::move(options))) {}

Session::~Session() { Stop(Duration(0)); }

void Session::Start() {
  started_ = true;
  loop_.Do([this] {
    tick_.emplace(loop_.loop(), [this] { generator_.Tick(); });
    generator_.OnTick([this](Instant when) { TickAt(when); });
    OpenUpTo(1);
  });
}

// All shards have the same time.
void Session::Stop(Duration patience) {
  if (!std::exchange(started_, false)) return;
  generator_.Finish();
  generator_.OnTick(nullptr);
  std::promise<void> ended;
  loop_.Do([&] {
    on_end_ = [&ended] { ended.set_value(); };
    for (const auto& shard : shards_) shard->Stop(Now() + patience);
  });
  ended.get_future().wait();
  loop_.Do([this] {
    shards_.clear();
    tick_.reset();
  });
}

// On any thread. The earliest counts.
void Session::TickAt(Instant when) {
  if (!loop_.IsHere()) return loop_.Post([this, when] { TickAt(when); });
  if (tick_ && when < tick_->when()) tick_->Set(when);
}

// ---- the loop's thread

void Session::OpenUpTo(std::uint32_t shards) {
  while (shards_.size() < shards) {
    const auto number = static_cast<Generator::Lane>(shards_.size());
    shards_.push_back(
        std::make_unique<ShardSession>(loop_, frontend_, job_, number, generator_, options_,
                                       [this](std::uint32_t count) { HasShards(count); }));
    ++at_work_;
    shards_.back()->Start([this] { OnShardEnd(); });
  }
}

void Session::HasShards(std::uint32_t count) {
  if (on_end_ || count <= shards_.size()) return;
  spdlog::info("queue {} has {} shards", job_.options.queue(), count);
  OpenUpTo(count);
}

void Session::OnShardEnd() {
  if (--at_work_ == 0) on_end_();
}

}  // namespace twofold::load
