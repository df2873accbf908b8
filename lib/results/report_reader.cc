#include "lib/results/report_reader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "lib/results/benchmark_check.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::results {
namespace {

/// As suites are named: "mpi-pingpong". Bytes that happen to be read as a message have no such word
/// at this place.
bool IsSuiteName(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

void ReportReader::Read(Record& record) {
  if (auto* const ended = std::get_if<JobEnded>(&record)) Read(*ended);
}

void ReportReader::Read(JobEnded& ended) {
  v1::Report report;
  if (!report.ParseFromString(ended.report) || report.data().empty()) return;
  SharedBenchmark benchmark = SharedBenchmark::Parse(report.data());
  if (benchmark.get() == nullptr || !IsSuiteName(benchmark.get()->suite())) {
    ++other_;
    return;
  }
  if (const Status status = Check(*benchmark.get()); !status.ok()) {
    ++refused_;
    ended.refused = std::string(status.message());
    return;
  }
  ++taken_;
  report.clear_data();
  ended.report = report.SerializeAsString();
  ended.benchmark = std::move(benchmark);
}

}  // namespace twofold::results
