#pragma once

#include <span>
#include <string_view>

#include "lib/common/result.h"
#include "lib/suite/measurements.h"

/// What no measurement can be, whatever a tool prints: the rules of docs/readers.md about numbers.
///
///  - Finite. Nothing but a temperature (unit "C") and what is marked as signed is below 0.
///  - A count is not 2^32 or 2^64 less a few: it has gone below 0.
///  - A time is not beyond ten years. A time of 0 in a table of times is below the clock.
///  - Of one quantity p50 <= p90 <= p99 and min <= mean <= max, but for rounding.
///  - Of a row of a size, bytes a second are messages a second times that size.
///  - A rate of all is not over the sum of its parts, nor far below it.
///  - Rows over time do not go back.
///  - A rate is what was counted by the time it took, where a tool says all three.
///
/// Pure. Cost: O(n log n) in the numbers.
namespace twofold::suite {

/// Why `value` cannot be one of this unit: "-3 us is below 0"; empty: it can.
std::string Fault(double value, const std::string& unit, bool is_signed = false);

/// Takes out of `table` the rows that cannot be, so that none of them is the best, and says each in
/// `result.failures` under `name`; all rows if a size is there twice, as they are of two runs.
/// Of rows of size 0 that do not count, a time of 0 is no failure: nothing has been done. AddTable
/// does this.
void KeepPlausibleRows(const std::string& name, Empty empty, SizeTable& table,
                       Measurements& result);

/// Why `total` cannot be the rate of parts that together have `parts`; empty: it can. 0 parts: they
/// are not known. Parts that end at different times have more together than their total.
std::string FaultOfTotal(double total, double parts, const std::string& unit);

/// Why `rate` cannot be that of what was counted in its time, which is `counted`; empty: it can. 0
/// counted: it is not known.
std::string FaultOfRate(double rate, double counted, const std::string& unit);

/// The reason of a Failure for a number of these dimensions: "left out rw=read worker=0: FAULT".
std::string LeftOut(const Dimensions& dimensions, const std::string& fault);

/// Takes out what cannot be, each with a failure that says why.
/// Errors   kDataLoss: nothing is left; or two numbers have the same name, unit and dimensions, or
///          rows over time go back, so that they are of two runs.
Status KeepPlausible(Measurements& result);

/// The first thing in `result` that the rules forbid; empty: nothing. For tests and fuzzing.
std::string FirstFault(const Measurements& result);

/// A message of `bytes` that took `seconds`, and the rate that a tool prints of it in "mega" bytes
/// a second.
struct TimedRate {
  double bytes = 0;
  double seconds = 0;
  double megas = 0;
};

/// Which mega a tool means, as its rows prove: "MB/s" (10^6 bytes) or "MiB/s" (2^20 bytes); empty:
/// neither, or rows that cannot tell (all of few digits).
std::string_view ProvenMega(std::span<const TimedRate> rows);

}  // namespace twofold::suite
