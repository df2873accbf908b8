#include "lib/validate/findings.h"

#include <absl/strings/str_split.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "lib/common/printable.h"
#include "lib/stats/share.h"

namespace twofold::validate {
namespace {

constexpr std::size_t kMostOfText = 4096;

std::string Clean(const std::string& text) { return Printable(text, kMostOfText); }

template <typename Count>
Count WholeOf(const std::string& text) {
  const double number = NumberOf(text).value_or(0);
  constexpr auto kMost = std::min<std::uint64_t>(std::numeric_limits<Count>::max(),
                                                 std::numeric_limits<std::uint32_t>::max());
  return static_cast<Count>(std::clamp(number, 0.0, static_cast<double>(kMost)));
}

// ---- windows

void SetNumbers(const Answer& look, v1::ValidationWindow& window) {
  using Set = void (v1::ValidationWindow::*)(double);
  struct Row {
    const char* key;
    Set set;
  };
  static constexpr Row kRows[] = {
      {"throughput", &v1::ValidationWindow::set_throughput},
      {"log_error", &v1::ValidationWindow::set_log_error},
      {"wait", &v1::ValidationWindow::set_wait},
      {"run", &v1::ValidationWindow::set_run},
      {"overhead", &v1::ValidationWindow::set_overhead},
      {"run_p99", &v1::ValidationWindow::set_run_p99},
      {"run_p99_lower", &v1::ValidationWindow::set_run_p99_lower},
      {"run_p99_upper", &v1::ValidationWindow::set_run_p99_upper},
      {"round_trip_p99", &v1::ValidationWindow::set_round_trip_p99},
      {"round_trip_p99_lower", &v1::ValidationWindow::set_round_trip_p99_lower},
      {"round_trip_p99_upper", &v1::ValidationWindow::set_round_trip_p99_upper},
      {"spread", &v1::ValidationWindow::set_spread},
      {"df", &v1::ValidationWindow::set_degrees},
      {"slowest_by", &v1::ValidationWindow::set_slowest_by},
  };
  for (const Row& row : kRows) {
    const auto number = look.Number(row.key);
    if (number && std::isfinite(*number)) (window.*row.set)(*number);
  }
}

/// WORKERS JOBS RUN NAME, where the name may have blanks.
void AddNode(const std::string& text, v1::ValidationWindow& window) {
  const std::vector<std::string> words = absl::StrSplit(text, absl::MaxSplits(' ', 3));
  if (words.size() != 4) return;
  v1::ValidationNode& node = *window.add_nodes();
  node.set_workers(WholeOf<std::uint32_t>(words[0]));
  node.set_jobs(WholeOf<std::uint64_t>(words[1]));
  if (const auto run = NumberOf(words[2])) node.set_run(*run);
  node.set_node(Clean(words[3]));
}

// ---- steps

/// The mean of what is known.
class Mean {
 public:
  void Add(bool known, double value) {
    if (!known) return;
    sum_ += value;
    ++count_;
  }
  [[nodiscard]] std::optional<double> value() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / count_);
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

/// What the windows of one step come to by themselves.
JudgedStep OfWindows(const std::vector<Window>& windows, int workers) {
  JudgedStep step;
  step.workers = workers;
  Mean log_throughput, wait, run, overhead, cpu;
  for (const Window& window : windows) {
    const v1::ValidationWindow& record = window.record;
    if (static_cast<int>(record.workers()) != workers) continue;
    log_throughput.Add(true, std::log(record.throughput()));
    wait.Add(record.has_wait(), record.wait());
    run.Add(record.has_run(), record.run());
    overhead.Add(record.has_overhead(), record.overhead());
    cpu.Add(record.has_cpu(), record.cpu());
    step.jobs += record.jobs();
    step.failed_jobs += record.failed_jobs();
    if (!record.error().empty()) step.error = record.error();
    if (!step.verdict.empty() && window.verdict == "measured") continue;
    step.verdict = window.verdict;
    step.why = window.why;
  }
  if (const auto mean = log_throughput.value()) step.throughput = std::exp(*mean);
  step.wait = wait.value();
  step.run = run.value();
  step.overhead = overhead.value();
  step.cpu = cpu.value();
  return step;
}

/// WORKERS THROUGHPUT RATIO LOWER UPPER LEAST VERDICT REPEATS_NEEDED, as /verdict has it.
void Apply(const std::vector<std::string>& words, const std::string& why, JudgedStep& step) {
  step.throughput = NumberOf(words[1]);
  step.ratio = NumberOf(words[2]);
  const std::optional<double> upper = NumberOf(words[4]);
  if (upper && std::isfinite(*upper)) {
    step.lower = NumberOf(words[3]);
    step.upper = upper;
  }
  step.least = NumberOf(words[5]);
  step.verdict = words[6];
  step.repeats_needed = WholeOf<int>(words[7]);
  // A window that was not steady says more than the comparison.
  if (!step.why.starts_with("not steady")) step.why = why;
}

std::string WhyOf(const Answer& judged, int workers) {
  const std::string begin = std::to_string(workers) + " ";
  for (const std::string& why : judged.All("why")) {
    if (why.starts_with(begin)) return why.substr(begin.size());
  }
  return {};
}

void Judge(const Answer& judged, JudgedStep& step) {
  if (step.verdict == "failures") return;
  for (const std::string& line : judged.All("step")) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() == 8 && words[0] == std::to_string(step.workers)) {
      Apply(words, WhyOf(judged, step.workers), step);
      for (const std::string& workers : judged.All("more_pods_help")) {
        step.more_pods_help = step.more_pods_help || workers == words[0];
      }
    }
  }
}

