// A queue gets another owner: after a kill, or because somebody says so.

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "bench/frontends/idle_workers.h"
#include "bench/frontends/load.h"
#include "bench/frontends/scenarios.h"
#include "bench/frontends/trouble.h"

namespace twofold::budgets {
namespace {

/// Kills the owner, which is started again at once or stays away, and returns when a durable job is
/// accepted again: how long after the kill.
Duration TakeOver(Cluster& cluster, Frontend& owner, bool starts_again) {
  const std::string asked = cluster.OtherThan(owner).client();
  const Instant killed = Now();
  owner.Kill();
  if (starts_again) owner.Launch();
  Await("a takeover", [&] { return SubmitOne(asked, std::chrono::milliseconds(500)); });
  const Duration took = Now() - killed;
  if (starts_again) owner.AwaitReady();
  return took;
}

/// A frontend that was killed comes back, without its queues.
void StartAgain(Frontend& frontend) {
  frontend.Launch();
  frontend.AwaitReady();
}

void CheckJobs(Cluster& cluster, std::uint64_t least) {
  Await("the list of queues", [&] { return cluster.Find().has_value(); });
  const std::uint64_t waiting = cluster.Find()->waiting();
  if (waiting < least) throw Trouble(absl::StrCat("of ", least, " jobs ", waiting, " are left"));
}

/// Both kinds of takeover in turn; `measure` gets the owner, and whether it starts again.
template <typename Measure>
void InTurn(const Bench& bench, Cluster& cluster, Measure&& measure) {
  for (int i = 0; i < bench.options.rounds; ++i) {
    measure(cluster.Owner(), true);
    Frontend& owner = cluster.Owner();
    measure(owner, false);
    StartAgain(owner);
  }
}

// Heartbeats of idle workers come once in 53 s.
double BusyPercent(const Frontend& frontend, double seconds) {
  const double before = frontend.CpuSeconds();
  const Instant start = Now();
  Sleep(seconds);
  return 100 * (frontend.CpuSeconds() - before) / ToSeconds(Now() - start);
}

}  // namespace

void RunTakeover(const Bench& bench) {
  Cluster cluster(bench.place, {});
  PutJobs(cluster.Owner().client(), bench.options.jobs);
  std::vector<double> same, other;
  InTurn(bench, cluster, [&](Frontend& owner, bool starts_again) {
    const Duration took = TakeOver(cluster, owner, starts_again);
    CheckJobs(cluster, static_cast<std::uint64_t>(bench.options.jobs));
    (starts_again ? same : other).push_back(ToSeconds(took));
  });
  bench.Add("from the kill: by a process of the same name", same, "s", AtMost(4));
  bench.Add("from the kill: by another one", other, "s", AtMost(bench.options.ttl + 2));
}

void RunWorkers(const Bench& bench) {
  Cluster cluster(bench.place, {});
  const auto workers = static_cast<std::uint64_t>(bench.options.workers);
  const double cpu_before = cluster.Owner().CpuSeconds();
  const Instant start = Now();
  const IdleWorkers idle(bench.place, bench.options.workers, cluster.Contacts());
  cluster.AwaitSlots(workers);
  const std::vector<double> connect = {ToSeconds(Now() - start)};
  const double cpu = cluster.Owner().CpuSeconds() - cpu_before;
  const double busy = BusyPercent(cluster.Owner(), bench.options.idle_seconds);
  std::vector<double> same, other;
  InTurn(bench, cluster, [&](Frontend& owner, bool starts_again) {
    TakeOver(cluster, owner, starts_again);
    const Duration back = cluster.AwaitSlots(workers);
    (starts_again ? same : other).push_back(ToSeconds(back));
  });
  bench.Add("start of all, until they are there", connect, "s");
  bench.Add("their frontend's CPU for each that connects", {1e6 * cpu / bench.options.workers},
            "µs");
  bench.Add("their frontend while all are idle", {busy}, "% core", AtMost(1));
  bench.Add("all back, from the takeover by a process of the same name", same, "s", AtMost(2));
  bench.Add("all back, from the takeover by another one", other, "s", AtMost(2));
}

namespace {

/// Looks at a growing count again and again, and knows how long it stood still at most.
class Pauses {
 public:
  /// `what` stands still: "durable jobs".
  Pauses(std::string what, std::function<std::uint64_t()> count)
      : what_(std::move(what)), count_(std::move(count)), thread_([this] { Watch(); }) {}
  ~Pauses() {
    stopped_ = true;
    thread_.join();
  }

