#include "lib/stats/evidence.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- waves

/// What a straight line that rises by 1 over the window gives to each wave.
const WaveValues& LineInWaves() {
  static const WaveValues kLine = [] {
    Parts line{};
    for (std::size_t i = 0; i < kParts; ++i) {
      line[i] = (static_cast<double>(i) + 0.5) / double{kParts} - 0.5;
    }
    return WavesOf(line);
  }();
  return kLine;
}

/// The share of noise that is left in each wave of a window of so many lives: each job is credited
/// evenly over its life, which smooths what is faster than lives. Exact for equal lives.
WaveValues LeftByCredit(double lives) {
  WaveValues left{};
  for (std::size_t j = 0; j < kNoiseWaves; ++j) {
    const double x = 0.5 * std::numbers::pi * static_cast<double>(j + 1) / lives;
    left[j] = Squared(std::sin(x) / x);
  }
  return left;
}

/// The waves that say something of their own: a job of each worker gives one, so that a short
/// window has fewer than kNoiseWaves.
std::size_t WavesIn(double lives) {
  constexpr double kFewestWaves = 4.0;
  return static_cast<std::size_t>(std::clamp(lives, kFewestWaves, double{kNoiseWaves}));
}

/// The faster half of them.
struct FastWaves {
  explicit FastWaves(double lives) : begin(WavesIn(lives) / 2), end(WavesIn(lives)) {}
  [[nodiscard]] std::size_t count() const { return end - begin; }

  std::size_t begin;
  std::size_t end;
};

/// The mean of up to two neighbours on each side.
WaveValues Smoothed(const WaveValues& values) {
  WaveValues smooth{};
  for (std::size_t j = 0; j < kNoiseWaves; ++j) {
    const std::size_t first = j < 2 ? 0 : j - 2;
    const std::size_t end = std::min(j + 3, kNoiseWaves);
    const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
    smooth[j] = std::accumulate(at(first), at(end), 0.0) / static_cast<double>(end - first);
  }
  return smooth;
}

// ---- shapes of noise: what each wave has, beside the mean of the window

constexpr double kLivesOfLevel = 100.0;  // levels are told of windows of so many job times

struct NoiseShape {
  WaveValues waves{};
  double variance = 1.0;  ///< of the mean of the window, beside that of kLivesOfLevel
};

/// The variance of the sum of weight x noise, for noise of variance 1 whose correlation falls by
/// the factor `likeness` from each part to the next.
double VarianceOfSum(const Parts& weights, double likeness) {
  double before = 0.0;  // what the noise so far says about the next part
  double sum = 0.0;
  for (const double weight : weights) {
    sum += weight * (weight + 2.0 * before);
    before = likeness * (before + weight);
  }
  return sum;
}

double VarianceOfMean(double likeness) {
  static const Parts kEven = [] {
    Parts even{};
    even.fill(1.0 / double{kParts});
    return even;
  }();
  return VarianceOfSum(kEven, likeness);
}

/// Noise without memory.
NoiseShape White(double lives) {
  return {.waves = LeftByCredit(lives), .variance = kLivesOfLevel / lives};
}

/// Noise whose correlation falls by e in `tau` job times (Ornstein and Uhlenbeck).
NoiseShape Lasting(double lives, double tau) {
  const auto likeness = [tau](double length) { return std::exp(-length / double{kParts} / tau); };
  const double mean = VarianceOfMean(likeness(lives));
  NoiseShape shape{.variance = mean / VarianceOfMean(likeness(kLivesOfLevel))};
  const WaveValues left = LeftByCredit(lives);
  for (std::size_t j = 0; j < kNoiseWaves; ++j) {
    shape.waves[j] = left[j] * VarianceOfSum(NoiseWaves()[j], likeness(lives)) / mean;
  }
  return shape;
}

