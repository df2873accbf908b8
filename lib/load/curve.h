#pragma once

#include <functional>
#include <vector>

namespace twofold::load {

/// A rate as a function of time, and its integral: how many jobs are due until then.
///
/// Jobs are due where the integral passes a number, so the pieces of a load compose: one after the
/// other, over and over. Time is in seconds since the curve began, from 0 to `seconds`.
///
/// Threads  Immutable: safe to share.
struct Curve {
  double seconds = 0;
  std::function<double(double)> rate;     ///< jobs a second at a time, 0 or more
  std::function<double(double)> planned;  ///< jobs due until a time; never falls, 0 at 0

  [[nodiscard]] double total() const { return planned(seconds); }
};

/// The rate goes in a straight line from `from` to `to`; the same twice is a constant rate.
Curve Line(double from, double to, double seconds);

/// `mean` + `amplitude` x sin(2 pi t / `period`). REQUIRES: `amplitude` <= `mean`.
Curve Sine(double mean, double amplitude, double period, double seconds);

/// `base`, and `high` during the first `length` of every `period`. REQUIRES: `length` <= `period`.
Curve Bursts(double base, double high, double period, double length, double seconds);

/// When the integral passes `jobs`: the end of the time in which it is no more. Searched from
/// `from` on, a time at which it is not yet more; `seconds` if it never is.
///
/// Error    Below 1 ns for curves of up to a week.
/// Cost     Two or three looks at the curve a job, by Newton's method kept inside an interval.
double TimeOf(const Curve& curve, double jobs, double from);

}  // namespace twofold::load
