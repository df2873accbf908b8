#include "kubernetes/operator/frontend_runs.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/results/run_source.h"
#include "cli/runs/benchmark.h"
#include "cli/runs/driver.h"
#include "cli/runs/frontend_jobs.h"
#include "cli/runs/new_run.h"
#include "cli/runs/placement.h"
#include "cli/runs/run_command.h"
#include "cli/runs/run_record.h"
#include "cli/runs/run_view.h"
#include "cli/runs/watch.h"
#include "kubernetes/operator/measured_job.h"
#include "kubernetes/operator/own_workers.h"
#include "kubernetes/operator/perftest_results.h"
#include "lib/common/options.h"
#include "lib/spec/sweep.h"
#include "suites/table/table.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::benchmarks {
namespace {

constexpr const char* kObjectLabel = "kubernetes.object";  // of runs
constexpr std::size_t kLongestLabel = 240;                 // bytes of a value; 253 are allowed
constexpr std::size_t kMostHeadlines = 1000;

/// The message without "FILE:LINE:COLUMN: ": the file is ours, its lines are nobody's.
Status WithoutPlace(const std::string& file, const Status& status) {
  std::string text(status.message());
  if (!text.starts_with(file + ":")) return status;
  std::size_t at = file.size();
  for (int part = 0; part < 2; ++part) {  // line, column
    const std::size_t end = text.find_first_not_of("0123456789", at + 1);
    if (text[at] != ':' || end == at + 1 || end == std::string::npos) break;
    at = end;
  }
  at = std::min(text.find_first_not_of(": ", at), text.size());
  return {status.code(), text.substr(at)};
}

cli::RunCommand CommandOf(const RunOrder& order) {
  cli::RunCommand command;
  command.file = order.object;
  command.id = order.id;
  command.queue = order.queue;
  command.own_workers = HasOwnWorkers(order.of);
  return command;
}

Stopped StoppedBy(run::Stop stop) {
  if (stop == run::Stop::kFailFast) return Stopped::kFailFast;
  return stop == run::Stop::kLimit ? Stopped::kRunLimit : Stopped::kNo;
}

std::string TextOf(const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions) {
  std::string text;
  for (const v1::Dimension& each : dimensions) {
    absl::StrAppend(&text, text.empty() ? "" : " ", each.name(), "=", each.value());
  }
  return text;
}

Headline HeadlineOf(const v1::PermutationResult& permutation, const v1::MetricResult& metric) {
  return {.permutation = permutation.number(),
          .varied = permutation.varied(),
          .name = metric.name(),
          .unit = metric.unit(),
          .dimensions = TextOf(metric.dimensions()),
          .mean = metric.mean(),
          .half_width = metric.half_width(),
          .jobs = metric.n()};
}

}  // namespace

/// A run that is there, and what is known of its jobs.
class FrontendRuns::Session {
 public:
  Session(const cli::Globals& globals, cli::KnownRun run)
      : run_(std::move(run)),
        frontend_(globals),
        common_(cli::CommonOptions(run_.record, run_.benchmark.sweep)),
        jobs_(frontend_, common_, run_.benchmark.sweep.name, run_.benchmark.expansion),
        driver_(run::RulesOf(run_.benchmark.sweep), run_.benchmark.expansion) {
    // Before it sees anything: what has been withdrawn stays so, and a failure is a reason to stop
    // whoever looked after the run when it came.
    driver_.Begin();
  }

  [[nodiscard]] const std::string& id() const { return run_.record.id; }

  void SetCancelled(bool cancelled) { cancelled_ = cancelled; }

  Status Attend() { return jobs_.Attend(); }
  Status Look() { return run::Look(jobs_, driver_); }

  Status Submit(Duration since, bool anew) {
    if (cancelled_) return absl::OkStatus();
    if (anew) driver_.Begin();
    return run::SubmitAll(jobs_, driver_, since);
  }

  Status Withdraw() { return run::Pause(jobs_, driver_); }

  /// A run that was cancelled for a reason of its own has it still, whoever asks later.
  void NoteLimit(Duration since) {
    const Duration limit = run::RulesOf(run_.benchmark.sweep).limit;
    if (cancelled_ && limit > Duration::zero() && since >= limit) {
      driver_.StopNow(run::Stop::kLimit);
    }
  }