/// Noise that comes at intervals of up to `period` job times, so that it has less below that.
NoiseShape Regular(double lives, double period) {
  constexpr double kLeft = 0.15;  // of its power, at frequency 0
  NoiseShape shape = White(lives);
  for (std::size_t j = 0; j < kNoiseWaves; ++j) {
    const double x = 2.0 * lives / (static_cast<double>(j + 1) * period);
    shape.waves[j] *= (kLeft + (1.0 - kLeft) / (1.0 + Squared(Squared(x)))) / kLeft;
  }
  return shape;
}

/// A kind of common noise, and how likely it is before anything was seen.
struct NoiseKind {
  double prior;  // of all its levels
  double tau;    // of Lasting; 0: White
  double period = 0.0;
};

constexpr std::size_t kLevels = 14;
constexpr double kLeastLevel = 0.002;  // standard deviation of the mean of kLivesOfLevel
constexpr double kLevelStep = 1.5;
constexpr double kNoneIsLikely = 0.75;
constexpr double kLastingIsLikely = 0.25 * 0.7 / 6.5;
constexpr double kRegularIsLikely = 0.25 * 0.3 / 3.0;
constexpr std::array<NoiseKind, 11> kKinds = {{{kLastingIsLikely, 0.0},
                                               {kLastingIsLikely, 3.0},
                                               {kLastingIsLikely, 6.0},
                                               {kLastingIsLikely, 12.0},
                                               {kLastingIsLikely, 25.0},
                                               {kLastingIsLikely, 50.0},
                                               {kLastingIsLikely * 0.4, 100.0},
                                               {kLastingIsLikely * 0.1, 200.0},
                                               {kRegularIsLikely, 0.0, 20.0},
                                               {kRegularIsLikely, 0.0, 40.0},
                                               {kRegularIsLikely, 0.0, 80.0}}};

NoiseShape ShapeOf(const NoiseKind& kind, double lives) {
  if (kind.period > 0.0) return Regular(lives, kind.period);
  return kind.tau > 0.0 ? Lasting(lives, kind.tau) : White(lives);
}

/// The drift that is taken for possible in 200 job times (standard deviation), and how likely.
struct PossibleDrift {
  double size;
  double prior;
};
constexpr std::array<PossibleDrift, 2> kDrifts = {{{0.025, 0.75}, {0.08, 0.25}}};
constexpr double kLivesOfDrift = 200.0;
// Windows with more noise are taken to drift less, but no more than so many times.
constexpr double kNoiseOfDrift = 0.012;
constexpr double kMostLess = 2.2;
constexpr double kLeastVariance = 1e-12;

bool HasOwnNoise(const WaveScatter& window) { return window.workers >= double{kFewestWorkers}; }

double LivesOf(const WaveScatter& window) { return window.seconds / window.mean_life; }

/// What a common noise of one kind and level says about a window.
struct Fit {
  double log_weight = 0.0;
  double line = 0.0;       // products of line and waves, over the variance
  double precision = 0.0;  // of the slope of the line
};

Fit FitOf(const WaveScatter& window, const NoiseShape* shape, double variance) {
  Fit fit;
  const WaveValues& line = LineInWaves();
  double product = 1.0;  // of four variances: a logarithm costs more than they do
  const std::size_t waves = WavesIn(LivesOf(window));
  for (std::size_t j = 0; j < waves; ++j) {
    const double expected =
        window.error[j] + kLeastVariance + (shape == nullptr ? 0.0 : variance * shape->waves[j]);
    const double precision = 1.0 / expected;
    const double u = window.seconds * line[j];
    fit.log_weight -= 0.5 * Squared(window.common[j]) * precision;
    fit.line += u * window.common[j] * precision;
    fit.precision += u * u * precision;
    product *= expected;
    if (j % 4 == 3 || j + 1 == waves) {
      fit.log_weight -= 0.5 * std::log(product);
      product = 1.0;
    }
  }
  return fit;
}

void Normalize(std::vector<Explained>& explained) {
  double most = -kInfinity;
  for (const Explained& each : explained) most = std::max(most, each.weight);
  double sum = 0.0;
  for (Explained& each : explained) sum += each.weight = std::exp(each.weight - most);
  for (Explained& each : explained) each.weight /= sum;
}

