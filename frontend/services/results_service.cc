#include "frontend/services/results_service.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>
#include <vector>

#include "frontend/queues/records.h"
#include "lib/results/result_messages.h"

namespace twofold::frontend {
namespace {

// Jobs that are cancelled under one lock of their queue.
constexpr std::size_t kCancelStep = 500;

constexpr std::size_t kMostWho = 200;  // bytes

/// The next ids of the run's jobs in this queue. `from` is where to go on; 0: the queue has no
/// more.
std::vector<queue::JobId> NextJobs(const QueueHost::Turn& turn, const std::string& run,
                                   std::uint32_t* from) {
  std::vector<queue::JobId> jobs;
  const queue::JobPage page{.from = *from, .limit = kCancelStep, .run = run};
  *from = turn.core().List(turn.now(), page,
                           [&](const queue::JobView& view) { jobs.push_back(view.job); });
  return jobs;
}

/// An AttendRun call: says once that the run is taken, and keeps it until the caller goes.
class AttendRunCall final : public rpc::OneRequestCall<v1::AttendRunRequest, v1::AttendRunReply> {
 public:
  explicit AttendRunCall(AttendedRuns& runs) : runs_(runs) {}

 private:
  void OnRequest(const v1::AttendRunRequest& request) override {
    auto run = runs_.Enter(request);
    if (!run.ok()) return Close(rpc::ToGrpc(run.status()));
    run_ = *std::move(run);
    Add([](v1::AttendRunReply&) { return std::size_t{1}; });
    Flush();
  }

  void OnGone() override { run_.reset(); }

  AttendedRuns& runs_;
  AttendedRuns::Place run_;
};

}  // namespace

Result<AttendedRuns::Place> AttendedRuns::Enter(const v1::AttendRunRequest& request) {
  const std::string& run = request.id();
  if (run.empty()) return absl::InvalidArgumentError("id: which run?");
  if (run.size() > rpc::kMaxNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat("id has ", run.size(), " bytes; at most ",
                                                   rpc::kMaxNameBytes, " are allowed"));
  }
  if (request.who().size() > kMostWho) {
    return absl::InvalidArgumentError(absl::StrCat("who: at most ", kMostWho, " bytes"));
  }
  const MutexLock lock(mutex_);
  const auto [entry, entered] = who_.emplace(run, request.who());
  if (!entered) {
    return absl::AlreadyExistsError(
        absl::StrCat("run ", run, " is looked after by ", entry->second, " already"));
  }
  return Place(nullptr, [this, run](void*) { Leave(run); });
}

void AttendedRuns::Leave(const std::string& run) {
  const MutexLock lock(mutex_);
  who_.erase(run);
}

ResultsService::ResultsService(const QueueSet& queues, Storage* storage, OpenCalls& calls,
                               ReaderPool& readers)
    : Service(v1::Results::service_full_name(), calls, readers),
      queues_(queues),
      storage_(storage) {
  Stream("CreateRun", &ResultsService::CreateRun);
  Read("ListRuns", &ResultsService::ListRuns);
  Read("GetRun", &ResultsService::GetRun);
  Pull("RunResults", &ResultsService::RunResults);
  Pull("GetArtifact", &ResultsService::GetArtifact);
  Pull("ExportRun", &ResultsService::ExportRun);
  Stream("AttendRun", &ResultsService::AttendRun);
  Wait("CancelRun", &ResultsService::CancelRun);
}

void ResultsService::Start() {
  if (storage_ == nullptr) return;
  exporter_ = std::make_unique<RunExporter>(storage_->run_reader(),
                                            storage_->run_reader().path() + ".export");
  creator_ = std::make_unique<RunCreator>(storage_->run_reader(), storage_->journal());
}

Status ResultsService::HasStore() const {
  if (storage_ != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "this frontend keeps no runs; start it with --store sqlite:PATH");
}

Status ResultsService::CanStore() const { return queues_.all().front()->CanStore(); }

Result<std::shared_ptr<ResultsService::CreateCall>> ResultsService::CreateRun() {
  if (Status status = HasStore(); !status.ok()) return status;
  return MakeCreateRunCall(*creator_, readers(), [this] { return CanStore(); });
}

