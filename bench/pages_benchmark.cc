// What open live pages cost a frontend: jobs pass its queue while 20 pages read the streams of
// 10 000 workers, half of which are busy, and while none does, in turns. Prints the ratio of jobs a
// second of CPU time, and of jobs a second, each with its 95 % interval over the pairs of turns; on
// a machine that does other things as well, only the first means something.
//
//   pages_benchmark [PAIRS [PAGES [WORKERS]]]     default: 40 20 10000

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/web/web.h"
#include "lib/http/client_connection.h"
#include "lib/http/server.h"

namespace twofold::frontend {
namespace {

constexpr auto kTurn = std::chrono::milliseconds(1000);

double CpuSeconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// What runs: the workers answer in the order in which they were given jobs.
using Running = std::deque<std::pair<queue::ProcessId, queue::Held>>;

class Worker final : public WorkerEndpoint {
 public:
  explicit Worker(Running& running) : running_(running) {}

  void Flush() override {}
  void OnAssign(const queue::Assign& assign, const GangPlan*) override {
    running_.push_back({assign.process, {assign.job, assign.attempt}});
  }
  void OnAskSent() override {}
  void OnGo(const queue::Held&) override {}
  void OnCancelAttempt(const queue::Held&) override {}
  void OnKept(const queue::Held&) override {}
  void OnFollow(const queue::Held&, bool) override {}
  void OnDrain() override {}
  void OnMoved(const std::string&) override {}
  void OnReplaced() override {}
  void OnSilent() override {}

 private:
  Running& running_;
};

class NoReply final : public Submitter {
 public:
  void Flush() override {}
  void OnAccepted(std::uint64_t, queue::JobId) override {}
  void OnGivenBack(const std::string&, std::uint64_t) override {}
  void OnDurableMoved(std::uint8_t, const std::vector<TaggedJob>&) override {}
  void OnEndElsewhere(std::uint64_t, const v1::Job&) override {}
  void OnLostElsewhere(const std::string&, std::uint64_t) override {}
  void OnReply(const queue::Reply&, const WorkerIdentity*) override {}
};

struct Passed {
  double jobs = 0;
  double seconds = 0;
  double cpu_seconds = 0;  ///< of the thread that they passed in
};

/// So many worker processes, half of which are busy: always others.
class Load {
 public:
  explicit Load(std::uint64_t workers) {
    QueueHost::Turn turn(host_, Now());
    turn.AddSubmitter(kSubmitter, std::make_shared<NoReply>());
    for (std::uint64_t i = 0; i < workers; ++i) {
      const std::string name = std::to_string(i);
      turn.Join(queue::ProcessKey{i + 1}, 1, {},
                {"node-of-the-cluster-" + std::to_string(i / 8),
                 "scalability-tester-backend-sleep-7d9f8b6c5d-" + name},
                std::make_shared<Worker>(running_), {});
    }
    for (std::uint64_t i = 0; i < workers / 2; ++i) turn.Submit(kSubmitter, 0, options_, "0.1");
  }

  /// What passes in a turn.
  Passed Turn() {
    const Instant begun = Now();
    const double cpu = CpuSeconds(RUSAGE_THREAD);
    std::uint64_t jobs = 0;
    Instant now = begun;
    for (; now - begun < kTurn; now = Now()) {
      for (int i = 0; i < 100; ++i, ++jobs) One(now);
    }
    return {static_cast<double>(jobs), ToSeconds(now - begun), CpuSeconds(RUSAGE_THREAD) - cpu};
  }

  const QueueSet& queues() const { return queues_; }

 private:
  static constexpr queue::SubmitterId kSubmitter{7};

  void One(Instant now) {
    QueueHost::Turn turn(host_, now);
    const auto [process, held] = running_.front();
    running_.pop_front();
    turn.Completed(process, {.job = held.job, .attempt = held.attempt});
    turn.LeaveIfFree(process);
    turn.Submit(kSubmitter, 0, options_, "0.1");
  }

