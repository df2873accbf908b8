#include <absl/strings/str_cat.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/services/changes.h"
#include "frontend/services/run_calls.h"
#include "frontend/services/services.h"
#include "lib/common/counted.h"
#include "lib/common/instant.h"
#include "lib/common/task.h"
#include "lib/results/result_messages.h"
#include "lib/rpc/limits.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {
namespace {

// Jobs that are cancelled under one lock of their queue.
constexpr std::size_t kCancelStep = 500;

constexpr std::size_t kMostOfId = 80;  // bytes of a run's id in an error

/// A place among those who read results.
Result<std::shared_ptr<Budget::Share>> EnterReader(Budget& readers) {
  auto share = std::make_shared<Budget::Share>(readers);
  if (share->Grow(1)) return share;
  return absl::ResourceExhaustedError(
      absl::StrCat(rpc::kMaxResultReaders, " streams of results are open; try again later"));
}

Result<NextMessage<v1::RunResultsReply>> RunResults(Budget& readers, const results::RunReader& runs,
                                                    const v1::RunResultsRequest& request) {
  const auto reader = EnterReader(readers);
  if (!reader.ok()) return reader.status();
  auto messages = results::ResultMessages::Of(runs, request);
  if (!messages.ok()) return messages.status();
  const auto all = std::make_shared<results::ResultMessages>(*std::move(messages));
  return NextMessage<v1::RunResultsReply>([all, place = *reader] { return all->Next(); });
}

Result<NextMessage<v1::ArtifactPiece>> GetArtifact(Budget& readers, const results::RunReader& runs,
                                                   const v1::GetArtifactRequest& request) {
  const auto reader = EnterReader(readers);
  if (!reader.ok()) return reader.status();
  auto found = results::GetArtifact(runs, request);
  if (!found.ok()) return found.status();
  const auto pieces = std::make_shared<std::vector<v1::ArtifactPiece>>(*std::move(found));
  return NextMessage<v1::ArtifactPiece>(
      [pieces, place = *reader,
       at = std::size_t{0}]() mutable -> Result<std::optional<v1::ArtifactPiece>> {
        if (at == pieces->size()) return std::nullopt;
        return std::move((*pieces)[at++]);
      });
}

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

std::uint64_t CancelJobs(const QueueSet& queues, const std::string& run) {
  std::uint64_t cancelled = 0;
  for (const auto& host : queues.all()) {
    std::uint32_t from = 0;
    do {
      QueueHost::Turn turn(*host, Now());
      for (const queue::JobId job : NextJobs(turn, run, &from)) {
        const bool is_elsewhere = IsDurable(job) && !turn.served();
        if (!is_elsewhere && turn.Cancel(job)) ++cancelled;
      }
    } while (from != 0);
  }
  return cancelled;
}

Status HasStore(const Storage* storage) {
  if (storage != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "this frontend keeps no runs; start it with --store sqlite:PATH");
}

}  // namespace

void CancelRun(const QueueSet& queues, Storage* storage, const std::string& run,
               std::function<void(Result<v1::CancelRunReply>)> done) {
  v1::CancelRunReply cancelled;
  if (storage != nullptr) {
    if (const Status status = CanWrite(&storage->journal()); !status.ok()) return done(status);
    auto known = storage->run_reader().Find(run);
    if (!known.ok() && !absl::IsNotFound(known.status())) return done(known.status());
    if (known.ok()) *cancelled.mutable_run() = *std::move(known);
  }
  cancelled.set_cancelled(CancelJobs(queues, run));
  if (!cancelled.has_run()) return done(cancelled);
  storage->journal().Append(
      {results::RunCancelled{run, UnixNowNs()}},
      [done = std::move(done), cancelled = std::move(cancelled)] { done(cancelled); });
}

Status IsKnown(const v1::CancelRunReply& cancelled, const std::string& run, bool keeps_runs) {
  if (cancelled.has_run() || cancelled.cancelled() > 0) return absl::OkStatus();
  const std::string name = absl::StrCat("'", run.substr(0, kMostOfId), "'");
  if (keeps_runs) return absl::NotFoundError(absl::StrCat("id: there is no run ", name));
  return absl::NotFoundError(absl::StrCat("id: no job of run ", name,
                                          " waits or runs, and this "
                                          "frontend keeps no runs (--store) that have ended"));
}