Result<v1::ListRunsReply> ResultsService::ListRuns(const v1::ListRunsRequest& request) {
  if (Status status = HasStore(); !status.ok()) return status;
  return storage_->run_reader().List(request);
}

Result<v1::Run> ResultsService::GetRun(const v1::GetRunRequest& request) {
  if (Status status = HasStore(); !status.ok()) return status;
  return storage_->run_reader().Find(request.id());
}

/// A place among those who read results.
Result<std::shared_ptr<Budget::Share>> ResultsService::EnterReader() {
  if (Status status = HasStore(); !status.ok()) return status;
  auto share = std::make_shared<Budget::Share>(readers_open_);
  if (share->Grow(1)) return share;
  return absl::ResourceExhaustedError(
      absl::StrCat(rpc::kMaxResultReaders, " streams of results are open; try again later"));
}

Result<NextMessage<v1::RunResultsReply>> ResultsService::RunResults(
    const v1::RunResultsRequest& request) {
  const auto reader = EnterReader();
  if (!reader.ok()) return reader.status();
  auto messages = results::ResultMessages::Of(storage_->run_reader(), request);
  if (!messages.ok()) return messages.status();
  const auto all = std::make_shared<results::ResultMessages>(*std::move(messages));
  return NextMessage<v1::RunResultsReply>([all, place = *reader] { return all->Next(); });
}

Result<NextMessage<v1::ArtifactPiece>> ResultsService::GetArtifact(
    const v1::GetArtifactRequest& request) {
  const auto reader = EnterReader();
  if (!reader.ok()) return reader.status();
  auto found = results::GetArtifact(storage_->run_reader(), request);
  if (!found.ok()) return found.status();
  const auto pieces = std::make_shared<std::vector<v1::ArtifactPiece>>(*std::move(found));
  return NextMessage<v1::ArtifactPiece>(
      [pieces, place = *reader,
       at = std::size_t{0}]() mutable -> Result<std::optional<v1::ArtifactPiece>> {
        if (at == pieces->size()) return std::nullopt;
        return std::move((*pieces)[at++]);
      });
}

Result<NextMessage<v1::ExportPiece>> ResultsService::ExportRun(
    const v1::ExportRunRequest& request) {
  if (Status status = HasStore(); !status.ok()) return status;
  return exporter_->Open(request.id());
}

Result<std::shared_ptr<ResultsService::AttendCall>> ResultsService::AttendRun() {
  if (Status status = HasStore(); !status.ok()) return status;
  return std::make_shared<AttendRunCall>(attended_);
}

void ResultsService::CancelRun(const v1::CancelRunRequest& request,
                               const std::shared_ptr<CancelCall>& call) {
  Status status = HasStore();
  if (status.ok()) status = CanStore();
  if (!status.ok()) return call->Answer(status);
  OnReader(call, [this, run = request.id(), call] { Cancel(run, call); });
}

void ResultsService::Cancel(const std::string& run, const std::shared_ptr<CancelCall>& call) {
  v1::GetRunRequest get;
  get.set_id(run);
  auto known = GetRun(get);
  if (!known.ok()) return call->Answer(known.status());
  v1::CancelRunReply cancelled;
  *cancelled.mutable_run() = *std::move(known);
  cancelled.set_cancelled(CancelJobs(run));
  storage_->journal().Append({results::RunCancelled{run, UnixNowNs()}},
                             [call, cancelled = std::move(cancelled)] { call->Answer(cancelled); });
}

/// Jobs that are submitted meanwhile may be missed: who submits them looks at the run.
std::uint64_t ResultsService::CancelJobs(const std::string& run) {
  std::uint64_t cancelled = 0;
  for (const auto& host : queues_.all()) {
    std::uint32_t from = 0;
    do {
      QueueHost::Turn turn(*host, Now());
      for (const queue::JobId job : NextJobs(turn, run, &from)) {
        if (turn.Cancel(job)) ++cancelled;
      }
    } while (from != 0);
  }
  return cancelled;
}

}  // namespace twofold::frontend
