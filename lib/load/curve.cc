#include "lib/load/curve.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace twofold::load {
namespace {

constexpr double kExact = 1e-10;  // seconds: less than a Duration can tell
constexpr int kMostSteps = 100;   // halving alone needs 60

// What rounding may make of a number of jobs: 1000 x 0.1 is not quite 100.
double Rounding(double jobs) { return 1e-9 + 1e-12 * jobs; }

}  // namespace

Curve Line(double from, double to, double seconds) {
  const double slope = (to - from) / seconds;
  return {.seconds = seconds,
          .rate = [=](double t) { return std::max(from + slope * t, 0.0); },
          .planned = [=](double t) { return t * (from + slope * t / 2); }};
}

Curve Sine(double mean, double amplitude, double period, double seconds) {
  const double turn = 2 * std::numbers::pi / period;
  return {
      .seconds = seconds,
      .rate = [=](double t) { return mean + amplitude * std::sin(turn * t); },
      .planned = [=](double t) { return mean * t + amplitude / turn * (1 - std::cos(turn * t)); }};
}

Curve Bursts(double base, double high, double period, double length, double seconds) {
  const auto inside = [=](double t) { return t - period * std::floor(t / period); };
  return {.seconds = seconds,
          .rate = [=](double t) { return inside(t) < length ? high : base; },
          .planned =
              [=](double t) {
                const double bursts = std::floor(t / period) * length + std::min(inside(t), length);
                return base * t + (high - base) * bursts;
              }};
}

double TimeOf(const Curve& curve, double jobs, double from) {
  if (curve.total() - jobs <= Rounding(jobs)) return curve.seconds;
  double least = from;
  double most = curve.seconds;
  double time = from;
  for (int i = 0; i < kMostSteps && most - least > kExact; ++i) {
    const double rate = curve.rate(time);
    const double missing = jobs - curve.planned(time);
    const bool passed = missing < (rate > 0 ? 0 : -Rounding(jobs));
    (passed ? most : least) = time;
    const bool here =
        rate > 0 ? std::abs(missing) < kExact * rate : std::abs(missing) <= Rounding(jobs);
    if (here && curve.rate(time + 2 * kExact) > 0) return time;
    const double guess = rate > 0 ? time + missing / rate : least;
    time = guess > least && guess < most ? guess : (least + most) / 2;
  }
  return most;
}

}  // namespace twofold::load