namespace {

// Jobs that are deleted in one commit, so that others wait for none too long.
constexpr std::size_t kDeleteStep = 500;

// Of several frontends that share a database, who serves a queue looks for so long whether it still
// has what was committed last.
constexpr Duration kSettled = std::chrono::seconds(5);

std::uint64_t JobsOf(const v1::Run& run) {
  const v1::RunCounts& counts = run.counts();
  std::uint64_t jobs = counts.submitted_again();
  for (const auto& [outcome, count] : counts.ended()) jobs += count;
  return jobs;
}

/// Errors   kNotFound: it is not there; kFailedPrecondition: it has jobs that have not ended.
Result<v1::Run> FindEnded(const Storage& storage, const std::string& run) {
  Result<v1::Run> known = storage.run_reader().Find(run);
  if (!known.ok()) return known;
  const std::uint64_t unfinished = known->counts().waiting() + known->counts().running();
  if (unfinished == 0) return known;
  return absl::FailedPreconditionError(
      absl::StrCat("id: ", Counted(unfinished, "job"), " of the run wait or run; cancel it first"));
}

/// Deletes a run, commit by commit. Blocks on the store.
Task<Result<v1::DeleteRunReply>> Deletion(Storage& storage, std::string run) {
  const Result<v1::Run> known = FindEnded(storage, run);
  if (!known.ok()) co_return known.status();
  for (;;) {
    const Later<> commit([&](auto done) {
      storage.journal().Append({results::RunDeleted{run, kDeleteStep}},
                               [done = std::move(done)] { done(absl::OkStatus()); });
    });
    const Status committed = co_await commit;
    if (!committed.ok()) co_return committed;
    const Result<v1::Run> left = FindEnded(storage, run);
    if (absl::IsNotFound(left.status())) break;
    if (!left.ok()) co_return left.status();
  }
  v1::DeleteRunReply reply;
  *reply.mutable_run() = *known;
  reply.set_jobs(JobsOf(*known));
  co_return reply;
}

Status CheckUnattended(AttendedRuns& attended, const std::string& run) {
  const MutexLock lock(attended.mutex);
  const auto found = attended.who.find(run);
  if (found == attended.who.end()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("id: the run is looked after by ", found->second));
}

/// Of a database that several frontends share.
Status CheckSettled(const Storage& storage, const std::string& run) {
  if (storage.shared() == nullptr) return absl::OkStatus();
  const Result<v1::Run> known = storage.run_reader().Find(run);
  if (!known.ok()) return known.status();
  if (UnixNowNs() - known->ended_unix_ns() >= kSettled.count()) return absl::OkStatus();
  return absl::FailedPreconditionError("id: the run has just ended; try again in some seconds");
}

}  // namespace

void DeleteRun(Storage& storage, AttendedRuns& attended, const std::string& run,
               std::function<void(Result<v1::DeleteRunReply>)> done) {
  Status status = CanWrite(&storage.journal());
  status.Update(CheckUnattended(attended, run));
  if (status.ok()) status = CheckSettled(storage, run);
  if (!status.ok()) return done(status);
  Start(Deletion(storage, run), std::move(done));
}

ResultsService::ResultsService(const QueueSet& queues, Storage* storage, OpenCalls& calls,
                               ReaderPool& readers)
    : Service("twofold.v1.Results", calls, readers) {
  Gathered<v1::CancelRunRequest, v1::CancelRunReply>(
      "CancelRun",
      {.begin = [&queues, storage](
                    auto& asked,
                    auto done) { CancelRun(queues, storage, asked.request.id(), std::move(done)); },
       .merge = [](auto& all,
                   const auto& one) { all.set_cancelled(all.cancelled() + one.cancelled()); },
       .arrange = [storage](auto& request,
                            auto& all) { return IsKnown(all, request.id(), storage != nullptr); }});
  RefuseWhatFollows(HasStore(storage));
  const std::shared_ptr<RunCreation> creation(new RunCreation{queues, storage, readers});
  Stream("CreateRun", [creation](auto& info) { return MakeCreateRunCall(creation, info.host); });
  Local<v1::ListRunsRequest, v1::ListRunsReply>("ListRuns", {.read = [storage](auto& request) {
                                                  return storage->run_reader().List(request);
                                                }});
  Local<v1::GetRunRequest, v1::Run>("GetRun", {.read = [storage](auto& request) {
                                      return storage->run_reader().Find(request.id());
                                    }});
  const auto open = std::make_shared<Budget>(rpc::kMaxResultReaders);
  Pull<v1::RunResultsRequest, v1::RunResultsReply>("RunResults", [storage, open](auto& request) {
    return RunResults(*open, storage->run_reader(), request);
  });
  Pull<v1::GetArtifactRequest, v1::ArtifactPiece>("GetArtifact", [storage, open](auto& request) {
    return GetArtifact(*open, storage->run_reader(), request);
  });
  const auto exporter = std::make_shared<RunExporter>();
  Pull<v1::ExportRunRequest, v1::ExportPiece>("ExportRun", [storage, exporter](auto& request) {
    return exporter->Open(storage->run_reader(), request.id());
  });
  const auto attended = std::make_shared<AttendedRuns>();
  Local<v1::DeleteRunRequest, v1::DeleteRunReply>(
      "DeleteRun", {.begin = [storage, attended](auto& asked, auto done) {
        DeleteRun(*storage, *attended, asked.request.id(), std::move(done));
      }});
  Stream("AttendRun", [this, attended, &queues](auto& info) {
    return MakeAttendRunCall(attended, queues, peers(), CallerOf(info));
  });
}

}  // namespace twofold::frontend
