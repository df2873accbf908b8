#include "workloads/objects/run.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "lib/common/program.h"
#include "workloads/objects/engine.h"
#include "workloads/objects/gathering.h"
#include "workloads/objects/load/steady.h"
#include "workloads/objects/prepare.h"

namespace twofold::objects {

namespace asio = boost::asio;
using suite::object_storage::TimeOf;

namespace {

constexpr Duration kSecond = std::chrono::seconds(1);
constexpr Duration kPatience = std::chrono::seconds(30);  // for one request before the load

/// Orders for all threads.
class LockedOrders : public Source {
 public:
  explicit LockedOrders(const Load& load) : orders_(load) {}
  std::optional<Order> Next() override {
    const MutexLock lock(mutex_);
    return orders_.Next();
  }
  void Ended(const Order& order, bool succeeded) override {
    const MutexLock lock(mutex_);
    orders_.Ended(order, succeeded);
  }
  /// Once all threads have ended.
  [[nodiscard]] const Orders& orders() const { return orders_; }

 private:
  Mutex mutex_;
  Orders orders_;
};

/// Deletes `names`, and first, first + step, ... below end, each once.
class Deletes : public Source {
 public:
  Deletes(std::set<std::uint64_t> names, std::uint64_t first, std::uint64_t end, std::uint64_t step)
      : names_(std::move(names)), next_(first), end_(end), step_(step) {}
  std::optional<Order> Next() override {
    const MutexLock lock(mutex_);
    if (!names_.empty()) {
      return Order{.op = Op::kDelete, .name = names_.extract(names_.begin()).value()};
    }
    if (next_ >= end_) return std::nullopt;
    return Order{.op = Op::kDelete, .name = std::exchange(next_, next_ + step_)};
  }
  void Ended(const Order& /*order*/, bool /*succeeded*/) override {}

 private:
  Mutex mutex_;
  std::set<std::uint64_t> names_;
  std::uint64_t next_;
  const std::uint64_t end_;
  const std::uint64_t step_;
};

double CpuSeconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

struct Cpu {
  double user = 0;
  double system = 0;
  std::uint64_t resident = 0;

  static Cpu Used() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {CpuSeconds(usage.ru_utime), CpuSeconds(usage.ru_stime),
            static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
  }
};

std::string HostName() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::size_t ThreadsFor(const Spec& spec) {
  const std::size_t most =
      spec.threads() > 0 ? spec.threads() : std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(spec.numworkers(), 1, std::max<std::size_t>(most, 1));
}

std::string Rate(double bytes) {
  constexpr double kMiB = 1 << 20;
  return absl::StrFormat("%.1f MiB/s", bytes / kMiB);
}

std::string Milliseconds(const stats::Histogram& histogram, double q) {
  const auto value = histogram.Quantile(q);
  return value ? absl::StrFormat("%.2f", ToSeconds(*value) * 1000) : "-";
}

/// The lines of progress on stderr.
class Progress {
 public:
  explicit Progress(std::uint32_t interval) : interval_(interval) {}

  void Tell(std::uint64_t second, const Engine& engine) {
    if (interval_ == 0 || second % interval_ != 0) return;
    const Tally now = engine.Counted();
    std::string line = absl::StrFormat("%6d s", second);
    for (std::size_t i = 0; i < kOps; ++i) {
      if (now.ops[i]) line += Part(static_cast<Op>(i), *now.ops[i], last_[i]);
    }
    std::fprintf(stderr, "%s\n", line.c_str());
  }

 private:
  std::string Part(Op op, const OpTally& now, OpTally::Second& last) const {
    const auto count = static_cast<double>(now.count - last.count);
    const auto bytes = static_cast<double>(now.bytes - last.bytes);
    const std::uint64_t errors = now.errors - last.errors;
    last = {now.count, now.bytes, now.errors};
    std::string text = absl::StrFormat(
        "  %s %.0f/s %s p50 %s p99 %s ms", NameOf(op), count / interval_, Rate(bytes / interval_),
        Milliseconds(now.last_byte, 0.5), Milliseconds(now.last_byte, 0.99));
    return errors == 0 ? text : absl::StrCat(text, " errors ", errors);
  }

  std::uint32_t interval_;
  std::array<OpTally::Second, kOps> last_{};
};

/// The main thread while the load runs: signals, progress, the end.
class Conductor {
 public:
  Conductor(const Spec& spec, Gathering& gathering, Instant start)
      : gathering_(gathering),
        decides_(spec.autoterm() && LoaderNumber(spec) == 0),
        start_(start),
        progress_(spec.statsinterval()),
        steady_(static_cast<std::size_t>(ToSeconds(TimeOf(spec.autotermtime()))),
                spec.autotermpct()) {}

