#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bench/cluster/costs.h"
#include "bench/cluster/frontends.h"
#include "bench/cluster/ledger.h"
#include "bench/cluster/server.h"
#include "bench/cluster/stored_queue.h"
#include "lib/rpc/route.h"

namespace twofold::scale {

struct WorldOptions {
  std::uint64_t seed = 1;
  std::size_t frontends = 40;
  std::size_t queues = 240;
  std::size_t workers = 1'000'000;
  bool tls = false;
  Duration run_time = std::chrono::seconds(60);  ///< mean of a job; it is half of it to 1.5 of it
  Duration grace = std::chrono::seconds(30);
  rpc::RoutePauses pauses = {};  ///< of workers
};

/// Frontends, a database, queues and their workers in virtual time.
///
/// Real are the Ownership of each frontend, the Queue of each partition, and the Route of each
/// worker that is away. A worker is a few numbers: which job it runs until when, where its stream
/// is. Each has one slot and always a job: each queue has twice as many jobs as workers. What
/// takes time or CPU is in costs.h; what is left out is in docs/scale.md.
///
/// Threads  Not thread-safe.
/// Cost     Some 1 KiB a worker, and 5 KiB more while it is away; a second of virtual time with
/// 10^6
///          workers takes some 0.2 s.
/// Order    The same options and calls give the same ledger.
class World : private QueueShell, private queue::NoEffects {
 public:
  /// All frontends are up, each queue has an owner, and each worker a job.
  explicit World(const WorldOptions& options);

  void Run(Duration length) { time_.Run(time_.now() + length); }
  [[nodiscard]] Instant now() const { return time_.now(); }

  /// The ledger begins anew.
  void Observe() { ledger_ = Ledger(options_.frontends); }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

  // ---- What may happen

  /// The process ends without a word; its streams break at once.
  void Kill(std::size_t frontend);
  /// Its host goes as well, for good: workers notice only after a while.
  void LoseHost(std::size_t frontend);
  /// After a Kill or a drain.
  void Start(std::size_t frontend);
  /// It hands over all its queues and ends.
  void Drain(std::size_t frontend) { frontends_.Drain(frontend); }
  void SetDatabaseUp(bool up);

  // ---- Questions

  [[nodiscard]] const WorldOptions& options() const { return options_; }
  [[nodiscard]] const Frontends& frontends() const { return frontends_; }
  [[nodiscard]] std::size_t QueuesOf(std::size_t frontend) const;
  [[nodiscard]] std::size_t WorkersOf(std::size_t frontend) const;
  [[nodiscard]] std::size_t UnfinishedOf(std::size_t frontend) const;
  /// Workers without a stream that is served.
  [[nodiscard]] std::size_t WorkersAway() const;
  /// The database's time for durable lives, so far.
  [[nodiscard]] Duration database_busy() const { return database_.done(); }
  /// CPU that the frontend has used, so far.
  [[nodiscard]] Duration CpuOf(std::size_t frontend) const { return hosts_[frontend].cpu.done(); }
  /// What is wrong now, when nothing should be under way; empty: nothing.
  [[nodiscard]] std::string Complaint() const;

 private:
  using WorkerNumber = std::uint32_t;

  enum class Stream : std::uint8_t {
    kServed,    ///< its queue has it
    kDialling,  ///< it waits, or is on its way
    kHeld,      ///< it has come, and the queue is being read
    kParked,    ///< its queue has been closed there, and nobody else is known to have it
  };

  /// How a worker that was away came here. Kept until its stream has worked for a while.
  struct Journey {
    rpc::Route route;
    Instant left;  ///< when its queue stopped serving it
    std::optional<Instant> served = {};
  };

  struct Worker {
    std::optional<queue::Held> job = {};  ///< what it runs, or the result of which it has
    bool has_ended = false;
    Stream stream = Stream::kServed;
    std::uint32_t frontend = 0;  ///< at the other end of its stream
    queue::ProcessId process{};  ///< its queue's name for it
    std::uint32_t life = 0;      ///< StoredQueue::lives at which it joined
    std::uint32_t turn = 0;      ///< rises with each change of `stream`: what was under way is void
    std::uint32_t jobs = 0;      ///< handed to it so far
    std::unique_ptr<Journey> journey = {};
  };

