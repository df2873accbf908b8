#include "tests/lib/stats/simulated_validation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace twofold::stats {
namespace {

constexpr double kScale = 1.8;
constexpr double kCap = 200.0;
constexpr double kWarmUp = 3.0;
constexpr double kQuarter = 0.25;

double Normal(Random& random) {
  return std::sqrt(-2.0 * std::log(Uniform(random))) *
         std::cos(2.0 * std::numbers::pi * Uniform(random));
}

// ---- lives, mean 1

double Equal(Random& random) { return 0.95 + 0.1 * Uniform(random); }
double HalfToThreeHalves(Random& random) { return 0.5 + Uniform(random); }
double Exponential(Random& random) { return -std::log(Uniform(random)); }
double LogNormal(Random& random) { return std::exp(0.8 * Normal(random) - 0.32); }
double Pareto(Random& random) { return 0.6 * std::pow(Uniform(random), -1.0 / 2.5); }
double ShortOrLong(Random& random) { return Uniform(random) <= 0.75 ? 0.25 : 3.25; }

// ---- common speeds

constexpr double kNoise = 0.15;

/// An autoregressive process whose correlation falls by e in 3 to 6 job times.
std::vector<double> Lasting(std::size_t quarters, Random& random) {
  const double likeness = std::exp(-kQuarter / (3.0 + 3.0 * Uniform(random)));
  const double fresh = std::sqrt(1.0 - likeness * likeness);
  std::vector<double> speeds(quarters);
  double state = Normal(random);
  for (double& speed : speeds) {
    speed = std::max(1.0 + kNoise * state, 0.1);
    state = likeness * state + fresh * Normal(random);
  }
  return speeds;
}

/// A neighbour that comes and goes, each for 3 to 6 job times: 15 % slower or faster.
std::vector<double> ComingAndGoing(std::size_t quarters, Random& random) {
  std::vector<double> speeds(quarters);
  double left = 6.0 * Uniform(random);
  double state = Uniform(random) < 0.5 ? kNoise : -kNoise;
  for (double& speed : speeds) {
    if ((left -= kQuarter) < 0.0) {
      left = 3.0 + 3.0 * Uniform(random);
      state = Uniform(random) < 0.5 ? kNoise : -kNoise;
    }
    speed = 1.0 + state;
  }
  return speeds;
}

/// A sine of 15 % amplitude with a period of 5 to 50 job times.
std::vector<double> Periodic(std::size_t quarters, Random& random) {
  const double step = 2.0 * std::numbers::pi * kQuarter / (5.0 * std::pow(10.0, Uniform(random)));
  const double begin = 2.0 * std::numbers::pi * Uniform(random);
  std::vector<double> speeds(quarters);
  for (std::size_t i = 0; i < quarters; ++i) {
    speeds[i] = 1.0 + kNoise * std::sin(begin + step * static_cast<double>(i));
  }
  return speeds;
}

/// Up to 5 % faster or slower in 200 job times, on and on through both steps.
std::vector<double> Drifting(std::size_t quarters, Random& random) {
  const double step = 0.05 * (2.0 * Uniform(random) - 1.0) / 200.0 * kQuarter;
  std::vector<double> speeds(quarters);
  for (std::size_t i = 0; i < quarters; ++i) {
    speeds[i] = std::exp(step * static_cast<double>(i));
  }
  return speeds;
}

/// Turns amounts of work into the time when they are done, at a common speed.
class Clock {
 public:
  explicit Clock(const std::vector<double>& speeds) : done_(1, 0.0) {
    for (const double speed : speeds) done_.push_back(done_.back() + speed * kQuarter);
  }

  /// When `work`, begun at `begin`, is done.
  [[nodiscard]] double End(double begin, double work) const {
    if (done_.size() == 1) return begin + work;
    const double until = Done(begin) + work;
    auto i = std::min(static_cast<std::size_t>(begin / kQuarter), done_.size() - 2);
    while (i + 2 < done_.size() && done_[i + 1] < until) ++i;
    return (static_cast<double>(i) + (until - done_[i]) / (done_[i + 1] - done_[i])) * kQuarter;
  }

 private:
  [[nodiscard]] double Done(double at) const {
    const auto i = std::min(static_cast<std::size_t>(at / kQuarter), done_.size() - 2);
    return done_[i] + (at / kQuarter - static_cast<double>(i)) * (done_[i + 1] - done_[i]);
  }

