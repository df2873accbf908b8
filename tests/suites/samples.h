#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/suite.h"

namespace twofold::suite {

/// The text of tests/golden/suites/`name`: what a real tool has printed, unless the name ends in
/// .csv or starts with plan_.
std::string Sample(const std::string& name);

/// That text as all that is left of one stage, with nothing known about how it ended.
Outputs Saved(const std::string& name);
Outputs SavedText(const std::string& text);

/// A saved text, as `twofold parse SUITE` reads it.
Result<Measurements> ReadText(std::string_view suite, const std::string& text);

/// The same of a stage that is known to have ended with 0.
Outputs EndedWell(const std::string& name);

/// Each of the runs in a saved text, as `twofold parse --each-run` reads them.
std::vector<Result<Measurements>> EachRun(std::string_view suite, const std::string& text);

/// `text` with `prefix` before each line, as tools put it there.
std::string Prefixed(std::string_view prefix, const std::string& text);

/// Whether there is a measurement or a column of a series with this name.
bool Says(const Measurements& result, std::string_view name);

/// Compares `text` with tests/golden/suites/`name`; with UPDATE_GOLDEN=1 in the environment the
/// file is rewritten instead, to be read in review.
void ExpectGolden(const std::string& name, const std::string& text);

/// Compares all that `suite` reads in a sample with SAMPLE.csv.
void ExpectGoldenNumbers(std::string_view suite, const std::string& sample);

/// A line a number.
std::string CsvRows(const std::string& source, const Measurements& numbers);

/// Whether there is no result, and the error has these words.
bool FailsWith(const Result<Measurements>& result, std::string_view words);

/// The one with this name whose dimensions have `value`; REQUIRES: there is exactly one.
double ValueOf(const Measurements& result, std::string_view name, std::string_view value = "");

/// `members` workers with addresses 10.0.0.1 ... on nodes node-0 ...
Gang GangOf(std::size_t members);

}  // namespace twofold::suite