/// Calls see(log_prior, kind, level²), kind -1 for no common noise.
template <typename See>
void ForEachNoise(See see) {
  see(std::log(kNoneIsLikely), -1, 0.0);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    const double prior = std::log(kKinds[kind].prior / double{kLevels});
    double level = kLeastLevel;
    for (std::size_t i = 0; i < kLevels; ++i, level *= kLevelStep) {
      see(prior, static_cast<int>(kind), level * level);
    }
  }
}

/// A window with the shapes that noise has in it.
struct Shaped {
  explicit Shaped(const WaveScatter& of) : window(&of) {
    for (std::size_t i = 0; i < kKinds.size(); ++i) shapes[i] = ShapeOf(kKinds[i], LivesOf(of));
  }
  [[nodiscard]] double Variance(int kind, double level) const {
    return kind < 0 ? 0.0 : level * shapes[static_cast<std::size_t>(kind)].variance;
  }
  [[nodiscard]] Fit FitTo(int kind, double level) const {
    const NoiseShape* shape = kind < 0 ? nullptr : &shapes[static_cast<std::size_t>(kind)];
    return FitOf(*window, shape, Variance(kind, level));
  }

  const WaveScatter* window;
  std::array<NoiseShape, kKinds.size()> shapes{};
};

/// A repeat with the shapes that noise has in its windows.
struct ShapedPair {
  explicit ShapedPair(const WindowPair& pair) : base(pair.base), now(pair.now) {}

  /// That of ln(ratio).
  [[nodiscard]] double Variance(int kind, double level) const {
    return base.Variance(kind, level) + now.Variance(kind, level);
  }

  Shaped base;
  Shaped now;
};

/// The variance of ln(ratio) that the slowest waves of the workers show.
double SlowVariance(std::span<const WindowPair> repeats) {
  const auto slow = [](const WaveValues& error) { return (error[0] + error[1] + error[2]) / 3.0; };
  double sum = 0.0;
  for (const WindowPair& pair : repeats) sum += slow(pair.base.error) + slow(pair.now.error);
  return sum / static_cast<double>(repeats.size());
}

/// The same of a common noise, if it has no memory: one that lasts moves windows as a drift does,
/// and so makes none less likely.
double VarianceWithoutMemory(std::span<const ShapedPair> repeats, int kind, double level) {
  if (kind < 0 || kKinds[static_cast<std::size_t>(kind)].tau > 0.0) return 0.0;
  double sum = 0.0;
  for (const ShapedPair& pair : repeats) sum += pair.Variance(kind, level);
  return sum / static_cast<double>(repeats.size());
}

/// So many times less is a ratio with this variance taken to drift.
double LessDrift(double variance) {
  return std::clamp(std::sqrt(variance) / kNoiseOfDrift, 1.0, kMostLess);
}

// ---- noise of each worker

// A share of the noise lasts, and the rest has no memory; the first kind has none that lasts.
constexpr std::array<double, 4> kOwnShares = {0.25, 0.5, 0.75, 1.0};
constexpr std::array<double, 5> kOwnTaus = {6.0, 12.0, 25.0, 50.0, 100.0};
constexpr std::size_t kOwnKinds = 1 + kOwnShares.size() * kOwnTaus.size();

/// How much noise a window has, by kind, and how well each kind fits.
struct OwnFit {
  std::array<double, kOwnKinds> level{};  // mean of own / shape
  std::array<double, kOwnKinds> log_weight{};
};

OwnFit FitOwn(const WaveScatter& window) {
  OwnFit fit;
  std::size_t kind = 0;
  const double lives = LivesOf(window);
  const std::size_t waves = WavesIn(lives);
  const auto count = static_cast<double>(waves);
  const WaveValues white = White(lives).waves;
  const auto add = [&](double share, const WaveValues& lasting) {
    double level = 0.0;
    double logs = 0.0;
    for (std::size_t j = 0; j < waves; ++j) {
      const double shape = (1.0 - share) * white[j] + share * lasting[j];
      level += window.own[j] / shape / count;
      logs += std::log(shape);
    }
    fit.level[kind] = level;
    fit.log_weight[kind++] =
        -0.5 * window.degrees() * (count * std::log(level + kLeastVariance) + logs);
  };
  add(0.0, white);
  for (const double tau : kOwnTaus) {
    const NoiseShape lasting = Lasting(lives, tau);
    for (const double share : kOwnShares) add(share, lasting.waves);
  }
  return fit;
}

