#include "tests/lib/load/simulated_queue.h"

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>

#include "lib/load/engine/lanes.h"
#include "lib/load/record.h"
#include "lib/rpc/batches.h"

namespace twofold::load {
namespace {

constexpr Instant kSimulationBegin = Instant() + std::chrono::hours(1);
constexpr double kNever = 1e12;

thread_local Instant virtual_now = kSimulationBegin;
Instant VirtualNow() { return virtual_now; }
double NowSeconds() { return ToSeconds(virtual_now - kSimulationBegin); }

struct RunningJob {
  std::size_t job;
  double ends;
  v1::Outcome outcome;
};

/// First come, first served. A worker is a place among `running_`; those that vanish are the last.
class SimulatedQueue final : public JobSink {
 public:
  SimulatedQueue(const QueueShape& shape, std::uint64_t seed) : shape_(shape), random_(seed) {
    running_.resize(static_cast<std::size_t>(shape.workers));
    for (const auto& pause : shape.pauses) changes_.insert({pause.from, pause.to});
    for (const auto& outage : shape.outages) changes_.insert({outage.time.from, outage.time.to});
    changes_.insert(shape.others.begin(), shape.others.end());
  }

  void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate*) override {
    for (const LoadLoop::Tag tag : tags) arriving_.push_back(tag);
  }
  void Flush() override {}

  [[nodiscard]] double NextEvent() const {
    double next = changes_.empty() ? kNever : *changes_.begin();
    for (const auto& job : running_) next = job ? std::min(next, job->ends) : next;
    return next;
  }

  [[nodiscard]] bool HasArrivals() const { return !arriving_.empty(); }

  /// All that happens now; nullopt: nobody hears of it.
  std::optional<v1::SubmitReply> Step() {
    reply_.Clear();
    while (!changes_.empty() && *changes_.begin() <= NowSeconds()) changes_.erase(changes_.begin());
    for (auto& place : running_) {
      if (!place || place->ends > NowSeconds()) continue;
      End(*place, place->outcome);
      place.reset();
    }
    const std::size_t up = Up();
    for (std::size_t i = up; i < running_.size(); ++i) {
      if (running_[i]) End(*running_[i], v1::OUTCOME_LOST);
      running_[i].reset();
    }
    Accept();
    if (!IsPaused()) HandOut(up);
    const auto others = std::count_if(shape_.others.begin(), shape_.others.end(),
                                      [](double at) { return at <= NowSeconds(); });
    if (reply_.results().tags().empty()) return std::nullopt;
    reply_.set_others_started(static_cast<std::uint64_t>(others));
    SetStanding();
    return reply_;
  }

  std::optional<Instant> tick;
  std::vector<TrueJob> jobs;

 private:
  [[nodiscard]] bool IsPaused() const {
    return std::any_of(shape_.pauses.begin(), shape_.pauses.end(), [](const auto& pause) {
      return pause.from <= NowSeconds() && NowSeconds() < pause.to;
    });
  }

  [[nodiscard]] std::size_t Up() const {
    int up = shape_.workers;
    for (const auto& [time, workers] : shape_.outages) {
      if (time.from <= NowSeconds() && NowSeconds() < time.to) up -= workers;
    }
    return static_cast<std::size_t>(std::max(up, 0));
  }

  void Accept() {
    for (const LoadLoop::Tag tag : std::exchange(arriving_, {})) {
      jobs.push_back({.sent = NowSeconds()});
      tags_.push_back(tag);
      if (shape_.most > 0 && waiting_.size() >= shape_.most) {
        Answer(jobs.size() - 1, v1::OUTCOME_REJECTED, 0);
      } else {
        waiting_.push_back(jobs.size() - 1);
        if (!IsPaused()) HandOut(Up());
      }
    }
  }

  void HandOut(std::size_t up) {
    for (std::size_t i = 0; i < up && !waiting_.empty(); ++i) {
      if (running_[i]) continue;
      const std::size_t job = waiting_.front();
      waiting_.pop_front();
      jobs[job].began = NowSeconds();
      running_[i] = Start(job);
      most_running_ = std::max(most_running_, CountRunning());
    }
  }

  [[nodiscard]] std::uint64_t CountRunning() const {
    return static_cast<std::uint64_t>(std::count_if(
        running_.begin(), running_.end(), [](const auto& place) { return place.has_value(); }));
  }

  RunningJob Start(std::size_t job) {
    const bool hangs = Uniform(random_) <= shape_.hangs;
    const bool fails = Uniform(random_) <= shape_.fails;
    const double run = hangs ? kNever : std::max(shape_.run(random_), 1e-6);
    if (shape_.limit > 0 && run > shape_.limit) {
      return {job, NowSeconds() + shape_.limit, v1::OUTCOME_TIMED_OUT};
    }
    return {job, NowSeconds() + run, fails ? v1::OUTCOME_FAILED : v1::OUTCOME_SUCCEEDED};
  }

