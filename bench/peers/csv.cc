#include "bench/peers/csv.h"

#include <fmt/format.h>

#include <cmath>

#include "bench/peers/text.h"

namespace twofold::bench {
namespace {

constexpr std::string_view kTestNames[] = {"round-trips", "open-loop", "enqueue", "idle"};

std::string Text(const std::string& value) { return value; }
std::string Text(TestKind value) { return std::string(ToString(value)); }
std::string Text(int value) { return std::to_string(value); }
std::string Text(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

bool Read(std::string_view text, std::string& value) {
  value = text;
  return !text.empty();
}

bool Read(std::string_view text, TestKind& value) {
  const Result<TestKind> test = ParseTest(text);
  if (test.ok()) value = *test;
  return test.ok();
}

bool Read(std::string_view text, int& value) {
  const std::optional<int> number = ParseNumber<int>(text);
  value = number.value_or(0);
  return number.has_value();
}

bool Read(std::string_view text, double& value) {
  const std::optional<double> number = ParseNumber<double>(text);
  value = number.value_or(kNotMeasured);
  return number.has_value() || text.empty();
}

}  // namespace

std::string_view ToString(TestKind test) { return kTestNames[static_cast<int>(test)]; }

Result<TestKind> ParseTest(std::string_view text) {
  for (const TestKind test : kTests) {
    if (ToString(test) == text) return test;
  }
  return absl::InvalidArgumentError(fmt::format("\"{}\" is no test", text));
}

std::string CsvHeader() {
  std::string line;
  const Run none;
  VisitRun(none, [&](std::string_view name, const auto&) {
    line += (line.empty() ? "" : ",") + std::string(name);
  });
  return line;
}

std::string ToCsv(const Run& run) {
  std::string line;
  VisitRun(run, [&](std::string_view, const auto& value) {
    line += (line.empty() ? "" : ",") + Text(value);
  });
  return line;
}

Result<Run> ParseCsv(std::string_view line) {
  const std::vector<std::string_view> fields = Split(line, ',');
  Run run;
  Status status;
  std::size_t column = 0;
  VisitRun(run, [&](std::string_view name, auto& value) {
    const std::string_view text = column < fields.size() ? fields[column] : std::string_view();
    if (++column > fields.size() || !Read(text, value)) {
      status.Update(absl::InvalidArgumentError(fmt::format("{} is \"{}\"", name, text)));
    }
  });
  if (column < fields.size()) status.Update(absl::InvalidArgumentError("too many columns"));
  if (!status.ok()) return status;
  return run;
}

Result<std::vector<Run>> ParseCsvFile(std::string_view text) {
  const std::vector<std::string_view> lines = Split(text, '\n');
  if (lines.front() != CsvHeader()) {
    return absl::InvalidArgumentError("the first line does not name the columns of this version");
  }
  std::vector<Run> runs;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    Result<Run> run = ParseCsv(lines[i]);
    if (!run.ok()) {
      return absl::InvalidArgumentError(fmt::format("line {}: {}", i + 1, Message(run.status())));
    }
    runs.push_back(*std::move(run));
  }
  return runs;
}

}  // namespace twofold::bench