template <typename See>
void ForEachWindow(std::span<const WindowPair> repeats, See see) {
  for (const WindowPair& pair : repeats) {
    see(pair.base);
    see(pair.now);
  }
}

/// A sum of variances, with the degrees of Satterthwaite.
class SumOfErrors {
 public:
  void Add(double variance, double degrees) {
    variance_ += variance;
    spread_ += Squared(variance) / degrees;
  }
  [[nodiscard]] WorkersError Mean(double count) const {
    return {variance_ / Squared(count), spread_ > 0.0 ? Squared(variance_) / spread_ : kInfinity};
  }

 private:
  double variance_ = 0.0;
  double spread_ = 0.0;
};

void AddOverTime(const WaveScatter& window, SumOfErrors& sum) {
  constexpr double kDegreesOfWaves = 3.0;  // a window's noise is extrapolated from several waves
  const double degrees = HasOwnNoise(window)
                             ? kDegreesOfWaves * window.degrees()
                             : static_cast<double>(FastWaves(LivesOf(window)).count());
  sum.Add(window.over_time / window.workers, degrees);
}

/// Few workers: what the fastest waves of their mean show, in which there is least of what lasts.
void SetOwnNoiseOfFew(WaveScatter& scatter) {
  const double lives = LivesOf(scatter);
  const WaveValues white = White(lives).waves;
  const FastWaves fast(lives);
  double level = 0.0;
  for (std::size_t j = fast.begin; j < fast.end; ++j) {
    level += Squared(scatter.common[j]) / white[j] / static_cast<double>(fast.count());
  }
  for (std::size_t j = 0; j < kNoiseWaves; ++j) scatter.error[j] = level * white[j];
  scatter.over_time = level * scatter.workers;
}

/// Few degrees: the intervals of both parts, added in squares (MOVER). It is the only way that is
/// not wrong where workers look alike by luck, as two of them often do.
double TailOfFewDegrees(double x, const WorkersError& workers, double other) {
  const double df = workers.degrees;
  const double scale = Squared((8.0 * df + 3.0) / (8.0 * df + 1.0)) / df;  // of Wallace's bound
  const double part = workers.variance * df;
  // The square of the normal variable: convex, so Newton's steps from above stay above.
  double square = Squared(x / other);
  if (part > 0.0) square = std::min(square, std::log1p(x * x / part) / scale);
  constexpr int kSteps = 8;
  for (int i = 0; i < kSteps; ++i) {
    const double grown = part * std::exp(scale * square);
    square -= (grown - part + Squared(other) * square - x * x) / (grown * scale + Squared(other));
  }
  return StudentTail(std::sqrt(std::max(square, 0.0)), kInfinity);
}

/// The chance that the sum of an error of workers and a normal one is above `x`.
/// Source   F. Satterthwaite, "An approximate distribution of estimates of variance components"
///          (1946); G. Zou, A. Donner, "Construction of confidence limits about effect measures"
///          (2008).
double TailOfSum(double x, const WorkersError& workers, double other) {
  constexpr double kFewDegrees = 8.0;
  if (x < 0.0) return 1.0 - TailOfSum(-x, workers, other);
  if (workers.degrees < kFewDegrees) return TailOfFewDegrees(x, workers, other);
  const double variance = workers.variance + Squared(other);
  const double share = variance / workers.variance;  // infinity: all of it is known exactly
  return StudentTail(x / std::sqrt(variance), workers.degrees * Squared(share));
}

}  // namespace