  /// Somebody has cancelled the run, for no reason of its own.
  [[nodiscard]] bool was_cancelled() const {
    return cancelled_ && driver_.stopped() == run::Stop::kNone;
  }

  [[nodiscard]] RunLook look() const {
    const run::Progress progress = run::ProgressOf(driver_);
    RunLook look;
    look.jobs = progress.jobs;
    look.running = progress.running;
    look.succeeded = progress.succeeded;
    look.failed = progress.failed;
    look.withdrawn = progress.withdrawn;
    look.waiting = progress.jobs - progress.running - progress.ended();
    look.over = driver_.over();
    look.stopped = StoppedBy(driver_.stopped());
    look.first_failure = FirstFailure();
    return look;
  }

 private:
  [[nodiscard]] std::string FirstFailure() const {
    for (const run::Driver::Job& job : driver_.jobs()) {
      if (job.seen.phase != run::Phase::kFailed) continue;
      return absl::StrCat(run::JobText(driver_, job), ": ", job.seen.reason);
    }
    return "";
  }

  const cli::KnownRun run_;
  bool cancelled_ = false;
  const cli::Frontend frontend_;  // of one thread at a time: where its queue is served may change
  const v1::JobOptions common_;
  cli::FrontendJobs jobs_;
  run::Driver driver_;
};

FrontendRuns::FrontendRuns(const cli::Globals& globals) : globals_(globals), frontend_(globals) {}

FrontendRuns::~FrontendRuns() = default;

Result<std::uint64_t> CheckDefinition(const RunOrder& order) {
  const auto sweep = spec::ReadSweep(order.object, order.definition, suite::Kinds());
  if (!sweep.ok()) return WithoutPlace(order.object, sweep.status());
  if (const std::string why = CheckQueueName(order.queue); !why.empty()) {
    return absl::InvalidArgumentError("spec.queue: " + why);
  }
  if (sweep->nodes) return 0;  // which nodes there are is known when it begins
  const auto benchmark = cli::ExpandBenchmark(order.object, order.definition, {});
  if (!benchmark.ok()) return WithoutPlace(order.object, benchmark.status());
  return benchmark->expansion.jobs.size();
}

Result<RunLook> FrontendRuns::Advance(const RunOrder& order, Duration since, bool anew) {
  Result<std::shared_ptr<Session>> session = Open(order);
  if (absl::IsNotFound(session.status())) {
    // Its jobs have run: to begin it again would run them twice.
    if (!anew)
      return absl::DataLossError(absl::StrCat("the frontend has no run ", order.id, " any more"));
    RunLook look;
    if (Status begun = Begin(order, look); !begun.ok()) return begun;
    if (!look.lacking.empty()) return look;
    session = Open(order);
  }
  if (!session.ok()) return session.status();
  Session& run = **session;
  if (Status status = run.Look(); !status.ok()) return status;
  run.NoteLimit(since);
  if (run.was_cancelled())
    return absl::CancelledError(absl::StrCat("run ", order.id, " was cancelled"));
  if (Status status = run.Submit(since, anew); !status.ok()) return status;
  const RunLook look = run.look();
  if (look.stopped != Stopped::kNo && !look.over) {
    if (Status status = Cancel(order); !status.ok()) return status;
  }
  return look;
}

/// The run is begun, unless the workers that it takes are known to be missing.
Status FrontendRuns::Begin(const RunOrder& order, RunLook& look) {
  Result<cli::KnownRun> run = cli::NewRun(CommandOf(order), order.definition, globals_);
  if (absl::IsFailedPrecondition(run.status())) {
    look.lacking = std::string(run.status().message());
    return absl::OkStatus();
  }
  if (!run.ok()) return WithoutPlace(order.object, run.status());
  const auto workers = run::WorkersIfListed(frontend_, run->record.queue);
  if (!workers.ok()) return workers.status();
  if (*workers) {
    const auto& permutations = run->benchmark.expansion.permutations;
    const Status placed = run::CheckPlacement(permutations, {run->record.queue, **workers});
    if (absl::IsFailedPrecondition(placed)) {
      look.lacking = std::string(placed.message());
      return absl::OkStatus();
    }
    if (!placed.ok()) return placed;
    run->record.spread = run::CanSpread(permutations, **workers);
  }
  run->record.labels = {{kObjectLabel, order.object.substr(0, kLongestLabel)}};
  const Status created = cli::CreateRun(frontend_, run->record, run->benchmark);
  return absl::IsAlreadyExists(created) ? absl::OkStatus() : created;
}