  /// Of the time since the last call; what lasts has to end first.
  double TakeLongest() {
    const std::uint64_t now = seen_;
    Await("a pause of " + what_, [&] { return seen_ > now; });
    return ToSeconds(Duration(longest_.exchange(0)));
  }

 private:
  void Watch() {
    Instant last = Now();
    while (!stopped_) {
      const std::uint64_t count = count_();
      const Instant now = Now();
      if (count > seen_) {
        longest_ = std::max(longest_.load(), (now - last).count());
        last = now;
        seen_ = count;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  const std::string what_;
  const std::function<std::uint64_t()> count_;
  std::atomic<std::uint64_t> seen_ = 0;
  std::atomic<Duration::rep> longest_ = 0;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

/// Submits one durable job after the other.
class SingleJobs {
 public:
  explicit SingleJobs(std::string frontend)
      : frontend_(std::move(frontend)), thread_([this] { Run(); }) {}
  ~SingleJobs() {
    stopped_ = true;
    thread_.join();
  }
  [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  void Run() {
    while (!stopped_) ++(SubmitOne(frontend_, std::chrono::seconds(10)) ? accepted_ : refused_);
  }

  const std::string frontend_;
  std::atomic<std::uint64_t> accepted_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

double JobsTriedTwice(const std::string& store) {
  return static_cast<double>(
      Database::Query(store, "SELECT count(*) FROM ended WHERE attempts > 1").Integer(0, 0));
}

}  // namespace

void RunMove(const Bench& bench) {
  constexpr int kFewSlots = 64;
  Cluster cluster(bench.place, {});
  const bench::Child worker = StartWorker(bench.place, cluster.Contacts(), kFewSlots);
  cluster.AwaitSlots(kFewSlots);
  const std::string contact = cluster.Owner().client();
  const Load load({.frontend = contact, .outstanding = kFewSlots});
  const Load durable({.frontend = contact, .outstanding = kFewSlots, .durable = true});
  const SingleJobs singles(contact);
  Pauses volatile_ends("volatile jobs", [&] { return load.Ended(); });
  Pauses durable_ends("durable jobs", [&] { return durable.Ended(); });
  Pauses accepts("acceptances", [&] { return singles.accepted(); });
  std::vector<double> volatile_pauses, durable_pauses, accept_pauses;
  for (int i = 0; i < 2 * bench.options.rounds; ++i) {
    for (Pauses* each : {&volatile_ends, &durable_ends, &accepts}) each->TakeLongest();
    cluster.Move(kQueue, cluster.OtherThan(cluster.Owner()));
    cluster.AwaitSlots(kFewSlots);
    volatile_pauses.push_back(volatile_ends.TakeLongest());
    durable_pauses.push_back(durable_ends.TakeLongest());
    accept_pauses.push_back(accepts.TakeLongest());
  }
  bench.Add("no volatile job ends for", volatile_pauses, "s", AtMost(1));
  bench.Add("no durable job ends for", durable_pauses, "s", AtMost(1));
  bench.Add("no durable job is accepted for", accept_pauses, "s", AtMost(1));
  bench.Add("durable jobs that were tried twice", {JobsTriedTwice(cluster.store())}, "", AtMost(0));
  bench.Add("calls that failed", {static_cast<double>(singles.refused())}, "", AtMost(0));
}

}  // namespace twofold::budgets
