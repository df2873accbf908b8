#include "kubernetes/lifecycle/run.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <utility>

#include "kubernetes/lifecycle/evidence_of_run.h"
#include "kubernetes/lifecycle/fill.h"
#include "kubernetes/lifecycle/flow_control.h"

namespace twofold::lifecycle {
namespace {

Status InterruptedEarly() { return absl::CancelledError("interrupted before the first workload"); }

}  // namespace

Run::Run(kube::Access access, RunSettings settings, kube::WatchOptions watch)
    : access_(std::move(access)),
      settings_(std::move(settings)),
      watch_(watch),
      connection_(access_),
      observed_(*settings_.kind, settings_.name, AnchorNow()) {}

Run::~Run() = default;

Status Run::Execute(const Say& progress, Duration between) {
  if (const Status status = Begin(progress); !status.ok()) {
    return absl::IsCancelled(status) ? InterruptedEarly() : status;
  }
  const Status status = SendAndWatch(progress, between);
  EndEvents();
  const auto flows = submitter_->counts().throttled_by;
  if (!flows.empty()) flows_ = DescribeFlows(connection_, flows);
  if (journal_) journal_->Flush();
  return status;
}

Status Run::SendAndWatch(const Say& progress, Duration between) {
  submitter_ =
      std::make_unique<Submitter>(access_, settings_, watching_->record().resources, observed_);
  sends_ = true;
  guard_ =
      std::make_unique<StorageGuard>(access_, settings_.storage, [this] { submitter_->Cease(); });
  Status status = watching_->Await(
      [this](Instant now, const Progress&) { return SendingAt(now); },
      [&](Duration time, const Progress& look) { progress(ProgressLine(time, look)); }, between);
  guard_->Stop();
  submitter_->Stop();
  status.Update(guard_->verdict());
  end_ = Now();
  watching_->End(submitter_->counts());
  return status;
}

/// Events come late, so what the last workloads have caused is waited for.
void Run::EndEvents() {
  if (!events_) return;
  if (interruption_.Pause(Now())) events_->AwaitQuiet();
  events_->Stop();
}

void Run::Interrupt() {
  interruption_.Interrupt();
  connection_.Interrupt();
}

/// All that comes before the first workload.
Status Run::Begin(const Say& progress) {
  if (!interruption_.Pause(Now())) return InterruptedEarly();
  auto record = Prepare(connection_, settings_, observed_.anchor().UnixNs(Now()));
  if (!record.ok()) return record.status();
  if (const Status status = OpenJournal(); !status.ok()) return status;
  if (const Status status = CheckStorage(); !status.ok()) return status;
  if (!interruption_.Pause(Now())) return InterruptedEarly();
  const auto written = WriteRecord(connection_, *record);
  begun_ = !absl::IsFailedPrecondition(written.status());
  if (!written.ok()) return written.status();
  if (journal_) journal_->Write(HeadLine(*written));
  if (const Status status = FillFirst(*record, progress); !status.ok()) return status;
  WatchPlan plan{.record = *std::move(record), .end = settings_, .watch = watch_};
  plan.before.watchers.insert(plan.record.host);
  plan.canary = settings_.name;
  plan.is_sender = true;
  plan.journal = journal_.get();
  watching_ = std::make_unique<Watching>(access_, std::move(plan), observed_, interruption_);
  if (settings_.events) {
    events_ =
        std::make_unique<EventFollower>(access_, settings_.each.space, observed_.anchor(), watch_);
  }
  return watching_->Begin(connection_);
}

/// Nothing is begun that would be stopped at once.
Status Run::CheckStorage() {
  if (settings_.storage.quota == 0) return absl::OkStatus();
  const auto bytes = ReadStorageSize(connection_);
  return bytes.ok() ? CheckRoom(*bytes, settings_.storage) : absl::OkStatus();
}

/// Before the watches of what is measured, which so have nothing of it.
Status Run::FillFirst(const Record& record, const Say& progress) {
  if (settings_.fill == 0) return absl::OkStatus();
  auto fill = Fill(connection_, {access_, settings_, record, watch_, interruption_, progress});
  if (!fill.ok()) return fill.status();
  fill_ = *std::move(fill);
  return absl::OkStatus();
}

Status Run::OpenJournal() {
  if (settings_.journal.file.empty()) return absl::OkStatus();
  auto journal = Journal::Create(settings_.journal);
  if (!journal.ok()) return journal.status();
  journal_ = *std::move(journal);
  observed_.With([this](Observer& observer) {
    observer.SetHearer(HearerOf(*journal_, observed_.kind(), observed_.anchor()));
  });
  return absl::OkStatus();
}

Sending Run::SendingAt(Instant now) {
  if (!submitted_ && submitter_->Await(now)) {
    submitted_ = now;
    watching_->canaries().SayAllSent();
  }
  return {submitted_.has_value(), submitted_.value_or(now), submitter_->counts(),
          submitter_->failure()};
}

std::vector<std::string> Run::Notes() {
  std::vector<std::string> notes = watching_->notes();
  if (!flows_.empty()) notes.push_back(absl::StrCat("the API server's flow control: ", flows_));
  if (settings_.storage.quota == 0) return notes;
  if (const Status verdict = guard_->verdict(); !verdict.ok()) {
    notes.emplace_back(verdict.message());
  } else if (const Status blind = guard_->blind(); !blind.ok()) {
    notes.push_back(absl::StrCat("nobody watched how full etcd is: ", std::string(blind.message()),
                                 "; --etcd-quota 0 says that it need not be"));
  }
  return notes;
}

std::string Run::ProgressLine(Duration time, const Progress& look) {
  const SubmitCounts counts = submitter_->counts();
  return absl::StrFormat("%.0f s: %d of %d sent, %d created, %d late, %d throttled, %d not over",
                         ToSeconds(time), counts.sent, settings_.count, counts.created, counts.late,
                         counts.throttled, look.open);
}

std::optional<RunProgress> Run::progress() {
  if (!sends_) return std::nullopt;
  RunProgress progress;
  progress.planned = settings_.count;
  progress.submitted = submitter_->counts();
  progress.watch_breaks = watching_->breaks();
  progress.Add(observed_, settings_.until_ready);
  return progress;
}

std::optional<Outcome> Run::outcome() {
  if (!submitter_) return std::nullopt;
  Outcome outcome = OutcomeOf(
      observed_,
      {.record = watching_->record(), .tally = watching_->tally(), .end = end_, .notes = Notes()});
  outcome.report.fill = fill_;
  AddEvidence({*outcome.kind, outcome.lives, outcome.anchor, events_.get(), settings_.audit},
              outcome.report);
  return outcome;
}

Report Run::report() {
  auto all = outcome();
  return all ? std::move(all->report) : Report{};
}

std::vector<Life> Run::lives() {
  return observed_.With([](Observer& observer) { return observer.lives(); });
}

}  // namespace twofold::lifecycle
