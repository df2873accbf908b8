#include "tests/lib/stats/simulated_validation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <thread>

namespace twofold::stats {
namespace {

constexpr double kScale = 1.8;
constexpr double kCap = 200.0;
constexpr int kWorthThreads = 50;
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
double WithinAFifth(Random& random) { return 0.8 + 0.4 * Uniform(random); }
double WideLogNormal(Random& random) { return std::exp(1.2 * Normal(random) - 0.72); }
double ShortOrLong(Random& random) { return Uniform(random) <= 0.75 ? 0.25 : 3.25; }
double OneOfTenLong(Random& random) { return Uniform(random) <= 0.9 ? 0.5 : 5.5; }

/// A coefficient of variation of 0.3.
double Gamma(Random& random) {
  constexpr int kShape = 11;
  double sum = 0.0;
  for (int i = 0; i < kShape; ++i) sum += Exponential(random);
  return sum / kShape;
}

/// A power law; less than 2 would have no variance.
std::function<double(Random&)> Pareto(double exponent) {
  return [exponent](Random& random) {
    return (1.0 - 1.0 / exponent) * std::pow(Uniform(random), -1.0 / exponent);
  };
}

// ---- common speeds

constexpr double kNoise = 0.15;

/// An autoregressive process of standard deviation `sd` whose correlation falls by e in `least` to
/// `most` job times.
std::function<std::vector<double>(std::size_t, Random&)> LastingNoise(double sd, double least,
                                                                      double most) {
  return [=](std::size_t quarters, Random& random) {
    const double tau = least + (most - least) * Uniform(random);
    const double likeness = std::exp(-kQuarter / tau);
    const double fresh = std::sqrt(1.0 - likeness * likeness);
    std::vector<double> speeds(quarters);
    double state = Normal(random);
    for (double& speed : speeds) {
      speed = std::max(1.0 + sd * state, 0.1);
      state = likeness * state + fresh * Normal(random);
    }
    return speeds;
  };
}

/// All stand still for `least` to `most` job times, each 20 to 60 (or `every`).
std::function<std::vector<double>(std::size_t, Random&)> Pauses(double least, double most,
                                                                double between_least,
                                                                double between_most) {
  return [=](std::size_t quarters, Random& random) {
    std::vector<double> speeds(quarters, 1.0);
    constexpr double kStill = 1e-6;
    const auto between = [&] {
      return between_least + (between_most - between_least) * Uniform(random);
    };
    double next = between() * Uniform(random);
    while (next < static_cast<double>(quarters) * kQuarter) {
      const double end = next + least + (most - least) * Uniform(random);
      for (double at = next; at < end; at += kQuarter) {
        const auto i = static_cast<std::size_t>(at / kQuarter);
        if (i < quarters) speeds[i] = kStill;
      }
      next = end + between();
    }
    return speeds;
  };
}

/// A slow sine of 10 % with a period of 1000 to 3000 job times.
std::vector<double> Day(std::size_t quarters, Random& random) {
  const double step = 2.0 * std::numbers::pi * kQuarter / (1000.0 + 2000.0 * Uniform(random));
  const double begin = 2.0 * std::numbers::pi * Uniform(random);
  std::vector<double> speeds(quarters);
  for (std::size_t i = 0; i < quarters; ++i) {
    speeds[i] = 1.0 + 0.1 * std::sin(begin + step * static_cast<double>(i));
  }
  return speeds;
}

/// All are faster or slower by 5 % from one moment on.
std::vector<double> Shift(std::size_t quarters, Random& random) {
  const double at = 400.0 * Uniform(random) / kQuarter;
  const double after = Uniform(random) < 0.5 ? 0.95 : 1.05;
  std::vector<double> speeds(quarters, 1.0);
  for (std::size_t i = 0; i < quarters; ++i) {
    if (static_cast<double>(i) >= at) speeds[i] = after;
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

// ---- workers

std::function<double(bool, Random&)> WorkersDiffer(double sd) {
  return [sd](bool, Random& random) { return std::exp(sd * Normal(random)); };
}

/// A quarter of the nodes is slower by 29 %; new nodes for each step.
double TwoKinds(bool, Random& random) { return Uniform(random) < 0.25 ? 1.29 : 1.0; }

/// One of sixteen workers takes three times as long.
double Stragglers(bool, Random& random) { return Uniform(random) < 1.0 / 16 ? 3.0 : 1.0; }

double BaseDiffers(bool base, Random& random) {
  return base ? std::exp(0.15 * Normal(random)) : 1.0;
}

/// A speed and a drift at once.
std::function<std::vector<double>(std::size_t, Random&)> AndDrifting(
    const std::function<std::vector<double>(std::size_t, Random&)>& other) {
  return [other](std::size_t quarters, Random& random) {
    std::vector<double> speeds = other(quarters, random);
    const std::vector<double> drift = Drifting(quarters, random);
    std::transform(speeds.begin(), speeds.end(), drift.begin(), speeds.begin(),
                   std::multiplies<>());
    return speeds;
  };
}

/// A worker with one job after the other.
struct Lane {
  double begin = 0.0;
  double end = 0.0;
  double slowness = 1.0;
  double mood = 0.0;  // its own noise, standard deviation 1
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
        begin_(begin),
        cold_(noise.cold_base_alone && workers != noise.workers ? 0.0 : noise.cold),
        start_(begin + kWarmUp),
        window_(At(start_)),
        lanes_(workers) {
    const bool base = workers == noise.workers;
    for (Lane& lane : lanes_) {
      lane.slowness = slowness * (noise.worker ? noise.worker(base, random) : 1.0);
      lane.mood = Normal(random);
      lane.end = begin;
      Next(lane);
    }
  }

  StepLook Look(std::span<const StepRecord> earlier, const StepPlan& plan, double seconds) {
    const double now = start_ + seconds;
    std::vector<Instant> in_flight;
    for (Lane& lane : lanes_) {
      for (; lane.end <= now; Next(lane)) Ended(lane);
      in_flight.push_back(At(lane.begin));
    }
    return LookAtStep(earlier, window_.Estimate(At(now), in_flight),
                      window_.Measured(At(now), in_flight), plan);
  }

  [[nodiscard]] double start() const { return start_; }

 private:
  void Next(Lane& lane) {
    lane.begin = lane.end;
    const double cold = cold_ * std::exp(-(lane.begin - begin_) / noise_.cold_for);
    const double own = noise_.own_sd * lane.mood;
    lane.end = clock_.End(
        lane.begin, noise_.life(random_) * lane.slowness * (1.0 + cold) * std::max(1.0 + own, 0.1));
    const double likeness = noise_.own_likeness;
    lane.mood = likeness * lane.mood + std::sqrt(1.0 - likeness * likeness) * Normal(random_);
  }
  void Ended(Lane& lane) {
    const bool succeeded = noise_.failing == 0.0 || Uniform(random_) > noise_.failing;
    if (lane.end < start_) return;
    std::optional<std::uint32_t> worker;
    if (!noise_.workers_unknown) worker = static_cast<std::uint32_t>(&lane - lanes_.data());
    window_.Ended(At(lane.begin), At(lane.end), succeeded, worker);
  }

  const Noise& noise_;
  const Clock& clock_;
  Random& random_;
  double begin_;
  double cold_;
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

/// As `--repeat auto` plans them after the first one.
std::uint32_t RepeatsAfter(const std::vector<StepVerdict>& steps) {
  std::uint32_t needed = 1;
  for (const StepVerdict& step : steps) {
    const bool is_open = step.any_pods.verdict == Verdict::kUndecided;
    if (is_open && step.doubt == Doubt::kWorkers) needed = std::max(needed, step.repeats_needed);
  }
  return std::max(RepeatsToMake(needed, kMostMadeRepeats), 1U);
}

std::vector<StepVerdict> Try(const Noise& noise, double ratio, Random& random, double& measured) {
  std::vector<StepRecord> records;
  std::uint32_t repeats = std::max(noise.repeats, 1U);
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    const auto quarters = static_cast<std::size_t>((noise.doublings + 1.5) *
                                                   std::max(kCap, noise.patience) / kQuarter);
    const Clock clock(noise.speed ? noise.speed(quarters, random) : std::vector<double>());
    StepPlan plan{.workers = noise.workers,
                  .scale = kScale,
                  .cap = {kCap, noise.patience},
                  .repeats = noise.repeats,
                  .next = Next::kUnlessFailed};
    double end = 0.0;
    for (std::uint32_t step = 0; step <= noise.doublings; ++step, plan.workers *= 2) {
      const double slowness = std::pow(2.0 / ratio, step);
      if (step == noise.doublings) plan.next = Next::kNever;
      end = Measure(StepOfRun(noise, clock, end, plan.workers, slowness, random), plan, records,
                    measured);
    }
    if (noise.repeats == 0 && repeat == 0) {
      repeats = RepeatsAfter(JudgeScaling(records, kScale).steps);
    }
  }
  return JudgeScaling(records, kScale).steps;
}

/// That of all steps together.
Verdict VerdictOf(const std::vector<StepVerdict>& steps, Pods pods) {
  const auto are = [&](Verdict verdict) {
    return [=](const StepVerdict& step) { return step.Of(pods).verdict == verdict; };
  };
  if (std::any_of(steps.begin(), steps.end(), are(Verdict::kFail))) return Verdict::kFail;
  const bool pass = std::all_of(steps.begin(), steps.end(), are(Verdict::kPass));
  return pass ? Verdict::kPass : Verdict::kUndecided;
}

}  // namespace

std::vector<Noise> AllNoise() {
  const auto lasting = LastingNoise(kNoise, 3.0, 6.0);
  const auto pauses = Pauses(1.0, 3.0, 20.0, 60.0);
  const auto differ = WorkersDiffer(0.1);
  return {
      {.name = "nearly equal lives", .life = Equal, .decided = {0.99, 0.99, 0.99}},
      {.name = "uniform lives", .life = HalfToThreeHalves, .decided = {0.99, 0.88, 0.99}},
      {.name = "gamma lives", .life = Gamma, .decided = {0.99, 0.9, 0.99}, .in_table = true},
      {.name = "exponential lives",
       .life = Exponential,
       .decided = {0.8, 0.22, 0.85},
       .in_table = true},
      {.name = "lognormal lives", .life = LogNormal},
      {.name = "Pareto lives", .life = Pareto(2.5)},
      {.name = "heavy Pareto lives",
       .life = Pareto(2.2),
       .decided = {0.75, 0.22, 0.8},
       .in_table = true},
      {.name = "bimodal lives", .life = ShortOrLong},
      {.name = "drifting", .life = HalfToThreeHalves, .speed = Drifting},
      {.name = "periodic", .life = HalfToThreeHalves, .speed = Periodic},
      {.name = "lasting", .life = HalfToThreeHalves, .speed = lasting},
      {.name = "coming and going", .life = HalfToThreeHalves, .speed = ComingAndGoing},
      {.name = "pauses",
       .life = Gamma,
       .speed = pauses,
       .decided = {0.95, 0.35, 0.95},
       .in_table = true},
      {.name = "moody workers",
       .life = Equal,
       .own_sd = 0.2,
       .own_likeness = 0.9,
       .decided = {0.85, 0.3, 0.9},
       .in_table = true},
      {.name = "cold start",
       .life = WithinAFifth,
       .cold = 0.3,
       .cold_for = 15.0,
       .decided = {0.98, 0.8, 0.98},
       .in_table = true},
      {.name = "workers differ", .life = HalfToThreeHalves, .worker = differ},
      {.name = "workers differ, 4 repeats",
       .life = HalfToThreeHalves,
       .worker = differ,
       .decided = {0.9, 0.5, 0.9},
       .repeats = 4},
      {.name = "two kinds of nodes", .life = Gamma, .worker = TwoKinds},
      {.name = "two kinds of nodes, 3 repeats",
       .life = Gamma,
       .worker = TwoKinds,
       .decided = {0.92, 0.35, 0.93},
       .in_table = true,
       .repeats = 3},
      {.name = "workers differ, repeats auto",
       .life = HalfToThreeHalves,
       .worker = differ,
       .repeats = 0},
      {.name = "two kinds of nodes, repeats auto", .life = Gamma, .worker = TwoKinds, .repeats = 0},
      {.name = "exponential lives, repeats auto", .life = Exponential, .repeats = 0},
      {.name = "exponential lives, patience of 2000",
       .life = Exponential,
       .decided = {0.9, 0.25, 0.9},
       .patience = 2000.0},
  };
}

std::vector<Noise> FurtherNoise() {
  const auto slow = LastingNoise(0.05, 60.0, 60.0);
  const auto both = LastingNoise(0.1, 10.0, 10.0);
  const auto quick = LastingNoise(0.05, 3.0, 12.0);
  const auto pauses = Pauses(1.0, 3.0, 20.0, 60.0);
  return {
      {.name = "wide lognormal lives", .life = WideLogNormal},
      {.name = "one of ten lives long", .life = OneOfTenLong},
      {.name = "stragglers", .life = Gamma, .worker = Stragglers},
      {.name = "regular stalls", .life = Gamma, .speed = Pauses(1.5, 1.5, 28.5, 28.5)},
      {.name = "slow noise of all", .life = Gamma, .speed = slow, .near = 0.05, .off = 0.02},
      {.name = "exponential lives and noise of all", .life = Exponential, .speed = both},
      {.name = "exponential lives and drift", .life = Exponential, .speed = Drifting},
      {.name = "pauses and drift", .life = Gamma, .speed = AndDrifting(pauses)},
      {.name = "moody workers and drift",
       .life = Equal,
       .speed = Drifting,
       .own_sd = 0.2,
       .own_likeness = 0.9},
      {.name = "exponential lives and workers differ",
       .life = Exponential,
       .worker = WorkersDiffer(0.05)},
      {.name = "very moody workers",
       .life = Equal,
       .own_sd = 0.3,
       .own_likeness = 0.98,
       .near = 0.04,
       .off = 0.02},
      {.name = "slow warm start", .life = WithinAFifth, .cold = 0.15, .cold_for = 60.0},
      {.name = "base alone cold",
       .life = WithinAFifth,
       .cold = 0.2,
       .cold_for = 30.0,
       .cold_base_alone = true},
      {.name = "one in twenty fails", .life = HalfToThreeHalves, .failing = 0.05},
      {.name = "one worker", .life = HalfToThreeHalves, .workers = 1},
      {.name = "two workers", .life = HalfToThreeHalves, .workers = 2},
      {.name = "three workers", .life = HalfToThreeHalves, .workers = 3},
      {.name = "two workers, exponential lives", .life = Exponential, .workers = 2},
      {.name = "three workers that differ",
       .life = HalfToThreeHalves,
       .worker = WorkersDiffer(0.1),
       .workers = 3,
       .off = 0.02},
      {.name = "one worker that differs",
       .life = HalfToThreeHalves,
       .worker = WorkersDiffer(0.1),
       .workers = 1},
      {.name = "two workers that differ",
       .life = HalfToThreeHalves,
       .worker = WorkersDiffer(0.1),
       .workers = 2},
      {.name = "one quiet worker", .life = WithinAFifth, .workers = 1},
      {.name = "one worker and noise", .life = WithinAFifth, .speed = quick, .workers = 1},
      {.name = "one worker and slow noise",
       .life = WithinAFifth,
       .speed = slow,
       .workers = 1,
       .near = 0.05,
       .off = 0.02},
      {.name = "one worker and pauses", .life = WithinAFifth, .speed = pauses, .workers = 1},
      {.name = "workers unknown", .life = HalfToThreeHalves, .workers_unknown = true},
      {.name = "a day", .life = Gamma, .speed = Day, .near = 0.05},
      {.name = "shift of all", .life = Gamma, .speed = Shift, .near = 0.08, .off = 0.02},
      {.name = "base alone differs",
       .life = Gamma,
       .worker = BaseDiffers,
       .near = 0.06,
       .off = 0.04},
  };
}

Tally Validate(const Noise& noise, double ratio, int tries, std::uint64_t seed, Pods pods) {
  // Each processor takes every so manieth.
  const int stride = tries < kWorthThreads
                         ? 1
                         : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  std::vector<Tally> parts(static_cast<std::size_t>(stride));
  const auto run = [&](int first) {
    Tally& part = parts[static_cast<std::size_t>(first)];
    for (int i = first; i < tries; i += stride) {
      Random random(seed + static_cast<std::uint64_t>(i));
      const Verdict verdict = VerdictOf(Try(noise, ratio, random, part.seconds), pods);
      part.passed += verdict == Verdict::kPass ? 1 : 0;
      part.failed += verdict == Verdict::kFail ? 1 : 0;
    }
  };
  std::vector<std::thread> threads;
  for (int first = 1; first < stride; ++first) threads.emplace_back(run, first);
  run(0);
  for (std::thread& thread : threads) thread.join();

  Tally tally{.tries = tries};
  for (const Tally& part : parts) {
    tally.passed += part.passed;
    tally.failed += part.failed;
    tally.seconds += part.seconds;
  }
  return tally;
}

}  // namespace twofold::stats