  void Conduct(Engine& engine, asio::io_context& io, Instant from) {
    asio::signal_set signals(io, SIGTERM, SIGINT);
    signals.async_wait([&](const boost::system::error_code& error, int) {
      if (!error) EndAll(engine, "interrupted");
    });
    gathering_.on_stop = [&](const std::string& why) { End(engine, why); };
    asio::co_spawn(io, Tick(engine, from), asio::detached);
    io.run();
    gathering_.on_stop = nullptr;
  }

  void End(Engine& engine, const std::string& why) {
    if (why_.empty()) why_ = why;
    engine.Stop();
  }
  void EndAll(Engine& engine, const std::string& why) {
    gathering_.Stop(why);
    End(engine, why);
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  asio::awaitable<void> Tick(Engine& engine, Instant from) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    std::uint64_t before = 0;
    for (std::uint64_t second = 1;; ++second) {
      timer.expires_at(start_ + kSecond * static_cast<Duration::rep>(second));
      co_await timer.async_wait(kTuple);
      progress_.Tell(second, engine);
      const std::uint64_t own = engine.Totals().count;
      gathering_.Done(own);
      const std::uint64_t all = own + gathering_.others();
      const std::uint64_t done = all - std::exchange(before, all);
      if (decides_ && Now() > from + kSecond && steady_.Add(done)) EndAll(engine, "autoterm");
    }
  }

  Gathering& gathering_;
  const bool decides_;  ///< whether it is steady
  Instant start_;
  Progress progress_;
  Steady steady_;
  std::string why_;
};

Result<std::vector<std::string>> NamesToRead(const Spec& spec, const Store& store) {
  if (!spec.filelist().empty()) {
    std::ifstream file(spec.filelist());
    if (!file) return absl::InvalidArgumentError("filelist: cannot read " + spec.filelist());
    std::stringstream text;
    text << file.rdbuf();
    return NamesIn(text.str());
  }
  const bool reads = spec.pctput() + spec.pctdelete() + spec.pctlist() < 100;
  const bool own = spec.pctput() > 0;  // then it reads what it has put
  if (spec.objects() > 0 || !reads || own || TimeOf(spec.duration()) == Duration::zero()) {
    return std::vector<std::string>();
  }
  return ListNames(store, spec.subdir(), kPatience);
}

std::uint64_t SystemMilliseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

/// One run, from the open store to the report.
class LoadRun {
 public:
  LoadRun(const Spec& spec, const Store& store, std::vector<std::string> listed)
      : spec_(spec),
        store_(store),
        listed_(std::move(listed)),
        load_(LoadOf(spec, listed_.empty() ? spec.objects() : listed_.size())),
        names_(spec),
        source_(load_) {}

  void Go(asio::io_context& io, Gathering& gathering) {
    const Instant start = Now();
    const Instant from = start + TimeOf(spec_.warmup());
    const Duration duration = TimeOf(spec_.duration());
    report_.set_started_unix_ms(SystemMilliseconds());
    if (duration > Duration::zero()) Measure(io, gathering, start, from, from + duration);
    gathering.Over();
    if (!spec_.cleanup()) return;
    const Orders& orders = source_.orders();
    if (duration > Duration::zero()) {
      CleanUp(orders.spared(), orders.NumberOf(orders.deleted()), orders.NumberOf(orders.puts()));
    } else {
      CleanUp({}, load_.loader, spec_.objects());  // what an earlier run has written
    }
  }

  v1::suites::ObjectStorageReport Report() {
    report_.set_version(std::string(GetBuildInfo().version));
    *report_.mutable_spec() = spec_;
    report_.set_loader(static_cast<std::uint32_t>(load_.loader));
    report_.set_loaders(static_cast<std::uint32_t>(load_.loaders));
    report_.set_host(HostName());
    report_.set_names(load_.names);
    report_.set_epochs_done(source_.orders().EpochsDone());
    report_.set_objects_written(source_.orders().ObjectsWritten());
    report_.mutable_client()->set_threads(static_cast<std::uint32_t>(ThreadsFor(spec_)));
    return std::move(report_);
  }

 private:
  Engine::Size SizeOf() const {
    return {spec_.numworkers(), ThreadsFor(spec_), TimeOf(spec_.timeout())};
  }

