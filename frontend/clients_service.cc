#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/duration.pb.h>

#include <algorithm>

#include "frontend/client_session.h"
#include "frontend/convert.h"
#include "frontend/services.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/retry_info.h"

namespace twofold::frontend {
namespace {

constexpr std::size_t kDefaultPage = 100;
constexpr std::size_t kMaxPage = 1000;
constexpr Duration kRetryAfter = std::chrono::milliseconds(100);

grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, const Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(rpc::ToGrpc(status));
  return reactor;
}

// Answers when the job has ended. The caller may lose patience first; the job goes on.
class WaitReactor final : public grpc::ServerUnaryReactor {
 public:
  WaitReactor(FinishedJobs& finished, v1::Job& reply) : finished_(finished), reply_(reply) {}

  void WaitFor(queue::JobId job, const std::string& queue) {
    job_ = job;
    finished_.WhenFinished(job, [this, queue](const v1::Job& ended) {
      reply_ = ended;
      reply_.set_queue(queue);
      Finish(grpc::Status::OK);
    });
  }

  void OnCancel() override {
    if (finished_.StopWaiting(job_)) Finish(grpc::Status::CANCELLED);
  }

  void OnDone() override { delete this; }

 private:
  FinishedJobs& finished_;
  v1::Job& reply_;
  std::atomic<queue::JobId> job_ = queue::JobId{0};
};

grpc::Status Refused(queue::Admission admission, const std::string& queue) {
  if (admission == queue::Admission::kFull) {
    return rpc::FullStatus(absl::StrCat("queue ", queue, " is full, try again later"), kRetryAfter);
  }
  return {grpc::StatusCode::FAILED_PRECONDITION,
          absl::StrCat("queue ", queue, " drains, it takes no more jobs; resume it first")};
}

Status CheckSpec(const std::string& spec) {
  if (spec.size() <= rpc::kMaxSpecBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("spec has ", spec.size(), " bytes; at most ",
                                                 rpc::kMaxSpecBytes, " are allowed"));
}

v1::Job Describe(const QueueHost::Turn& turn, const QueueHost& host, const queue::JobView& view) {
  return ToProto(view, host.name(), view.running ? turn.Identity(view.process) : nullptr);
}

// "QUEUE:JOB": where the last page ended.
struct PageStart {
  std::size_t queue = 0;
  queue::JobId after{0};
};

Result<PageStart> ParsePage(const std::string& token) {
  if (token.empty()) return PageStart{};
  const std::size_t colon = token.find(':');
  std::uint64_t queue = 0;
  std::uint64_t job = 0;
  if (colon == std::string::npos || !absl::SimpleAtoi(token.substr(0, colon), &queue) ||
      !absl::SimpleAtoi(token.substr(colon + 1), &job)) {
    return absl::InvalidArgumentError("page_token is not one that a last page gave");
  }
  return PageStart{queue, queue::JobId{job}};
}

}  // namespace

grpc::ServerBidiReactor<v1::SubmitRequest, v1::SubmitReply>* ClientsService::Submit(
    grpc::CallbackServerContext*) {
  const auto session =
      std::make_shared<ClientSession>(queues_, queue::SubmitterId{++last_submitter_}, clients_);
  session->Start();
  return session.get();
}

grpc::ServerUnaryReactor* ClientsService::SubmitJob(grpc::CallbackServerContext* context,
                                                    const v1::SubmitJobRequest* request,
                                                    v1::Job* reply) {
  Result<QueueHost*> host = queues_.Find(request->options().queue());
  if (!host.ok()) return Answer(context, host.status());
  const auto options = FromProto(request->options());
  if (!options.ok()) return Answer(context, options.status());
  if (Status status = CheckSpec(request->spec()); !status.ok()) return Answer(context, status);

  auto* waiting = request->wait() ? new WaitReactor(queues_.finished(), *reply) : nullptr;
  grpc::ServerUnaryReactor* reactor = waiting;
  if (reactor == nullptr) reactor = context->DefaultReactor();
  QueueHost::Turn turn(**host, Now());
  const queue::Submitted submitted = turn.Submit(queue::kDetached, 0, *options, request->spec());
  if (submitted.admission != queue::Admission::kAccepted) {
    reactor->Finish(Refused(submitted.admission, (*host)->name()));
  } else if (waiting != nullptr) {
    waiting->WaitFor(submitted.job, (*host)->name());
  } else {
    const auto view = turn.core().Find(Now(), submitted.job);
    *reply = Describe(turn, **host, *view);
    reactor->Finish(grpc::Status::OK);
  }
  return reactor;
}