WaveScatter ScatterOf(const MeasuredWindow& window, std::size_t cut) {
  const Parts parts = WithoutBlocks(window.total, cut);
  const double done = std::accumulate(parts.begin(), parts.end(), 0.0);
  WaveScatter scatter{.seconds = window.seconds - static_cast<double>(cut) * window.BlockSeconds(),
                      .mean_life = window.mean_life,
                      .workers = static_cast<double>(window.groups),
                      .between = window.between[cut].whole,
                      .common = WavesOf(parts),
                      .own = window.between[cut].waves};
  scatter.log_throughput = std::log(done / scatter.seconds);
  for (double& wave : scatter.common) wave *= double{kParts} / done;
  if (!HasOwnNoise(scatter)) {
    SetOwnNoiseOfFew(scatter);
    return scatter;
  }
  scatter.error = Smoothed(scatter.own);
  for (double& error : scatter.error) error /= scatter.workers;
  return scatter;
}

void ExtrapolateOverTime(std::span<WaveScatter> windows) {
  std::array<double, kOwnKinds> weights{};  // half for noise without memory, half for all others
  weights.front() = std::log(static_cast<double>(kOwnKinds - 1));
  std::vector<OwnFit> fits;
  for (const WaveScatter& window : windows) {
    fits.push_back(HasOwnNoise(window) ? FitOwn(window) : OwnFit{});
    for (std::size_t k = 0; k < kOwnKinds; ++k) weights[k] += fits.back().log_weight[k];
  }
  const double most = *std::max_element(weights.begin(), weights.end());
  double sum = 0.0;
  for (double& weight : weights) sum += weight = std::exp(weight - most);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (!HasOwnNoise(windows[i])) continue;
    const auto& level = fits[i].level;
    windows[i].over_time =
        std::inner_product(level.begin(), level.end(), weights.begin(), 0.0) / sum;
  }
}

WorkersPool Pooled(std::span<const WaveScatter> windows) {
  WorkersPool pool;
  double seen = 0.0;
  double over_time = 0.0;
  for (const WaveScatter& window : windows) {
    pool.degrees += window.degrees();
    seen += window.degrees() * window.between;
    over_time += window.degrees() * window.over_time;
  }
  if (pool.degrees <= 0.0) return {};
  pool.variance = std::max(seen - over_time, 0.0) / pool.degrees;
  pool.excess = seen / std::max(over_time + pool.variance * pool.degrees, kLeastVariance);
  return pool;
}

std::vector<Explained> ExplainCommonNoise(std::span<const WindowPair> repeats) {
  std::vector<ShapedPair> shaped;
  double life = 0.0;
  for (const WindowPair& pair : repeats) {
    shaped.emplace_back(pair);
    life += 0.5 * (pair.base.mean_life + pair.now.mean_life);
  }
  const auto count = static_cast<double>(repeats.size());
  life /= count;
  const double slow = SlowVariance(repeats);
  std::vector<Explained> explained;
  ForEachNoise([&](double log_prior, int kind, double level) {
    std::array<Explained, kDrifts.size()> all{};
    for (std::size_t d = 0; d < kDrifts.size(); ++d) {
      all[d].weight = log_prior + std::log(kDrifts[d].prior);
    }
    const double less = LessDrift(slow + VarianceWithoutMemory(shaped, kind, level));
    for (std::size_t r = 0; r < repeats.size(); ++r) {
      const Fit base = shaped[r].base.FitTo(kind, level);
      const Fit now = shaped[r].now.FitTo(kind, level);
      const double variance = shaped[r].Variance(kind, level);
      const double line = base.line + now.line;
      const double distance = repeats[r].distance;
      for (std::size_t d = 0; d < kDrifts.size(); ++d) {
        const double slope = kDrifts[d].size / less / (kLivesOfDrift * life);
        const double precision = 1.0 / Squared(slope) + base.precision + now.precision;
        Explained& each = all[d];
        each.weight += base.log_weight + now.log_weight + 0.5 * line * line / precision -
                       0.5 * std::log(precision * Squared(slope));
        each.variance += variance / Squared(count);
        each.drift += distance * line / precision / count;
        each.drift_variance += Squared(distance / count) / precision;
      }
    }
    explained.insert(explained.end(), all.begin(), all.end());
  });
  Normalize(explained);
  return explained;
}

