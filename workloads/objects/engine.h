#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "workloads/objects/worker.h"

namespace twofold::objects {

/// The threads that make the load. Each has its own connections and its own counts.
///
/// Threads  Any for Snapshot and Stop; Start once, and Join after it.
class Engine {
 public:
  struct Size {
    std::size_t workers = 1;  ///< of all threads together
    std::size_t threads = 1;  ///< at most as many as workers
    Duration timeout{};       ///< of one request
  };

  /// Counts what ends in [from, to); at `to` all is stopped. `ended` is called on one of the
  /// threads when the last has nothing more to do.
  Engine(Shared& shared, const Size& size, Instant from, Instant to, std::function<void()> ended);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void Start();
  void Stop() { shared_.stop = true; }
  void Join();

  /// What all threads have counted so far.
  [[nodiscard]] Tally Counted() const;
  /// A small part of it: cheap.
  [[nodiscard]] OpTally::Second Totals() const;

 private:
  struct Thread;
  void Run(Thread& thread);
  boost::asio::awaitable<void> Watch(Thread& thread);

  Shared& shared_;
  const Duration timeout_;
  const Instant from_;
  const Instant to_;
  const std::function<void()> ended_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::atomic<std::size_t> running_;
};

}  // namespace twofold::objects