  void End(const RunningJob& running, v1::Outcome outcome) {
    Answer(running.job, outcome, NowSeconds() - *jobs[running.job].began);
  }

  void Answer(std::size_t index, v1::Outcome outcome, double run) {
    TrueJob& job = jobs[index];
    job.ended = NowSeconds();
    job.outcome = outcome;
    const double wait = job.began ? *job.began - job.sent : 0;
    v1::ResultBatch& batch = *reply_.mutable_results();
    rpc::Append(batch, {.tag = tags_[index],
                        .outcome = outcome,
                        .wait_ns = static_cast<std::uint64_t>(FromSeconds(wait).count()),
                        .run_ns = static_cast<std::uint64_t>(FromSeconds(run).count()),
                        .attempts = job.began ? 1U : 0U,
                        .worker = rpc::WorkerIndex(batch, "node", "pod", {}),
                        .report = {}});
    if (outcome == v1::OUTCOME_REJECTED) reply_.set_retry_after_ns(100'000'000);
  }

  void SetStanding() {
    v1::Standing& standing = *reply_.mutable_standing();
    standing.set_waiting(waiting_.size());
    double waited = 0;
    for (const auto& place : running_) {
      if (place) waited += *jobs[place->job].began - jobs[place->job].sent;
    }
    standing.set_running(CountRunning());
    standing.set_most_running(most_running_);
    standing.set_waited_ns(static_cast<std::uint64_t>(FromSeconds(waited).count()));
  }

  const QueueShape& shape_;
  Random random_;
  std::multiset<double> changes_;
  std::vector<LoadLoop::Tag> arriving_;
  std::vector<LoadLoop::Tag> tags_;  // of `jobs`
  std::deque<std::size_t> waiting_;
  std::vector<std::optional<RunningJob>> running_;
  std::uint64_t most_running_ = 0;
  v1::SubmitReply reply_;
};

/// Goes on until `is_over`, from event to event, but not beyond `until`.
template <typename IsOver>
void RunUntil(Generator& generator, SimulatedQueue& queue, Instant until, const IsOver& is_over) {
  while (!is_over()) {
    if (!queue.HasArrivals()) {
      Instant next = until;
      if (queue.NextEvent() < kNever) {
        next = std::min(next, kSimulationBegin + FromSeconds(queue.NextEvent()) + Duration(1));
      }
      if (queue.tick) next = std::min(next, *queue.tick);
      virtual_now = std::max(virtual_now, next);
    }
    if (const auto reply = queue.Step()) {
      queue.tick.reset();
      generator.OnReply(*reply);
    }
    if (queue.tick && *queue.tick <= virtual_now) {
      queue.tick.reset();
      generator.Tick();
    }
    if (virtual_now >= until && !queue.HasArrivals()) return;
  }
}

}  // namespace

double Simulated::Done(double from, double to) const {
  double done = 0;
  for (const TrueJob& job : jobs) {
    if (job.outcome != v1::OUTCOME_SUCCEEDED) continue;
    const double inside = std::min(*job.ended, to) - std::max(*job.began, from);
    if (inside > 0) done += inside / (*job.ended - *job.began);
  }
  return done;
}

Simulated Simulate(const Profile& profile, const QueueShape& shape, std::uint64_t seed,
                   std::optional<double> drain, std::size_t outstanding_max, WarmUp warm_up) {
  virtual_now = kSimulationBegin;
  Generator generator("q", "localhost:1", kSimulationBegin, &VirtualNow);
  generator.SetOutstandingMax(outstanding_max);
  generator.RecordNext(warm_up);
  auto queue = std::make_shared<SimulatedQueue>(shape, seed);
  generator.OnTick([&](Instant when) { queue->tick = when; });
  generator.Connected(queue);
  Profile own = profile;
  own.seed = seed;
  generator.SetProfile(std::make_shared<const Profile>(std::move(own))).IgnoreError();
  const Instant end = kSimulationBegin + FromSeconds(profile.seconds());
  RunUntil(generator, *queue, end + Duration(1), [&] { return generator.State().over; });
  generator.EndLoad();
  const Duration patience =
      drain ? FromSeconds(*drain)
            : std::max<Duration>(generator.State().longest_life, std::chrono::seconds(1));
  RunUntil(generator, *queue, virtual_now + patience, [&] { return generator.outstanding() == 0; });
  Simulated simulated{std::make_unique<Recorder>(*generator.Recorded()), {}, queue->jobs};
  simulated.record = Record(*simulated.recorder, "q", "duration");
  return simulated;
}

}  // namespace twofold::load