std::vector<Explained> ExplainCommonNoise(const WaveScatter& window) {
  const Shaped shaped(window);
  std::vector<Explained> explained;
  ForEachNoise([&](double log_prior, int kind, double level) {
    explained.push_back({.weight = log_prior + shaped.FitTo(kind, level).log_weight,
                         .variance = shaped.Variance(kind, level)});
  });
  Normalize(explained);
  return explained;
}

WorkersError ErrorOfAnyPods(std::span<const WindowPair> repeats, const WorkersPool& pool) {
  if (pool.degrees < 1.0) return {kInfinity, 0.0};
  constexpr double kShrunk = 4.0;  // degrees with which a window's own scatter is drawn to all
  WorkersError error;
  double spread = 0.0;
  ForEachWindow(repeats, [&](const WaveScatter& window) {
    const double degrees = window.degrees();
    const double expected = pool.excess * (pool.variance + window.over_time);
    const double variance =
        (degrees * window.between + kShrunk * expected) / (degrees + kShrunk) / window.workers;
    error.variance += variance;
    spread += Squared(variance) / (degrees + kShrunk);
  });
  error.degrees =
      spread > 0.0 ? std::min(pool.degrees, Squared(error.variance) / spread) : pool.degrees;
  error.variance /= Squared(static_cast<double>(repeats.size()));
  return error;
}

WorkersError ErrorOfThesePods(std::span<const WindowPair> repeats) {
  SumOfErrors sum;
  ForEachWindow(repeats, [&](const WaveScatter& window) { AddOverTime(window, sum); });
  return sum.Mean(static_cast<double>(repeats.size()));
}

WorkersError ErrorOfThesePods(const WaveScatter& window) {
  SumOfErrors sum;
  AddOverTime(window, sum);
  return sum.Mean(1.0);
}

RatioChance::RatioChance(std::vector<Explained> explanations, const WorkersError& workers)
    : explanations_(std::move(explanations)), workers_(workers) {
  MakeTerms();
}

void RatioChance::MakeTerms() {
  constexpr double kNotWorthIt = 1e-8;
  for (const Explained& each : explanations_) {
    if (each.weight < kNotWorthIt) continue;
    terms_.push_back(
        {each.weight, each.drift, std::sqrt(each.variance + each.drift_variance + kLeastVariance)});
  }
}

double RatioChance::Of(double distance, double side) const {
  double chance = 0.0;
  for (const Term& term : terms_) {
    const double left = distance - std::max(0.0, side * term.drift);
    chance += term.weight * TailOfSum(left, workers_, term.error);
  }
  return chance;
}

double RatioChance::Distance(double alpha, double side) const {
  if (workers_.degrees < 1.0) return kInfinity;
  constexpr double kNever = 1e-300;  // so that there is a logarithm, which is nearly a parabola
  constexpr int kBits = 14;
  double guess = 0.0;
  for (const Term& term : terms_) {
    const double error = std::sqrt(workers_.variance + term.error * term.error);
    guess += term.weight * (2.0 * error + std::max(0.0, side * term.drift));
  }
  std::uintmax_t calls = 100;
  const auto [least, most] = boost::math::tools::bracket_and_solve_root(
      [&](double distance) { return std::log(std::max(Of(distance, side), kNever) / alpha); },
      guess, 1.5, false, boost::math::tools::eps_tolerance<double>(kBits), calls);
  return most;
}

RatioChance RatioChance::WithMore(double factor) const {
  std::vector<Explained> explanations = explanations_;
  for (Explained& each : explanations) {
    each.variance /= factor;
    each.drift_variance /= factor;
  }
  return {std::move(explanations), {workers_.variance / factor, workers_.degrees * factor}};
}

double StudentTail(double t, double degrees) {
  if (t < 0.0) return 1.0 - StudentTail(-t, degrees);
  double z = t;
  if (degrees < 1e6) {
    z = (8.0 * degrees + 1.0) / (8.0 * degrees + 3.0) *
        std::sqrt(degrees * std::log1p(t * t / degrees));
  }
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

}  // namespace twofold::stats
