#include "kubernetes/lifecycle/run.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kubernetes/lifecycle/evidence_of_run.h"
#include "kubernetes/lifecycle/journal/replay.h"
#include "lib/common/host_name.h"

namespace twofold::lifecycle {
namespace {

constexpr Duration kBetweenFillLines = std::chrono::seconds(5);

Status InterruptedEarly() { return absl::CancelledError("interrupted before the first workload"); }

}  // namespace

Run::Run(kube::Access access, RunPlan plan, kube::WatchOptions watch)
    : access_(std::move(access)),
      plan_(std::move(plan)),
      watch_(watch),
      anchor_(AnchorNow()),
      connection_(access_) {}

Run::~Run() = default;

void Run::Interrupt() {
  interruption_.Interrupt();
  connection_.Interrupt();
}

Status Run::Execute(const Say& say, Duration between) {
  Status status = Begin(say);
  if (status.ok()) {
    started_at_ = Now();
    phase_->Start();
    started_ = true;
    status = phase_->Await(say, between);
  } else if (plan_.sends && absl::IsCancelled(status)) {
    status = InterruptedEarly();
  }
  end_ = Now();
  End();
  return status;
}

// ---- all that comes before the first workload or event

Status Run::Begin(const Say& say) {
  if (!interruption_.Pause(Now())) return InterruptedEarly();
  PhasePlan phase{
      .watches = plan_.watches, .settle = FromSeconds(plan_.spec.settle()), .watch = watch_};
  const Status status = plan_.sends ? MakeRun(say, phase) : JoinRun(phase);
  if (!status.ok()) return status;
  phase.journal = journal_.get();
  phase.before.watchers.insert(HostName());
  phase_ = std::make_unique<Phase>(access_, std::move(phase), *observed_, interruption_);
  if (plan_.events) {
    events_ = std::make_unique<EventFollower>(access_, plan_.run.space, anchor_, watch_);
  }
  return phase_->Begin(connection_);
}

Status Run::MakeRun(const Say& say, PhasePlan& phase) {
  auto sending = SendingOf(plan_);
  if (!sending.ok()) return sending.status();
  sending_ = *std::move(sending);
  if (Status status = Observe(*sending_->kind, phase); !status.ok()) return status;
  auto record = Prepare(connection_, *sending_, anchor_.UnixNs(Now()));
  if (!record.ok()) return record.status();
  if (Status status = MakeRecord(*record); !status.ok()) return status;
  if (Status status = FillFirst(*record, say); !status.ok()) return status;
  phase.record = *std::move(record);
  phase.sends = &*sending_;
  phase.canary = plan_.run.name;
  return absl::OkStatus();
}

Status Run::Observe(const Kind& kind, PhasePlan& phase) {
  observed_ = std::make_unique<Observed>(kind, plan_.run.name, anchor_);
  const auto until_ready = IsUntilReady(plan_.spec, kind);
  if (until_ready.ok()) phase.until_ready = *until_ready;
  return until_ready.status();
}

/// Nothing is begun that would be stopped at once.
Status Run::MakeRecord(const Record& record) {
  Status status = plan_.journal.file.empty() ? absl::OkStatus() : CreateJournal();
  if (status.ok()) status = CheckRoom(connection_, plan_.etcd);
  if (!status.ok()) return status;
  if (!interruption_.Pause(Now())) return InterruptedEarly();
  const auto written = WriteRecord(connection_, record);
  begun_ = !absl::IsFailedPrecondition(written.status());
  if (written.ok() && journal_) journal_->Write(HeadLine(*written));
  return written.status();
}

/// Before the watches of what is measured, which so have nothing of it.
Status Run::FillFirst(const Record& record, const Say& say) {
  if (plan_.spec.fill() == 0) return absl::OkStatus();
  const SendPlan filling = FillingOf(*sending_);
  Observed observed(*filling.kind, plan_.run.name, AnchorNow());
  Phase phase(access_,
              {.record = record,
               .sends = &filling,
               .until_ready = true,
               .settle = FromSeconds(plan_.spec.settle()),
               .watch = watch_,
               .canary = plan_.run.name},
              observed, interruption_);
  if (Status status = phase.Begin(connection_); !status.ok()) return status;
  phase.Start();
  if (Status status = phase.Await(say, kBetweenFillLines); !status.ok()) return status;
  phase.End();
  const Instant end = Now();
  fill_ =
      observed.With([&](Observer& observer) { return SaturationOf(*filling.kind, observer, end); });
  return absl::OkStatus();
}

/// Of a run that another process has made.
Status Run::JoinRun(PhasePlan& phase) {
  auto found = FindRun(connection_, plan_.run);
  if (!found.ok()) return found.status();
  const auto kind = FindKind(found->record.kind);
  if (!kind.ok()) return kind.status();
  Status status = Observe(**kind, phase);
  if (status.ok()) status = OpenJournal(*found, phase.before);
  if (status.ok()) status = ExpectAll(found->record);
  if (!status.ok()) return status;
  auto canary = MakeCanary(connection_, found->record);
  if (!canary.ok()) return canary.status();
  canary_ = kube::ObjectName{plan_.run.space, *canary};
  phase.record = std::move(found->record);
  phase.canary = *std::move(canary);
  return absl::OkStatus();
}

/// Goes on with the journal, if it is there.
Status Run::OpenJournal(const FoundRun& found, Tally& before) {
  if (plan_.journal.file.empty()) return absl::OkStatus();
  if (!std::filesystem::exists(plan_.journal.file)) {
    if (Status status = CreateJournal(); !status.ok()) return status;
    journal_->Write(HeadLine(found.object));
    return absl::OkStatus();
  }
  auto continued = ContinueJournal(plan_.journal, found.record, anchor_);
  if (!continued.ok()) return continued.status();
  journal_ = std::move(continued->journal);
  observed_ = std::move(continued->observed);
  before = std::move(continued->tally);
  ListenForJournal();
  observed_->With([](Observer& observer) { observer.Tell(input::Resume{Now()}); });
  return absl::OkStatus();
}

Status Run::CreateJournal() {
  auto journal = Journal::Create(plan_.journal);
  if (!journal.ok()) return journal.status();
  journal_ = *std::move(journal);
  ListenForJournal();
  return absl::OkStatus();
}

void Run::ListenForJournal() {
  observed_->With([this](Observer& observer) {
    observer.SetHearer(HearerOf(*journal_, observed_->kind(), anchor_));
  });
}

/// Announces all that the record says, so that pods are known whichever of their objects comes
/// first.
Status Run::ExpectAll(const Record& record) {
  const Instant begin = std::min(anchor_.At(record.began_ns), Now());
  return observed_->With([&](Observer& observer) {
    for (std::uint32_t i = 0; i < record.count; ++i) {
      const std::string name = WorkloadName(record.run, i);
      const Status status = observer.Tell(input::Expect{
          record.space, name, record.slots, begin, {.wave = 0, .claims = record.claims}});
      if (!status.ok() && !absl::IsAlreadyExists(status)) return status;
    }
    return absl::OkStatus();
  });
}

// ---- and after the last

void Run::End() {
  if (phase_) phase_->End();
  // Events come late, so what the last workloads have caused is waited for.
  if (events_ && started_ && interruption_.Pause(Now())) events_->AwaitQuiet();
  if (events_) events_->Stop();
  if (journal_) journal_->Flush();
  if (canary_) RemoveCanary();
  if (!started_) return;
  if (!plan_.watches) SayAllSent();
  const auto flows = phase_->counts().throttled_by;
  if (!flows.empty()) flows_ = DescribeFlows(connection_, flows);
}

/// By a connection that was not interrupted.
void Run::SayAllSent() {
  const Status said =
      kube::Connection(access_)
          .Do(kube::Patch(kube::kConfigMaps, plan_.run, kube::PatchKind::kMerge, AllSentPatch()))
          .status();
  if (said.ok()) return;
  spdlog::warn("watchers will wait for more, as the record does not say that all is sent: {}",
               std::string(said.message()));
}

void Run::RemoveCanary() {
  const Status gone =
      kube::Connection(access_).Do(kube::Delete(kube::kConfigMaps, *canary_)).status();
  if (gone.ok() || absl::IsNotFound(gone)) return;
  spdlog::warn("our canary is left, `twofold lifecycle clean` takes it with the run: {}",
               std::string(gone.message()));
}

// ---- what it has come to

std::optional<RunProgress> Run::progress() {
  if (!started_) return std::nullopt;
  RunProgress progress;
  progress.planned = plan_.spec.count();
  progress.submitted = phase_->counts();
  progress.watch_breaks = phase_->breaks();
  progress.Add(*observed_, IsUntilReady(plan_.spec, observed_->kind()).value_or(false));
  return progress;
}

std::optional<Outcome> Run::outcome() {
  if (!started_) return std::nullopt;
  std::vector<std::string> notes = phase_->notes();
  if (!flows_.empty()) notes.push_back(absl::StrCat("the API server's flow control: ", flows_));
  Outcome outcome = OutcomeOf(*observed_, {.record = phase_->record(),
                                           .tally = phase_->tally(),
                                           .end = end_,
                                           .notes = std::move(notes)});
  outcome.report.fill = fill_;
  if (plan_.sends) AddEvidence(events_.get(), plan_.audit, outcome);
  return outcome;
}

}  // namespace twofold::lifecycle