  /// A partition and where it is.
  struct Place {
    StoredQueue queue;
    std::size_t frontend = 0;                   // which one has it open
    bool is_open = false;                       // there; served when it is read
    std::uint32_t openings = 0;                 // which of them a reading belongs to
    std::optional<Instant> closed = {};         // since when it is not served
    std::vector<WorkerNumber> by_process = {};  // of the core
    std::vector<WorkerNumber> results = {};     // wait for the database, or for Resume
    std::vector<WorkerNumber> held = {};        // workers that wait for the reading
  };

  struct Host {
    Server cpu{ValueOf(Cost::kCores)};
    bool is_lost = false;
    bool in_service = true;                 // the Service leads there
    std::set<PartitionNumber> parked = {};  // closed here; streams wait for the next owner
  };

  // The beginning
  void StartAll();
  void FillQueues();

  // What ownership wants
  void Open(std::size_t frontend, PartitionNumber partition) override;
  void Resume(std::size_t frontend, PartitionNumber partition) override;
  void Suspend(std::size_t frontend, PartitionNumber partition) override;
  void Close(std::size_t frontend, PartitionNumber partition) override;
  void Drained(std::size_t frontend) override;
  void Saw(std::size_t frontend) override;
  void Serve(PartitionNumber partition);
  void SendOn(std::size_t frontend, PartitionNumber partition);

  // What queues decide
  using queue::NoEffects::Do;
  void Do(const queue::Assign& assign) override;
  void Do(const queue::CancelOnWorker& cancel) override;
  void Do(const queue::Requeued& requeued) override;
  void Do(const queue::Reply& reply) override;

  // Jobs and leases
  Duration WholeRun();
  Duration RestOfRun();
  void JobEnds(WorkerNumber number, std::uint32_t jobs);
  void Deliver(WorkerNumber number);
  void Complete(WorkerNumber number, std::uint32_t turn);
  void Keep(WorkerNumber number);
  void Drop(WorkerNumber number, const queue::Held& attempt);
  void DeliverAll(PartitionNumber partition);
  void Renew(PartitionNumber partition);
  void Tick(PartitionNumber partition);

  // Streams
  void Park(WorkerNumber number);
  void Unpark(std::size_t frontend, PartitionNumber partition);
  void EndProcess(std::size_t frontend);
  void EndQueue(PartitionNumber partition);
  void BreakStreams(std::size_t frontend, Duration least, Duration most);
  void Break(WorkerNumber number, std::uint32_t turn);
  void Leave(WorkerNumber number);
  void Go(WorkerNumber number, const rpc::Dial& dial);
  void Arrive(WorkerNumber number, std::uint32_t turn);
  void Answer(WorkerNumber number, std::uint32_t turn);
  void Redirect(WorkerNumber number);
  void Join(WorkerNumber number);
  void Settle(WorkerNumber number);
  [[nodiscard]] std::size_t FirstContact();

  [[nodiscard]] PartitionNumber QueueOf(WorkerNumber number) const {
    return static_cast<PartitionNumber>(number % options_.queues);
  }
  Place& PlaceOf(WorkerNumber number) { return places_[QueueOf(number)]; }
  /// To step it: the effects are this partition's.
  queue::Queue& CoreOf(PartitionNumber partition) {
    stepping_ = partition;
    return places_[partition].queue.core();
  }
  /// The numbers of the workers of a queue are this one, this one + queues, ...
  template <typename Visit>
  void VisitWorkers(PartitionNumber partition, const Visit& visit) {
    for (std::size_t i = partition; i < workers_.size(); i += options_.queues) {
      visit(static_cast<WorkerNumber>(i));
    }
  }
  [[nodiscard]] bool IsServed(WorkerNumber number) const;
  Duration Random(Duration least, Duration most);

  const WorldOptions options_;
  std::mt19937_64 random_;
  VirtualTime time_;
  Frontends frontends_;
  Server database_{1};
  std::vector<Host> hosts_;
  std::vector<Place> places_;
  std::vector<Worker> workers_;
  PartitionNumber stepping_ = 0;  // whose core acts
  Ledger ledger_;
};

}  // namespace twofold::scale