  std::vector<double> done_;  // by the begin of each quarter
};

/// A worker with one job after the other.
struct Lane {
  double begin = 0.0;
  double end = 0.0;
  double slowness = 1.0;
  Moments times;
};

Instant At(double seconds) { return Instant{} + FromSeconds(seconds); }

/// One step: lanes that start at a moment, and a window after the warm-up.
class StepOfRun {
 public:
  StepOfRun(const Noise& noise, const Clock& clock, double begin, std::uint32_t workers,
            double slowness, Random& random)
      : noise_(noise),
        clock_(clock),
        random_(random),
        start_(begin + kWarmUp),
        window_(At(start_)),
        lanes_(workers) {
    for (Lane& lane : lanes_) {
      lane.slowness = slowness * std::exp(noise.worker_sd * Normal(random));
      lane.end = begin;
      Next(lane);
    }
  }

  StepLook Look(std::span<const StepRecord> earlier, const StepPlan& plan, double seconds) {
    const double now = start_ + seconds;
    std::vector<Instant> in_flight;
    std::vector<Moments> times;
    for (Lane& lane : lanes_) {
      for (; lane.end <= now; Next(lane)) Ended(lane);
      in_flight.push_back(At(lane.begin));
      times.push_back(lane.times);
    }
    return LookAtStep(earlier, window_.Estimate(At(now), in_flight), BetweenWorkers(times), plan);
  }

  [[nodiscard]] double start() const { return start_; }

 private:
  void Next(Lane& lane) {
    lane.begin = lane.end;
    lane.end = clock_.End(lane.begin, noise_.life(random_) * lane.slowness);
  }
  void Ended(Lane& lane) {
    if (lane.end < start_) return;
    window_.Ended(At(lane.begin), At(lane.end), true);
    lane.times.Add(lane.end - lane.begin);
  }

  const Noise& noise_;
  const Clock& clock_;
  Random& random_;
  double start_;
  ThroughputWindow window_;
  std::vector<Lane> lanes_;
};

/// Measures a step as the script does, and returns when it ended.
double Measure(StepOfRun step, const StepPlan& plan, std::vector<StepRecord>& records,
               double& measured) {
  double seconds = 0.0;
  for (;;) {
    const StepLook look = step.Look(records, plan, seconds);
    if (look.done) {
      records.push_back(look.record);
      measured += seconds;
      return step.start() + seconds;
    }
    seconds += look.look.next_seconds;
  }
}

Verdict Try(const Noise& noise, double ratio, std::uint32_t repeats, Random& random,
            double& measured) {
  std::vector<StepRecord> records;
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    const auto quarters = static_cast<std::size_t>(2.5 * kCap / kQuarter);
    const Clock clock(noise.speed ? noise.speed(quarters, random) : std::vector<double>());
    StepPlan plan{.workers = 8, .scale = kScale, .cap = kCap, .repeats = repeats};
    const double end =
        Measure(StepOfRun(noise, clock, 0.0, 8, 1.0, random), plan, records, measured);
    plan.workers = 16;
    Measure(StepOfRun(noise, clock, end, 16, 2.0 / ratio, random), plan, records, measured);
  }
  return JudgeScaling(records, kScale).steps.front().any_pods.verdict;
}

}  // namespace

std::vector<Noise> AllNoise() {
  return {
      {.name = "nearly equal lives", .life = Equal},
      {.name = "uniform lives", .life = HalfToThreeHalves},
      {.name = "exponential lives", .life = Exponential},
      {.name = "lognormal lives", .life = LogNormal},
      {.name = "Pareto lives", .life = Pareto},
      {.name = "bimodal lives", .life = ShortOrLong},
      {.name = "drifting", .life = HalfToThreeHalves, .speed = Drifting},
      {.name = "periodic", .life = HalfToThreeHalves, .speed = Periodic},
      {.name = "lasting", .life = HalfToThreeHalves, .speed = Lasting},
      {.name = "coming and going", .life = HalfToThreeHalves, .speed = ComingAndGoing},
      {.name = "workers differ", .life = HalfToThreeHalves, .worker_sd = 0.1},
  };
}

Tally Validate(const Noise& noise, double ratio, std::uint32_t repeats, int tries,
               std::uint64_t seed) {
  Tally tally{.tries = tries};
  for (int i = 0; i < tries; ++i) {
    Random random(seed + static_cast<std::uint64_t>(i));
    const Verdict verdict = Try(noise, ratio, repeats, random, tally.seconds);
    tally.passed += verdict == Verdict::kPass ? 1 : 0;
    tally.failed += verdict == Verdict::kFail ? 1 : 0;
  }
  return tally;
}

}  // namespace twofold::stats
