#include "backend/agent/standalone.h"

#include <ostream>
#include <utility>

#include "backend/benchmark/record.h"

namespace twofold::backend {
namespace {

struct Ending {
  v1::Outcome outcome;
  const char* word;
  int exit_code;  // as timeout(1) and shells have it
};

constexpr Ending kEndings[] = {
    {v1::OUTCOME_SUCCEEDED, "succeeded", 0},
    {v1::OUTCOME_FAILED, "failed", 1},
    {v1::OUTCOME_TIMED_OUT, "timed out", 124},
    {v1::OUTCOME_CANCELLED, "stopped", 143},
};

const Ending& EndingOf(v1::Outcome outcome) {
  for (const Ending& ending : kEndings) {
    if (ending.outcome == outcome) return ending;
  }
  return kEndings[1];
}

// What a suite has measured, else what the program has printed; ends with a line end.
std::string Shown(const v1::Report& report) {
  v1::BenchmarkResult result;
  if (result.ParseFromString(report.data()) && result.measurements_size() > 0) {
    return Text(result);
  }
  const bool open = !report.output().empty() && report.output().back() != '\n';
  return report.output() + (open ? "\n" : "");
}

}  // namespace

Standalone::Standalone(boost::asio::io_context& io, Workload& workload, Duration limit,
                       std::string device, std::ostream& out)
    : device_(std::move(device)),
      out_(out),
      runner_(io, workload, {.slots = 1, .limit = limit}, *this) {}

void Standalone::Start(std::function<void(int)> on_exit) {
  on_exit_ = std::move(on_exit);
  runner_.Start({{1, 1}}, Duration::zero());
}

void Standalone::OnEnd(AttemptEnd end) {
  v1::Report report;
  report.ParseFromString(end.report);
  const Ending& ending = EndingOf(end.outcome);
  out_ << Shown(report);
  out_ << ending.word << " after " << ToSeconds(end.run_time) << " s";
  if (!device_.empty()) out_ << " on " << device_;
  if (!report.error().empty()) out_ << ": " << report.error();
  out_ << std::endl;
  on_exit_(ending.exit_code);
}

}  // namespace twofold::backend