/// Asks the frontend each time: it may have lost the run, or somebody may have cancelled it.
Result<std::shared_ptr<FrontendRuns::Session>> FrontendRuns::Open(const RunOrder& order) {
  const auto source = cli::OpenRuns(globals_);
  if (!source.ok()) return source.status();
  v1::GetRunRequest request;
  request.set_id(order.id);
  const Result<v1::Run> stored = (*source)->Get(request);
  if (absl::IsNotFound(stored.status())) Forget(order.id);
  if (!stored.ok()) return stored.status();
  const bool is_cancelled = stored->cancelled_unix_ns() != 0;
  if (auto known = Find(order.id)) {
    known->SetCancelled(is_cancelled);
    return known;
  }
  Result<cli::RunRecord> record = cli::RecordOf(*stored);
  if (!record.ok()) return record.status();
  Result<cli::KnownRun> run = cli::Expanded(*std::move(record));
  if (!run.ok()) return WithoutPlace(order.object, run.status());
  auto session = std::make_shared<Session>(globals_, *std::move(run));
  session->SetCancelled(is_cancelled);
  if (Status status = session->Attend(); !status.ok()) return status;
  return Keep(std::move(session));
}

Result<std::shared_ptr<FrontendRuns::Session>> FrontendRuns::Keep(
    std::shared_ptr<Session> session) {
  const MutexLock lock(mutex_);
  sessions_[session->id()] = session;
  return session;
}

std::shared_ptr<FrontendRuns::Session> FrontendRuns::Find(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto known = sessions_.find(id);
  return known == sessions_.end() ? nullptr : known->second;
}

Result<RunLook> FrontendRuns::Pause(const RunOrder& order) {
  const Result<std::shared_ptr<Session>> session = Open(order);
  if (absl::IsNotFound(session.status())) return RunLook{};
  if (!session.ok()) return session.status();
  Session& run = **session;
  if (Status status = run.Look(); !status.ok()) return status;
  if (Status status = run.Withdraw(); !status.ok()) return status;
  if (Status status = run.Look(); !status.ok()) return status;
  return run.look();
}

Status FrontendRuns::Cancel(const RunOrder& order) {
  v1::CancelRunRequest request;
  request.set_id(order.id);
  const Status status = frontend_.CancelRun(request).status();
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

Result<Results> FrontendRuns::Summary(const RunOrder& order) {
  const auto source = cli::OpenRuns(globals_);
  if (!source.ok()) return source.status();
  v1::RunResultsRequest request;
  request.set_id(order.id);
  Results results;
  const Status status = (*source)->Results(request, [&](const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& permutation : reply.permutations()) {
      for (const v1::MetricResult& metric : permutation.headlines()) {
        ++results.in_all;
        if (results.headlines.size() >= kMostHeadlines) continue;
        results.headlines.push_back(HeadlineOf(permutation, metric));
      }
    }
  });
  if (!status.ok()) return status;
  if (!TellsOfItsJob(order.of)) return results;
  Result<MeasuredJob> job = ReadJob(frontend_, order.id);
  const bool is_away = absl::IsUnavailable(job.status()) || absl::IsDeadlineExceeded(job.status());
  if (is_away) return job.status();
  // Else it has none for us: the run has ended as it has.
  if (job.ok()) results.job = std::make_shared<const MeasuredJob>(*std::move(job));
  return results;
}

void FrontendRuns::Forget(const std::string& id) {
  std::shared_ptr<Session> session;  // ends after the lock: it waits for its stream
  const MutexLock lock(mutex_);
  const auto known = sessions_.find(id);
  if (known == sessions_.end()) return;
  session = std::move(known->second);
  sessions_.erase(known);
}

}  // namespace twofold::benchmarks
