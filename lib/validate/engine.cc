#include "lib/validate/engine.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ostream>
#include <utility>

#include "lib/common/counted.h"
#include "lib/stats/scaling.h"
#include "lib/stats/share.h"
#include "lib/validate/show.h"

namespace twofold::validate {
namespace {

std::string WorkersText(int workers) {
  return Counted(static_cast<std::uint64_t>(workers), "worker");
}

constexpr int kMostChecks = 125;  // that an exit code tells
constexpr int kSignalled = 128;
constexpr const char* kInterrupted = "interrupted";
constexpr double kCertain = 0.999;  // a window is looked at often
constexpr int kMostEvidence = 40;   // windows; more does not fit into a URL
constexpr Duration kTellEach = std::chrono::seconds(10);
constexpr double kLookAtTeamEach = 10;  // seconds
constexpr double kFirstLookInJobs = 10;
constexpr double kLeastFirstLook = 2;  // seconds
constexpr double kLeastWait = 1;       // seconds, or a job, if that is shorter
constexpr double kWarmUpInJobs = 2;

std::string Message(const Status& status) { return std::string(status.message()); }

std::int64_t Seconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

}  // namespace

Engine::Engine(Findings findings, Surroundings surroundings)
    : findings_(std::move(findings)), world_(std::move(surroundings)) {}

int Engine::Run() {
  const Status status = Validate();
  if (!status.ok()) return CleanUp(status);
  if (!findings_.headline.empty()) Print(findings_.headline);
  if (findings_.outcome == kInterrupted) {
    Print("*** interrupted ***");
    return kSignalled + SIGINT;
  }
  const std::string summary = Summary(findings_.fails, findings_.undecided);
  Print(absl::StrCat("*** ", summary.empty() ? "PASS" : summary, " ***"));
  return std::min(findings_.fails + findings_.undecided, kMostChecks);
}

Status Engine::Validate() {
  Status status = Begin();
  if (status.ok()) status = AllSteps();
  if (status.ok()) status = End();
  return status;
}

// ---- from the start to the last step

Status Engine::Begin() {
  const Options& options = findings_.options;
  if (const Status kept = world_.keep(findings_); !kept.ok()) {
    return absl::InvalidArgumentError("--json: " + Message(kept));
  }
  if (const Status status = world_.target.Check(); !status.ok()) {
    return absl::InvalidArgumentError(Message(status));
  }
  findings_.frontend = BuildOf(world_.target.Metrics().value_or(""));
  Print(absl::StrCat("Scaling of ", options.deployment, ": ", StepsText(options),
                     " workers, at least ", Plain(options.scale), " x for twice as many"));
  Print(absl::StrCat(
      "Warm-up: until as many jobs as workers have ended and 2 x ", Plain(options.job_seconds),
      " s have passed. Measured: until decided, at most ", Plain(options.cap_seconds), " s",
      options.patience_seconds > options.cap_seconds && options.repeat == 1 && !options.more_repeats
          ? absl::StrCat(", or ", Plain(options.patience_seconds), " s where a verdict is likely")
          : "",
      "."));
  Say(absl::StrCat("--- can ", WorkersText(options.limit), " be deployed?"));
  touched_ = true;
  std::string answer;
  const Status status = Ask("/parallel?value=0&type=plain", answer);
  return status.ok() ? Deploy(options.limit) : status;
}

Status Engine::AllSteps() {
  for (turn_ = 1; turn_ <= findings_.options.repeat && why_last_.empty(); ++turn_) {
    if (const Status status = Repeat(); !status.ok()) return status;
    if (findings_.options.more_repeats && turn_ == 1) PlanRepeats();
  }
  return absl::OkStatus();
}

// All steps, with new workers.
Status Engine::Repeat() {
  if (const Status status = Deploy(0); !status.ok()) return status;
  if (findings_.options.windows() > kMostEvidence) evidence_.clear();  // the last repeat counts
  for (const int workers : findings_.options.steps) {
    if (const Status status = Step(workers); !status.ok()) return status;
    why_last_ = WhyLast(workers);
    if (why_last_.empty()) continue;
    Say(absl::StrCat("--- ", why_last_, ": that was the last step"));
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

// So many that workers that differ no longer keep a verdict open. Decided once: each further
// verdict would be one more look.
void Engine::PlanRepeats() {
  if (!why_last_.empty()) return;
  Options& options = findings_.options;
  int needed = 1;
  for (const JudgedStep& step : JudgedSteps(findings_)) {
    if (step.more_pods_help) needed = std::max(needed, step.repeats_needed);
  }
  if (needed == 1) return;
  const std::string so_many = absl::StrCat("--- workers differ: ", needed, " repeats would decide");
  const int repeats = static_cast<int>(stats::RepeatsToMake(
      static_cast<std::uint32_t>(needed), static_cast<std::uint32_t>(options.most_repeats())));
  if (repeats == 0) {
    Say(absl::StrCat(so_many, ", more than the ", options.most_repeats(), " of --repeat auto"));
    return;
  }
  options.repeat = repeats;
  Say(absl::StrCat(so_many, " if the ratio stays; there will be ", options.repeat));
}

// Empty: it is not.
std::string Engine::WhyLast(int workers) const {
  if (answered_) return "interrupted";
  if (AllFailed()) return "every job failed";
  if (findings_.options.all_steps || workers == findings_.options.steps.back()) return {};
  for (const JudgedStep& step : JudgedSteps(findings_)) {
    if (step.workers != workers) continue;
    const bool is_judged = findings_.options.repeat == 1 && step.verdict == "fail";
    if (is_judged || step.failures == stats::Verdict::kFail) {
      return absl::StrCat(WorkersText(workers), " failed (--all-steps goes on)");
    }
  }
  return {};
}

Status Engine::Step(int workers) {
  SayWorkers(workers);
  Status status = Deploy(workers);
  if (status.ok()) status = WarmUp(workers);
  if (!status.ok()) return status;
  const auto team = Team();
  if (!team.ok()) {
    return Die("cannot look at the workers of " + findings_.options.deployment, team.status());
  }
  team_ = *team;
  const Used before = UsedNow();
  status = AllFailed() ? LookAtWindow(workers) : Measure(workers);
  if (!status.ok()) return status;
  const auto after = Team();
  if (!after.ok() || *after != team_) return Spoiled(workers);
  return Note(workers, before);
}

// ---- workers

// Until exactly `workers` are ready and registered, and none is ending.
Status Engine::Deploy(int workers) {
  if (const Status status = Pause(Duration::zero()); !status.ok()) return status;
  if (const Status status = world_.target.Scale(workers); !status.ok()) {
    return Die(absl::StrCat("cannot scale ", findings_.options.deployment, " to ", workers),
               status);
  }
  const Instant begin = world_.clock.Now();
  Instant told = begin;
  for (;;) {
    bool is_so = false;
    Status status = IsDeployed(workers, begin, told, is_so);
    if (!status.ok() || is_so) return status;
    status = Pause(world_.target.poll());
    if (!status.ok()) return status;
  }
}

Status Engine::IsDeployed(int workers, Instant begin, Instant& told, bool& is_so) {
  const Options& options = findings_.options;
  if (Status status = LookAtWorkers(workers); !status.ok()) return status;
  const auto metrics = world_.target.Metrics();
  if (!metrics.ok()) return Die("the frontend does not answer /metrics", metrics.status());
  const auto known = SumOf(*metrics, "twofold_worker_processes", options.queue);
  if (!known) {
    return Die(absl::StrCat("the frontend has no queue '", options.queue, "' (give --queue)"));
  }
  is_so = seen_.ready == workers && seen_.others == 0 && *known == workers;
  if (is_so) return absl::OkStatus();
  std::string seen = absl::StrCat(seen_.ready, " of ", workers, " Ready, ", seen_.others,
                                  " others, ", *known, " registered at the frontend");
  const Instant now = world_.clock.Now();
  if (now - begin >= options.timeout) {
    SayProblems();
    if (seen_.ready > workers) seen += "; does something else scale it?";
    return Die(absl::StrCat(options.deployment, " is not where it should be after ",
                            Seconds(options.timeout), " s: ", seen));
  }
  if (now - told >= kTellEach) {
    Say(absl::StrCat("  waiting for ", WorkersText(workers), ": ", seen));
    told = now;
  }
  return absl::OkStatus();
}

// Leaves `seen_`; ends the validation if the workers, of which there should be `wanted`, keep
// crashing.
Status Engine::LookAtWorkers(int wanted) {
  const auto workers = world_.target.Look();
  const std::string& deployment = findings_.options.deployment;
  if (!workers.ok()) return Die("cannot look at the workers of " + deployment, workers.status());
  seen_ = *workers;
  if (!seen_.crashing || wanted == 0) return absl::OkStatus();
  SayProblems();
  return Die(absl::StrCat("the workers of ", deployment, " keep crashing (", seen_.ready, " of ",
                          wanted, " Ready)"));
}

// Who works: differs when a worker has come, gone, crashed or lost the frontend.
Result<std::string> Engine::Team() {
  auto team = world_.target.Team();
  if (!team.ok()) return team.status();
  const auto metrics = world_.target.Metrics();
  if (!metrics.ok()) return metrics.status();
  const auto known = SumOf(*metrics, "twofold_worker_processes", findings_.options.queue);
  return absl::StrCat(*team, "\n", known.value_or(-1));
}

Used Engine::UsedNow() {
  return UsedBy(world_.target.Metrics().value_or(""), findings_.options.queue);
}

Status Engine::Spoiled(int workers) {
  SayProblems();
  return Die(absl::StrCat(
      "the workers changed while ", workers,
      " were measured, so there is no verdict: a crash, an eviction, or does something else scale "
      "them (HPA, ScaledObject, CronJob)?"));
}

// ---- the window

bool Engine::AllFailed() const {
  const double jobs = window_.Number("jobs").value_or(0);
  return jobs > 0 && window_.Number("failed") == jobs;
}

// Until as many jobs as workers have ended and two job times have passed.
Status Engine::WarmUp(int workers) {
  std::string answer;
  Status status = Ask(absl::StrCat("/parallel?value=", workers, "&type=plain"), answer);
  if (!status.ok()) return status;
  answer = std::string(absl::StripAsciiWhitespace(answer));
  if (answer != absl::StrCat(workers)) {
    return Die(absl::StrCat("the load client runs ", answer, " jobs at a time instead of ", workers,
                            " (its --parallel-max?)"));
  }
  status = Ask("/reset?type=plain", answer);
  if (!status.ok()) return status;
  const double least = kWarmUpInJobs * findings_.options.job_seconds;
  for (const Instant begin = world_.clock.Now();;) {
    status = Ask("/window?type=plain", answer);
    if (!status.ok()) return status;
    window_ = Answer(answer);
    const double jobs = window_.Number("jobs").value_or(0);
    if (window_.Number("seconds").value_or(0) >= least && jobs >= workers) return absl::OkStatus();
    status = LookAtWorkers(workers);
    if (!status.ok()) return status;
    if (world_.clock.Now() - begin >= findings_.options.timeout) {
      const std::string errors = CommonError(window_);
      return Die(absl::StrCat(WorkersText(workers), " ended ", window_.Text("jobs"), " jobs in ",
                              Seconds(findings_.options.timeout), " s",
                              errors.empty() ? "" : "; errors: ", errors));
    }
    status = Pause(world_.target.poll());
    if (!status.ok()) return status;
  }
}

// Whether so many jobs failed that the step fails however it goes on.
bool Engine::HasFailedForCertain() const {
  const Options& options = findings_.options;
  if (AllFailed()) return true;
  if (options.all_steps) return false;
  const auto jobs = static_cast<std::uint64_t>(window_.Number("jobs").value_or(0));
  const auto failed = static_cast<std::uint64_t>(window_.Number("failed").value_or(0));
  return stats::JudgeShare(failed, jobs, options.allowed_failures, kCertain) ==
         stats::Verdict::kFail;
}

// Until a look has seen enough, or somebody who watches it has; leaves `window_`, the answer to the
// last look.
Status Engine::Measure(int workers) {
  std::string answer;
  Status status = Ask("/reset?type=plain", answer);
  double wait = std::max(kFirstLookInJobs * findings_.options.job_seconds, kLeastFirstLook);
  while (status.ok()) {
    status = Watch(wait, workers);
    answered_ = absl::IsCancelled(status) && signal_ == SIGINT;
    if (status.ok() || answered_) status = LookAtWindow(workers);
    if (!status.ok() || answered_ || window_.Text("done") == "true" || HasFailedForCertain()) break;
    SayWindow(workers);
    // A window grows when jobs end: whoever asks before hears the same again.
    wait = std::max(window_.Number("next_seconds").value_or(kLeastFirstLook),
                    std::min(findings_.options.job_seconds, kLeastWait));
  }
  return status;
}

// Waits, and ends the validation soon after workers have come, gone or crashed.
Status Engine::Watch(double seconds, int workers) {
  while (seconds > 0) {
    const double part = std::min(seconds, kLookAtTeamEach);
    if (Status status = Pause(FromSeconds(part)); !status.ok()) return status;
    seconds -= part;
    const auto team = Team();
    if (!team.ok() || *team != team_) return Spoiled(workers);
  }
  return absl::OkStatus();
}

std::string Engine::LookTarget(int workers) const {
  const Options& options = findings_.options;
  const bool is_last = workers == options.steps.back();
  std::string target = absl::StrCat(
      "/look?type=plain&workers=", workers, "&scale=", Plain(options.scale),
      "&cap=", Plain(options.cap_seconds), "&repeats=", options.more_repeats ? 0 : options.repeat,
      "&pods=", options.pods, "&next=",
      is_last             ? "never"
      : options.all_steps ? "always"
                          : "unless-failed");
  if (options.patience_seconds > 0) {
    absl::StrAppend(&target, "&patience=", Plain(options.patience_seconds));
  }
  return absl::StrCat(target, "&records=", records_);
}

Status Engine::LookAtWindow(int workers) {
  std::string answer;
  const Status status = Ask(LookTarget(workers), answer);
  if (!status.ok()) return status;
  window_ = Answer(answer);
  const std::string steady = window_.Text("steady");
  const bool understood = window_.Number("seconds") && window_.Number("log_error") &&
                          (steady == "true" || steady == "false");
  if (understood) return absl::OkStatus();
  return Die("the reply of the load client to /look is not understood: " + answer);
}

// What there is to say of the step now; then it is known to those that come after it.
Status Engine::Note(int workers, const Used& before) {
  Window window{WindowOf(window_, turn_, workers), window_.Text("verdict"), window_.Text("why")};
  const std::string throughput = absl::StrFormat("%f", window.record.throughput());
  const auto ratio = window_.Number("ratio");
  const std::string change =
      ratio ? absl::StrFormat("%s -> %s = %.2f increase", before_, throughput, *ratio) : throughput;
  Print(absl::StrCat("Throughput: ", change, " on reqs-per-sec (pods: ", workers, ")"));
  if (const std::string left_out = window_.Text("left_out"); !left_out.empty()) {
    Print("  " + left_out);
  }
  if (AllFailed()) window.verdict = "failures";
  if (window.record.failed_jobs() > 0) {
    Print(absl::StrCat("  ", window.record.failed_jobs(), " of ", window.record.jobs(),
                       " jobs failed: ", window.record.error()));
  }
  const auto busy = Between(before, UsedNow(), workers);
  if (busy) {
    window.record.set_cpu(busy->cores);
    window.record.set_throttled(busy->throttled);
  }
  findings_.windows.push_back(std::move(window));
  before_ = throughput;
  absl::StrAppend(&records_, records_.empty() ? "" : ",", window_.Text("record"));
  if (const std::string seen = window_.Text("evidence"); !seen.empty()) {
    const std::string used =
        busy ? absl::StrFormat("%.6g:%.6g", busy->cores, busy->throttled) : "-:-";
    absl::StrAppend(&evidence_, evidence_.empty() ? "" : ",", used, ":",
                    std::string(absl::StripPrefix(seen, "-:-:")));
  }
  return Judge();
}

Status Engine::Judge() {
  const Options& options = findings_.options;
  std::string answer;
  const Status status =
      Ask(absl::StrCat("/verdict?type=plain&scale=", Plain(options.scale), "&pods=", options.pods,
                       "&allow_failures=", Plain(options.allowed_failures), "&records=", records_),
          answer);
  if (!status.ok()) return status;
  findings_.judged = Answer(answer);
  (void)world_.keep(findings_);  // said at the end, if it still cannot be written then
  return absl::OkStatus();
}

// ---- the end

Status Engine::End() {
  std::string places;
  if (Status status = Ask("/nodes?type=plain", places); !status.ok()) return status;
  Print("");
  Print(std::string(absl::StripSuffix(places, "\n")));
  if (const std::string left = Stop(); !left.empty()) return Die("LEFT BEHIND: " + left);
  CheckSteps();
  findings_.headline = findings_.judged.Text("headline");
  const bool has_all =
      findings_.windows.size() == static_cast<std::size_t>(findings_.options.windows());
  findings_.outcome = findings_.fails > 0       ? "fail"
                      : answered_ && !has_all   ? kInterrupted
                      : findings_.undecided > 0 ? "undecided"
                                                : "pass";
  if (findings_.outcome == kInterrupted) {
    findings_.headline = "Interrupted. What was measured until then: " + findings_.headline;
  }
  Explain();
  return ShowResults();
}

// Checks what is not known before the end: each step beside the one before it, for all repeats.
void Engine::CheckSteps() {
  for (const JudgedStep& step : JudgedSteps(findings_)) {
    if (step.failures == stats::Verdict::kFail) {
      Fail(TextOfFailures(FailuresOf(step, findings_.options)));
    }
    if (step.verdict == "fail") {
      Fail(absl::StrCat(WorkersText(step.workers), ": the ratio is under ",
                        Rounded(step.least.value_or(0)), " (",
                        Interval(step.lower.value_or(0), step.upper.value_or(0)), ")"));
    } else if (step.verdict == "undecided") {
      Doubt(absl::StrCat(WorkersText(step.workers), ": ", step.why));
    } else if (step.failures == stats::Verdict::kUndecided) {
      Doubt(TextOfFailures(FailuresOf(step, findings_.options)));
    }
  }
}

// The load client explains it by all that was measured; one of an earlier version cannot.
void Engine::Explain() {
  if (evidence_.empty()) return;
  const auto why = world_.target.AskClient("/why?type=plain&evidence=" + evidence_);
  if (why.ok()) findings_.why = Answer(*why).Text("why");
}

Status Engine::ShowResults() {
  const Options& options = findings_.options;
  Print("");
  world_.out << Table(JudgedSteps(findings_));
  if (const double spread = findings_.judged.Number("spread").value_or(0); spread > 0) {
    Print(absl::StrFormat("Workers differ by %.2g %%.", 100 * spread));
  }
  if (!findings_.why.empty()) Print(absl::StrCat("Why: ", findings_.why, "."));
  if (options.repeat == 1 && findings_.windows.size() > 1) Print(kMeasuredOnce);
  if (const Status kept = world_.keep(findings_); !kept.ok()) return Die(Message(kept));
  Print("Result: " + options.json);
  if (options.html.empty()) return absl::OkStatus();
  // The verdict does not depend on it.
  if (const Status status = world_.report(findings_); status.ok()) {
    Print("Report: " + options.html);
  } else {
    Say("no report was made: " + Message(status));
  }
  return absl::OkStatus();
}

// What could not be set back; empty: nothing.
std::string Engine::Stop() {
  std::string left;
  if (!world_.target.AskClient("/parallel?value=0&type=plain").ok()) {
    left = "the load client may still send jobs";
  }
  if (!world_.target.Scale(1).ok()) {
    absl::StrAppend(&left, left.empty() ? "" : "; ", findings_.options.deployment,
                    " could not be scaled back to 1");
  }
  touched_ = false;
  return left;
}

// An early end, said and kept. The exit code.
int Engine::CleanUp(const Status& why) {
  const bool interrupted = absl::IsCancelled(why);
  const bool refused = absl::IsInvalidArgument(why);
  if (!interrupted) {
    findings_.outcome = "none";
    findings_.reason = Message(why);
    Say(absl::StrCat(world_.called, ": ", Message(why), refused ? " (see --help)" : ""));
  }
  if (const Status kept = world_.keep(findings_); !kept.ok() && !refused) Say(Message(kept));
  if (touched_) {
    const std::string left = Stop();
    Say(left.empty() ? absl::StrCat("ended early: scaled ", findings_.options.deployment,
                                    " back to 1 worker, stopped the load client")
                     : "ended early, LEFT BEHIND: " + left);
  }
  return interrupted ? kSignalled + signal_ : refused ? kExitRefused : kExitNoVerdict;
}

// ---- how it meets the world

Status Engine::Ask(const std::string& target, std::string& answer) {
  if (Status status = Pause(Duration::zero()); !status.ok()) return status;
  auto reply = world_.target.AskClient(target);
  if (!reply.ok()) return Die("the load client does not answer " + target, reply.status());
  answer = *std::move(reply);
  return absl::OkStatus();
}

Status Engine::Pause(Duration time) {
  signal_ = world_.clock.Wait(time);
  return signal_ == 0 ? absl::OkStatus() : absl::CancelledError("interrupted");
}

// Says first what caused it.
Status Engine::Die(const std::string& why, const Status& cause) {
  if (!cause.ok()) Say("  " + Message(cause));
  return absl::InternalError(why);
}

void Engine::Fail(const std::string& what) {
  ++findings_.fails;
  Print("FAIL: " + what);
}

void Engine::Doubt(const std::string& what) {
  ++findings_.undecided;
  Print("UNDECIDED: " + what);
}

void Engine::SayWorkers(int workers) {
  const int repeat = findings_.options.repeat;
  Say(absl::StrCat("--- ", WorkersText(workers),
                   repeat == 1 ? "" : absl::StrCat(", ", turn_, " of ", repeat)));
}

void Engine::SayWindow(int workers) {
  std::string line =
      absl::StrCat("  ", WorkersText(workers), ", ", Rounded(window_.Number("seconds").value_or(0)),
                   " s: ", window_.Text("verdict"), " so far, error ",
                   Rounded(window_.Number("log_error").value_or(0)));
  if (const auto ratio = window_.Number("ratio")) {
    absl::StrAppend(&line, ", ratio ", Rounded(*ratio), " (", IntervalSoFar(window_), ")");
  }
  Say(absl::StrCat(line, ", steady: ", window_.Text("steady"), Expected(window_)));
}

void Engine::SayProblems() {
  for (const std::string& line : world_.target.Problems()) Say(line);
}

void Engine::Say(const std::string& line) { world_.err << line << std::endl; }
void Engine::Print(const std::string& line) { world_.out << line << std::endl; }

}  // namespace twofold::validate