Result<v1::Job> ClientsService::FindJob(std::uint64_t id) const {
  const queue::JobId job{id};
  QueueHost* host = queues_.Owner(job);
  if (host != nullptr) {
    if (auto finished = queues_.finished().Find(job)) {
      finished->set_queue(host->name());
      return *std::move(finished);
    }
    const Instant now = Now();
    const QueueHost::Turn turn(*host, now);
    if (const auto view = turn.core().Find(now, job)) return Describe(turn, *host, *view);
  }
  return absl::NotFoundError(
      absl::StrCat("id: there is no job ", id,
                   "; jobs of streams are forgotten when they end, those of SubmitJob after the "
                   "next ",
                   FinishedJobs::kKept));
}

grpc::ServerUnaryReactor* ClientsService::GetJob(grpc::CallbackServerContext* context,
                                                 const v1::GetJobRequest* request, v1::Job* reply) {
  Result<v1::Job> job = FindJob(request->id());
  if (job.ok()) *reply = *std::move(job);
  return Answer(context, job.status());
}

grpc::ServerUnaryReactor* ClientsService::CancelJob(grpc::CallbackServerContext* context,
                                                    const v1::CancelJobRequest* request,
                                                    v1::Job* reply) {
  Result<v1::Job> job = FindJob(request->id());
  if (!job.ok()) return Answer(context, job.status());
  QueueHost* host = queues_.Owner(queue::JobId{request->id()});
  const bool cancelled = QueueHost::Turn(*host, Now()).Cancel(queue::JobId{request->id()});
  if (!cancelled) {
    return Answer(context, absl::FailedPreconditionError(
                               absl::StrCat("id: job ", request->id(), " has ended already")));
  }
  *reply = *std::move(job);
  reply->set_state(v1::JOB_STATE_FINISHED);
  reply->set_outcome(v1::OUTCOME_CANCELLED);
  return Answer(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* ClientsService::ListJobs(grpc::CallbackServerContext* context,
                                                   const v1::ListJobsRequest* request,
                                                   v1::ListJobsReply* reply) {
  QueueHost* only = nullptr;
  if (!request->queue().empty()) {
    Result<QueueHost*> host = queues_.Find(request->queue());
    if (!host.ok()) return Answer(context, host.status());
    only = *host;
  }
  Result<PageStart> page = ParsePage(request->page_token());
  if (!page.ok()) return Answer(context, page.status());
  const std::size_t size = request->page_size() == 0
                               ? kDefaultPage
                               : std::min<std::size_t>(request->page_size(), kMaxPage);
  queue::JobId after = page->after;
  const auto full = [&] { return static_cast<std::size_t>(reply->jobs_size()) >= size; };
  for (std::size_t i = page->queue; i < queues_.all().size() && !full(); ++i) {
    QueueHost& host = *queues_.all()[i];
    if (only != nullptr && &host != only) continue;
    const Instant now = Now();
    const QueueHost::Turn turn(host, now);
    const std::size_t room = size - static_cast<std::size_t>(reply->jobs_size());
    turn.core().List(now, after, room, [&](const queue::JobView& view) {
      *reply->add_jobs() = Describe(turn, host, view);
    });
    if (full()) reply->set_next_page_token(absl::StrCat(i, ":", reply->jobs().rbegin()->id()));
    after = queue::JobId{0};
  }
  return Answer(context, absl::OkStatus());
}

}  // namespace twofold::frontend