  Running running_;
  QueueSet queues_{{{.name = "sleep"}}, {.lease = std::chrono::hours(24)}, 1, nullptr};
  QueueHost& host_ = *queues_.all().front();
  const std::shared_ptr<const queue::JobOptions> options_ = std::make_shared<queue::JobOptions>();
};

/// Pages that read all topics until they are closed, each with a thread that mostly waits. Their
/// CPU time is not the frontend's: it is told apart.
class Pages {
 public:
  Pages(std::uint16_t port, int pages) {
    for (int i = 0; i < pages; ++i) {
      connections_.push_back(std::make_unique<http::ClientConnection>());
      threads_.emplace_back([this, port, &page = *connections_.back()] { Read(port, page); });
    }
  }
  ~Pages() {
    for (const auto& page : connections_) page->Interrupt();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Returns when all pages have seen who is there.
  void Await() const {
    while (ready_ < connections_.size()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::uint64_t bytes() const { return bytes_; }

  /// CPU seconds of all pages that were closed: in real life they are elsewhere.
  static double Cpu() { return cpu_; }

 private:
  void Read(std::uint16_t port, http::ClientConnection& page) {
    const Instant deadline = Now() + std::chrono::minutes(5);
    const http::Outgoing request = {
        "GET", "/api/v1/stream?topics=queues,workers", {{"Host", "localhost"}}, ""};
    std::string body;
    bool open = page.Open({{"127.0.0.1", port}, nullptr}, deadline).ok() &&
                page.Send(request, deadline).ok() && page.ReceiveHead(deadline).ok();
    bool ready = false;
    std::size_t seen = 0;
    while (open) {
      open = page.ReceiveBody(body, deadline).ok();
      bytes_ += body.size() - std::exchange(seen, body.size());
      if (!ready && body.find("event: worker-states") != body.npos) {
        ready = true;
        ++ready_;
      }
      if (ready) {
        body.clear();
        seen = 0;
      }
    }
    cpu_ += CpuSeconds(RUSAGE_THREAD);
  }

  static inline std::atomic<double> cpu_ = 0;
  std::atomic<std::size_t> ready_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::vector<std::unique_ptr<http::ClientConnection>> connections_;
  std::vector<std::thread> threads_;
};

struct Sum {
  double mean = 0;
  double half_width = 0;  // of the 95 % interval
};

Sum Of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  double squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  return {sum / n, 2.02 * std::sqrt(squares / (n - 1) / n)};  // Student's t, 40 pairs
}

/// exp of the mean of logarithms, and the ends of its interval.
std::string Ratio(const std::vector<double>& logs) {
  const Sum sum = Of(logs);
  return fmt::format("{:.4f} ({:.4f} .. {:.4f})", std::exp(sum.mean),
                     std::exp(sum.mean - sum.half_width), std::exp(sum.mean + sum.half_width));
}

int Run(int pairs, int pages, std::uint64_t workers) {
  Load load(workers);
  const auto server = http::Server::Start(
      {"127.0.0.1", 0},
      MakeWeb({.queues = load.queues(), .stalled = [] { return std::string(); }}));
  if (!server.ok()) return 1;
  std::vector<double> by_cpu;
  std::vector<double> by_time;
  double bytes = 0;
  Passed last;
  const double begun = CpuSeconds(RUSAGE_SELF) - CpuSeconds(RUSAGE_THREAD);
  for (int turn = 0; turn < 2 * pairs; ++turn) {
    // Alternately first, so that a drift of the machine does not favour one of them.
    const bool open = turn % 4 == 1 || turn % 4 == 2;
    Pages reading((*server)->port(), open ? pages : 0);
    reading.Await();
    load.Turn();  // does not count: opening pages is not what is measured
    const std::uint64_t before = reading.bytes();
    const Passed now = load.Turn();
    bytes += static_cast<double>(reading.bytes() - before);
    if (turn % 2 == 1) {
      const Passed& with = open ? now : last;
      const Passed& without = open ? last : now;
      by_cpu.push_back(std::log(with.jobs / with.cpu_seconds * without.cpu_seconds / without.jobs));
      by_time.push_back(std::log(with.jobs / with.seconds * without.seconds / without.jobs));
    }
    last = now;
  }
  const double serving = CpuSeconds(RUSAGE_SELF) - CpuSeconds(RUSAGE_THREAD) - Pages::Cpu() - begun;
  fmt::print("pages {}, workers {}, pairs of turns {}\n", pages, workers, pairs);
  fmt::print("jobs a second of CPU, with pages / without: {}\n", Ratio(by_cpu));
  fmt::print("jobs a second, with pages / without: {}\n", Ratio(by_time));
  fmt::print("CPU of the thread that serves them, with their opening: {:.1f} % of a core\n",
             100 * serving / static_cast<double>(pairs) / ToSeconds(kTurn));
  fmt::print("sent to a page: {:.0f} KB a second\n",
             bytes / 1e3 / pages / static_cast<double>(pairs) / ToSeconds(kTurn));
  return 0;
}

}  // namespace
}  // namespace twofold::frontend

int main(int argc, char** argv) {
  const auto argument = [&](int index, int otherwise) {
    return argc > index ? std::max(2, std::atoi(argv[index])) : otherwise;
  };
  return twofold::frontend::Run(argument(1, 40), argument(2, 20),
                                static_cast<std::uint64_t>(argument(3, 10'000)));
}
