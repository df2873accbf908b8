#pragma once

#include <string>
#include <vector>

#include "lib/validate/answers.h"
#include "lib/validate/findings.h"

/// A validation's texts for people. Pure.
namespace twofold::validate {

/// Four digits that count: decisions are made with all digits.
std::string Rounded(double number);
std::string Interval(double lower, double upper);

/// That of the ratio in the answer to a look before the last one. One or two workers say next to
/// nothing about others before the end; what they say of themselves stands there then.
std::string IntervalSoFar(const Answer& look);

/// When the step is expected to be done, ", expected in 3 min: 1.94..2.05", or, of one that has
/// been compared, that no verdict is likely in time. Empty: the load client does not say.
std::string Expected(const Answer& look);

/// A line for each step: throughput, ratio, verdict, where the time of jobs went and how many cores
/// were busy. Columns of what nobody knows are left out.
std::string Table(const std::vector<JudgedStep>& steps);

/// "1 FAIL, 2 undecided"; empty: all checks passed.
std::string Summary(int fails, int undecided);

}  // namespace twofold::validate