// ---- the record

template <typename Set>
void SetFinite(const std::optional<double>& number, Set set) {
  if (number && std::isfinite(*number)) set(*number);
}

void Fill(const JudgedStep& step, v1::ValidationStep& record) {
  record.set_workers(static_cast<std::uint32_t>(step.workers));
  SetFinite(step.throughput, [&](double value) { record.set_throughput(value); });
  SetFinite(step.ratio, [&](double value) { record.set_ratio(value); });
  SetFinite(step.lower, [&](double value) { record.set_lower(value); });
  SetFinite(step.upper, [&](double value) { record.set_upper(value); });
  SetFinite(step.least, [&](double value) { record.set_least(value); });
  record.set_verdict(Clean(step.verdict));
  record.set_repeats_needed(static_cast<std::uint32_t>(step.repeats_needed));
  record.set_jobs(step.jobs);
  record.set_failed_jobs(step.failed_jobs);
  if (step.jobs > 0) {
    const stats::ShareInterval share = stats::IntervalOfShare(step.failed_jobs, step.jobs);
    record.set_failed_share_lower(share.lower);
    record.set_failed_share_upper(share.upper);
  }
  if (!step.error.empty()) record.set_error(step.error);
  if (!step.why.empty()) record.set_why(Clean(step.why));
}

void FillOptions(const Options& options, v1::ValidationRecord& record) {
  record.set_deployment(options.deployment);
  record.set_queue(options.queue);
  record.set_scale(options.scale);
  record.set_limit(static_cast<std::uint32_t>(options.limit));
  record.set_job_seconds(options.job_seconds);
  record.set_pods(options.pods);
  record.set_repeats(static_cast<std::uint32_t>(options.repeat));
  record.set_allowed_failures(options.allowed_failures);
}

}  // namespace

ScalingStep FailuresOf(const JudgedStep& step, const Options& options) {
  return {.workers = static_cast<std::uint32_t>(step.workers),
          .jobs = step.jobs,
          .failed = step.failed_jobs,
          .allowed = options.allowed_failures,
          .all_failed = step.verdict == "failures",
          .error = step.error};
}

std::vector<JudgedStep> JudgedSteps(const Findings& findings) {
  std::vector<JudgedStep> steps;
  for (const Window& window : findings.windows) {
    const int workers = static_cast<int>(window.record.workers());
    const auto is_it = [&](const JudgedStep& step) { return step.workers == workers; };
    if (std::any_of(steps.begin(), steps.end(), is_it)) continue;
    steps.push_back(OfWindows(findings.windows, workers));
    Judge(findings.judged, steps.back());
    steps.back().failures = FailuresOf(steps.back(), findings.options).Failures();
  }
  return steps;
}

v1::ValidationWindow WindowOf(const Answer& look, int repeat, int workers) {
  v1::ValidationWindow window;
  window.set_repeat(static_cast<std::uint32_t>(repeat));
  window.set_workers(static_cast<std::uint32_t>(workers));
  SetNumbers(look, window);
  window.set_seconds(look.Number("seconds").value_or(0));
  window.set_steady(look.Text("steady") == "true");
  window.set_jobs(WholeOf<std::uint64_t>(look.Text("jobs")));
  window.set_failed_jobs(WholeOf<std::uint64_t>(look.Text("failed")));
  window.set_error(CommonError(look));
  if (const std::string slowest = look.Text("slowest"); !slowest.empty()) {
    window.set_slowest(Clean(slowest));
  }
  for (const std::string& node : look.All("node")) AddNode(node, window);
  return window;
}

std::string CommonError(const Answer& window) {
  std::string error;
  double most = 0;
  for (const std::string& line : window.All("error")) {
    const double count = NumberOf(line.substr(0, line.find(' '))).value_or(0);
    if (count <= most) continue;
    most = count;
    error = line;
  }
  return Clean(error);
}

v1::ValidationRecord RecordOf(const Findings& findings) {
  v1::ValidationRecord record;
  FillOptions(findings.options, record);
  record.set_verdict(findings.outcome);
  record.set_reason(Clean(findings.reason));
  record.set_pass(findings.outcome == "pass");
  record.set_fails(static_cast<std::uint32_t>(findings.fails));
  record.set_undecided(static_cast<std::uint32_t>(findings.undecided));
  SetFinite(findings.judged.Number("spread"), [&](double value) { record.set_spread(value); });
  for (const JudgedStep& step : JudgedSteps(findings)) Fill(step, *record.add_steps());
  for (const Window& window : findings.windows) *record.add_windows() = window.record;
  record.set_began(findings.began);
  for (const std::string& word : findings.argv) record.add_argv(Clean(word));
  record.set_frontend(Clean(findings.frontend));
  record.set_why(Clean(findings.why));
  record.set_headline(Clean(findings.headline));
  return record;
}

}  // namespace twofold::validate
