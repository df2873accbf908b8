#include "workloads/objects/engine.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace twofold::objects {

namespace asio = boost::asio;

namespace {

// Of one thread's buffers. A connection has what it needs to be fast, as long as there are not too
// many of them.
constexpr std::size_t kBuffers = 64 << 20;
constexpr std::size_t kLeastBuffer = 16 << 10;
constexpr std::size_t kMostBuffer = 256 << 10;

// How often deadlines are looked at, and whether all is to stop.
constexpr Duration kWatch = std::chrono::milliseconds(10);

}  // namespace

struct Engine::Thread {
  Thread(Instant from, Instant to) : tally(from, to) {}

  asio::io_context io{1};
  LockedTally tally;
  std::vector<std::unique_ptr<Worker>> workers;
  std::size_t active = 0;
  std::thread thread;
};

Engine::Engine(Shared& shared, const Size& size, Instant from, Instant to,
               std::function<void()> ended)
    : shared_(shared),
      timeout_(size.timeout),
      from_(from),
      to_(to),
      ended_(std::move(ended)),
      running_(std::min(size.threads, size.workers)) {
  const std::size_t threads = running_;
  const std::size_t buffer = std::clamp(kBuffers / size.workers, kLeastBuffer, kMostBuffer);
  for (std::size_t i = 0; i < threads; ++i) {
    Thread& thread = *threads_.emplace_back(std::make_unique<Thread>(from, to));
    for (std::size_t number = i; number < size.workers; number += threads) {
      thread.workers.push_back(
          std::make_unique<Worker>(thread.io, shared, number, buffer, timeout_, thread.tally));
    }
    thread.active = thread.workers.size();
  }
}

Engine::~Engine() {
  Stop();
  Join();
}

void Engine::Start() {
  for (auto& thread : threads_) thread->thread = std::thread([this, &thread] { Run(*thread); });
}

void Engine::Join() {
  for (auto& thread : threads_) {
    if (thread->thread.joinable()) thread->thread.join();
  }
}

void Engine::Run(Thread& thread) {
  for (auto& worker : thread.workers) {
    asio::co_spawn(thread.io, worker->Run(), [&thread](const std::exception_ptr& error) {
      --thread.active;
      if (error) std::rethrow_exception(error);
    });
  }
  asio::co_spawn(thread.io, Watch(thread), asio::detached);
  thread.io.run();
  if (--running_ == 0) ended_();
}

asio::awaitable<void> Engine::Watch(Thread& thread) {
  asio::steady_timer timer(thread.io);
  while (thread.active > 0) {
    timer.expires_after(kWatch);
    co_await timer.async_wait(kTuple);
    const Instant now = Now();
    if (now >= to_) Stop();
    for (auto& worker : thread.workers) {
      if (shared_.stop) {
        worker->caller().Abort(false);
      } else if (worker->caller().deadline() <= now) {
        worker->caller().Abort(true);
      }
    }
  }
}

Tally Engine::Counted() const {
  Tally all(from_, to_);
  for (const auto& thread : threads_) {
    thread->tally.With([&](const Tally& one) { all.Merge(one); });
  }
  return all;
}

OpTally::Second Engine::Totals() const {
  OpTally::Second all;
  for (const auto& thread : threads_) {
    const auto one = thread->tally.With([](const Tally& tally) { return tally.Totals(); });
    all.count += one.count;
    all.bytes += one.bytes;
    all.errors += one.errors;
  }
  return all;
}

}  // namespace twofold::objects
