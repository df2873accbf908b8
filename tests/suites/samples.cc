#include "tests/suites/samples.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "lib/show/numbers.h"
#include "lib/suite/document.h"
#include "suites/table/table.h"

namespace twofold::suite {
namespace {

std::string PathOf(const std::string& name) { return std::string(GOLDEN_FOLDER) + "/" + name; }

bool IsOf(const Measurement& one, std::string_view value) {
  return value.empty() || std::any_of(one.dimensions.begin(), one.dimensions.end(),
                                      [&](const auto& entry) { return entry.second == value; });
}

}  // namespace

std::string Sample(const std::string& name) {
  std::ifstream file(PathOf(name), std::ios::binary);
  EXPECT_TRUE(file) << PathOf(name) << " is missing; samples are kept, results are written with "
                    << "UPDATE_GOLDEN=1";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Outputs SavedText(const std::string& text) {
  Outputs outputs;
  outputs.stages.emplace_back().out = text;
  return outputs;
}

Outputs Saved(const std::string& name) { return SavedText(Sample(name)); }

Result<Measurements> ReadText(std::string_view suite, const std::string& text) {
  return FindSuite(suite)->parse(SavedText(text));
}

Outputs EndedWell(const std::string& name) {
  Outputs outputs = Saved(name);
  outputs.stages.front().exit_code = 0;
  return outputs;
}

std::vector<Result<Measurements>> EachRun(std::string_view suite, const std::string& text) {
  const Suite& reader = *FindSuite(suite);
  std::vector<Result<Measurements>> runs;
  std::vector<std::string> notes;
  const auto clean = CleanText(text, notes, reader.keys);
  if (!clean.ok()) return {clean.status()};
  for (const std::string_view part : SplitAtRuns(*clean, reader.runs(*clean))) {
    runs.push_back(reader.parse(SavedText(std::string(part))));
  }
  return runs;
}

std::string Prefixed(std::string_view prefix, const std::string& text) {
  std::istringstream lines(text);
  std::string prefixed;
  for (std::string line; std::getline(lines, line);) {
    absl::StrAppend(&prefixed, std::string(prefix), line, "\n");
  }
  return prefixed;
}

bool Says(const Measurements& result, std::string_view name) {
  const auto named = [&](const auto& one) { return one.name == name; };
  return std::any_of(result.measurements.begin(), result.measurements.end(), named) ||
         std::any_of(result.series.begin(), result.series.end(), [&](const Series& series) {
           return std::any_of(series.columns.begin(), series.columns.end(), named);
         });
}

void ExpectGolden(const std::string& name, const std::string& text) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(PathOf(name), std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, Sample(name)) << "differs from " << PathOf(name);
}

void ExpectGoldenNumbers(std::string_view suite, const std::string& sample) {
  const auto result = FindSuite(suite)->parse(EndedWell(sample));
  ASSERT_TRUE(result.ok()) << sample << ": " << result.status();
  EXPECT_TRUE(result->failures.empty()) << sample << ": " << result->failures.front().reason;
  ExpectGolden(sample + ".csv",
               show::CsvHeading(show::NumberColumns()) + CsvRows(result->tool, *result));
}

std::string CsvRows(const std::string& source, const Measurements& numbers) {
  v1::BenchmarkResult result;
  AddTo(numbers, result);
  return show::CsvLines(show::NumberColumns(), show::NumberRows(source, show::NumbersOf(result)));
}

bool FailsWith(const Result<Measurements>& result, std::string_view words) {
  if (result.ok()) {
    ADD_FAILURE() << "it has " << result->measurements.size() << " measurements";
    return false;
  }
  const std::string message(result.status().message());
  EXPECT_NE(message.find(words), std::string::npos) << message;
  return message.find(words) != std::string::npos;
}

double ValueOf(const Measurements& result, std::string_view name, std::string_view value) {
  std::vector<double> found;
  for (const Measurement& one : result.measurements) {
    if (one.name == name && IsOf(one, value)) found.push_back(one.value);
  }
  EXPECT_EQ(found.size(), 1U) << name << " " << value;
  return found.empty() ? 0 : found.front();
}

Gang GangOf(std::size_t members) {
  Gang gang{"job-17-2", {}};
  for (std::size_t i = 0; i < members; ++i) {
    gang.members.push_back({absl::StrCat("10.0.0.", i + 1), absl::StrCat("node-", i)});
  }
  return gang;
}

}  // namespace twofold::suite