  void Measure(asio::io_context& io, Gathering& gathering, Instant start, Instant from,
               Instant to) {
    Shared shared{store_, Manner(spec_), names_, listed_, source_, start};
    Engine engine(shared, SizeOf(), from, to, [&] { asio::post(io, [&] { io.stop(); }); });
    Conductor conductor(spec_, gathering, start);
    const Cpu before = Cpu::Used();
    engine.Start();
    conductor.Conduct(engine, io, from);
    engine.Join();
    const Instant end = std::min(Now(), to);
    WriteCpu(before, Cpu::Used());
    WriteEnd(conductor.why(), shared, from, end);
    Tally tally = engine.Counted();
    CountNeverSent(start, end, tally);
    objects::Report(tally, load_, report_);
  }

  // Requests of a rate for which there was nobody.
  void CountNeverSent(Instant start, Instant end, Tally& tally) const {
    Orders left = source_.orders();
    for (auto order = left.Next(); order && order->planned; order = left.Next()) {
      if (start + *order->planned >= end) return;
      tally.Open(order->op, start + *order->planned, end);
    }
  }

  void WriteCpu(const Cpu& before, const Cpu& after) {
    auto& client = *report_.mutable_client();
    client.set_user_cpu_seconds(after.user - before.user);
    client.set_system_cpu_seconds(after.system - before.system);
    client.set_max_resident_bytes(after.resident);
  }

  void WriteEnd(const std::string& why, const Shared& shared, Instant from, Instant end) {
    const std::string of_orders(source_.orders().Why());
    report_.set_ended(!why.empty() ? why : !of_orders.empty() ? of_orders : "duration");
    report_.set_interrupted(!why.empty() && why != "autoterm");
    const double measured = std::max(ToSeconds(end - from), 0.0);
    report_.set_measured_seconds(measured);
    const Instant full{Duration(shared.full_until.load())};
    report_.set_full_seconds(shared.all_busy ? measured : std::max(ToSeconds(full - from), 0.0));
  }

  void CleanUp(const std::set<std::uint64_t>& names, std::uint64_t first, std::uint64_t end) {
    asio::io_context io;
    Deletes deletes(names, first, end, load_.loaders);
    const Instant start = Now();
    Shared shared{store_, Manner(spec_), names_, {}, deletes, start};
    Engine engine(shared, SizeOf(), start, Instant::max(),
                  [&] { asio::post(io, [&] { io.stop(); }); });
    const auto work = asio::make_work_guard(io);
    asio::signal_set signals(io, SIGTERM, SIGINT);
    signals.async_wait([&](const boost::system::error_code& error, int) {
      if (!error) engine.Stop();
    });
    engine.Start();
    io.run();
    engine.Join();
    const Tally tally = engine.Counted();
    const auto& deleted = tally.ops[static_cast<std::size_t>(Op::kDelete)];
    if (!deleted) return;
    report_.set_cleaned(deleted->count);
    if (deleted->errors > 0) {
      report_.add_warnings(absl::StrCat("cleanup: ", deleted->errors, " objects are still there"));
    }
  }

  const Spec& spec_;
  const Store& store_;
  const std::vector<std::string> listed_;
  const Load load_;
  const Names names_;
  LockedOrders source_;
  v1::suites::ObjectStorageReport report_;
};

// Loaders of a run differ in nothing but their number.
std::string KeyOf(Spec spec) {
  spec.clear_loaderid();
  return Sha256Hex(spec.SerializeAsString());
}

Gathering::Plan PlanOf(const Spec& spec, const Options& options) {
  return {.loader = static_cast<std::uint32_t>(LoaderNumber(spec)),
          .loaders = spec.nodecount(),
          .address = ParseAddress(options.barrier).value_or(HostPort()),
          .key = KeyOf(spec),
          .patience = FromSeconds(options.barrier_seconds)};
}

}  // namespace

Result<v1::suites::ObjectStorageReport> RunLoad(const Spec& spec, const Options& options) {
  const auto store = OpenStore(spec);
  if (!store.ok()) return store.status();
  if (LoaderNumber(spec) == 0 || spec.loaderidhashlen() > 0) {
    Status status = EnsureBucket(*store, spec.pctput() > 0, kPatience);
    if (!status.ok()) return status;
  }
  auto listed = NamesToRead(spec, *store);
  if (!listed.ok()) return listed.status();
  LoadRun run(spec, *store, *std::move(listed));
  asio::io_context io;
  Gathering gathering(io, PlanOf(spec, options));
  if (!options.barrier.empty()) {
    Status status = gathering.Gather();
    if (!status.ok()) return status;
  }
  run.Go(io, gathering);
  return run.Report();
}

}  // namespace twofold::objects
