#include "frontend/results_service.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "frontend/records.h"
#include "lib/rpc/late_reply.h"
#include "lib/rpc/unary.h"
#include "lib/runs/run_messages.h"

namespace twofold::frontend {
namespace {

// Jobs that are cancelled under one lock of their queue.
constexpr std::size_t kCancelStep = 500;

/// The next ids of the run's jobs in this queue. `from` is where to go on; 0: the queue has no
/// more.
std::vector<queue::JobId> NextJobs(const QueueHost::Turn& turn, Instant now, const std::string& run,
                                   std::uint32_t* from) {
  std::vector<queue::JobId> jobs;
  const queue::JobPage page{.from = *from, .limit = kCancelStep, .run = run};
  *from =
      turn.core().List(now, page, [&](const queue::JobView& view) { jobs.push_back(view.job); });
  return jobs;
}

}  // namespace

ResultsService::ResultsService(const QueueSet& queues, Storage* storage, OpenCalls& calls)
    : rpc::Service(v1::Results::service_full_name()),
      queues_(queues),
      storage_(storage),
      calls_(calls) {
  Serve("CreateRun", &ResultsService::CreateRun);
  Serve("ListRuns", &ResultsService::ListRuns);
  Serve("GetRun", &ResultsService::GetRun);
  Serve("RunResults", &ResultsService::RunResults);
  Serve("GetArtifact", &ResultsService::GetArtifact);
  Serve("ExportRun", &ResultsService::ExportRun);
  Serve("AttendRun", &ResultsService::AttendRun);
  Serve("CancelRun", &ResultsService::CancelRun);
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

rpc::ByteReader* ResultsService::CreateRun(grpc::CallbackServerContext* context,
                                           grpc::ByteBuffer* reply) {
  if (const Status status = HasStore(); !status.ok())
    return rpc::Refuse<rpc::ByteReader>(rpc::ToGrpc(status));
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return rpc::Refuse<rpc::ByteReader>(calls_.Refusal());
  return ServeCreateRun(
      *creator_, [this] { return CanStore(); }, std::move(place), reply);
}

Result<v1::ListRunsReply> ResultsService::List(const v1::ListRunsRequest& request) {
  if (Status status = HasStore(); !status.ok()) return status;
  return runs::ListRuns(storage_->run_reader(), request);
}

Result<v1::Run> ResultsService::Get(const v1::GetRunRequest& request) {
  if (Status status = HasStore(); !status.ok()) return status;
  return runs::GetRun(storage_->run_reader(), request);
}

grpc::ServerUnaryReactor* ResultsService::ListRuns(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &ResultsService::List);
}

grpc::ServerUnaryReactor* ResultsService::GetRun(grpc::CallbackServerContext* context,
                                                 const grpc::ByteBuffer* request,
                                                 grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &ResultsService::Get);
}

template <typename Request, typename Answer>
ByteWriter* ResultsService::Open(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* bytes, const Answer& answer) {
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return RefusedStream::Start(calls_.Refusal());
  Request request;
  Status status = HasStore();
  if (status.ok()) status = rpc::Parse(*bytes, request);
  if (!status.ok()) return RefusedStream::Start(rpc::ToGrpc(status));
  return answer(request, std::move(place));
}

template <typename Message>
ByteWriter* ResultsService::Pull(grpc::CallbackServerContext* context,
                                 typename PulledStream<Message>::Next next,
                                 std::shared_ptr<void> call) {
  const auto reader = std::make_shared<Budget::Share>(readers_);
  if (!reader->Grow(1)) {
    return RefusedStream::Start(
        {grpc::StatusCode::RESOURCE_EXHAUSTED,
         absl::StrCat(rpc::kMaxResultReaders, " streams of results are open; try again later")});
  }
  const auto held = [next = std::move(next), reader] { return next(); };
  return PulledStream<Message>::Start(context, held, std::move(call));
}

ByteWriter* ResultsService::RunResults(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* bytes) {
  return Open<v1::RunResultsRequest>(context, bytes, [&](const auto& request, auto place) {
    auto messages = runs::ResultMessages::Of(storage_->run_reader(), request);
    if (!messages.ok()) return RefusedStream::Start(rpc::ToGrpc(messages.status()));
    const auto all = std::make_shared<runs::ResultMessages>(*std::move(messages));
    return Pull<v1::RunResultsReply>(
        context, [all] { return all->Next(); }, std::move(place));
  });
}

ByteWriter* ResultsService::GetArtifact(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* bytes) {
  return Open<v1::GetArtifactRequest>(context, bytes, [&](const auto& request, auto place) {
    auto found = runs::GetArtifact(storage_->run_reader(), request);
    if (!found.ok()) return RefusedStream::Start(rpc::ToGrpc(found.status()));
    const auto pieces = std::make_shared<std::vector<v1::ArtifactPiece>>(*std::move(found));
    const auto next = [pieces,
                       at = std::size_t{0}]() mutable -> Result<std::optional<v1::ArtifactPiece>> {
      if (at == pieces->size()) return std::nullopt;
      return std::move((*pieces)[at++]);
    };
    return Pull<v1::ArtifactPiece>(context, next, std::move(place));
  });
}

ByteWriter* ResultsService::ExportRun(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* bytes) {
  return Open<v1::ExportRunRequest>(context, bytes, [&](const auto& request, auto place) {
    return exporter_->Start(context, request.id(), std::move(place));
  });
}

ByteWriter* ResultsService::AttendRun(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* bytes) {
  return Open<v1::AttendRunRequest>(context, bytes, [this](const auto& request, auto place) {
    auto run = attended_.Enter(request);
    if (!run.ok()) return RefusedStream::Start(rpc::ToGrpc(run.status()));
    return ServeAttendRun(std::move(place), *std::move(run));
  });
}

grpc::ServerUnaryReactor* ResultsService::CancelRun(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* bytes,
                                                    grpc::ByteBuffer* reply) {
  v1::CancelRunRequest request;
  Status status = rpc::Parse(*bytes, request);
  if (status.ok()) status = HasStore();
  if (status.ok()) status = CanStore();
  if (!status.ok()) return rpc::Finish(context, rpc::ToGrpc(status));
  v1::GetRunRequest get;
  get.set_id(request.id());
  auto run = Get(get);
  if (!run.ok()) return rpc::Finish(context, rpc::ToGrpc(run.status()));
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return rpc::Finish(context, calls_.Refusal());
  const auto late = rpc::LateReply::Make(*reply);
  late->Hold(std::move(place));
  v1::CancelRunReply cancelled;
  *cancelled.mutable_run() = *std::move(run);
  cancelled.set_cancelled(CancelJobs(request.id()));
  storage_->journal().Append({results::RunCancelled{request.id(), UnixNowNs()}},
                             [late, cancelled = std::move(cancelled)] { late->Answer(cancelled); });
  return late.get();
}

/// Jobs that are submitted meanwhile may be missed: who submits them looks at the run.
std::uint64_t ResultsService::CancelJobs(const std::string& run) {
  std::uint64_t cancelled = 0;
  for (const auto& host : queues_.all()) {
    std::uint32_t from = 0;
    do {
      const Instant now = Now();
      QueueHost::Turn turn(*host, now);
      for (const queue::JobId job : NextJobs(turn, now, run, &from)) {
        if (turn.Cancel(job)) ++cancelled;
      }
    } while (from != 0);
  }
  return cancelled;
}

}  // namespace twofold::frontend
