#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "frontend/client_session.h"
#include "frontend/convert.h"
#include "frontend/services.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/retry_info.h"
#include "lib/rpc/unary.h"

namespace twofold::frontend {
namespace {

constexpr std::size_t kDefaultPage = 100;
constexpr std::size_t kMaxPage = 1000;
constexpr Duration kRetryAfter = std::chrono::milliseconds(100);

// Answers when the job has ended. The caller may lose patience first; the job goes on.
class WaitReactor final : public grpc::ServerUnaryReactor {
 public:
  WaitReactor(FinishedJobs& finished, grpc::ByteBuffer& reply, OpenCalls::Place place)
      : finished_(finished), reply_(reply), place_(std::move(place)) {}

  void WaitFor(queue::JobId job, const std::string& queue) {
    job_ = job;
    finished_.WhenFinished(job, [this, queue](v1::Job ended) {
      ended.set_queue(queue);
      reply_ = rpc::Serialize(ended);
      Finish(grpc::Status::OK);
    });
  }

  void OnCancel() override {
    if (finished_.StopWaiting(job_)) Finish(grpc::Status::CANCELLED);
  }

  void OnDone() override { delete this; }

 private:
  FinishedJobs& finished_;
  grpc::ByteBuffer& reply_;
  const OpenCalls::Place place_;
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

ByteStream* ClientsService::Submit(grpc::CallbackServerContext* context) {
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return RefuseStream(calls_.Refusal());
  const auto session =
      std::make_shared<ClientSession>(queues_, queue::SubmitterId{++last_submitter_}, clients_);
  session->Hold(std::move(place));
  session->Start();
  return session.get();
}

grpc::ServerUnaryReactor* ClientsService::SubmitJob(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* bytes,
                                                    grpc::ByteBuffer* reply) {
  const auto refuse = [&](const Status& why) { return rpc::Finish(context, rpc::ToGrpc(why)); };
  v1::SubmitJobRequest request;
  if (Status status = rpc::Parse(*bytes, request); !status.ok()) return refuse(status);
  Result<QueueHost*> host = queues_.Find(request.options().queue());
  if (!host.ok()) return refuse(host.status());
  const auto options = FromProto(request.options());
  if (!options.ok()) return refuse(options.status());
  if (Status status = CheckSpec(request.spec()); !status.ok()) return refuse(status);

  auto place = request.wait() ? calls_.Enter(context->peer()) : nullptr;
  if (request.wait() && place == nullptr) return rpc::Finish(context, calls_.Refusal());

  QueueHost::Turn turn(**host, Now());
  const queue::Submitted submitted = turn.Submit(queue::kDetached, 0, *options, request.spec());
  if (submitted.admission != queue::Admission::kAccepted) {
    return rpc::Finish(context, Refused(submitted.admission, (*host)->name()));
  }
  if (request.wait()) {
    auto* waiting = new WaitReactor(queues_.finished(), *reply, std::move(place));
    waiting->WaitFor(submitted.job, (*host)->name());
    return waiting;
  }
  *reply = rpc::Serialize(Describe(turn, **host, *turn.core().Find(Now(), submitted.job)));
  return rpc::Finish(context, grpc::Status::OK);
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

Result<v1::Job> ClientsService::Get(const v1::GetJobRequest& request) {
  return FindJob(request.id());
}

Result<v1::Job> ClientsService::Cancel(const v1::CancelJobRequest& request) {
  Result<v1::Job> job = FindJob(request.id());
  if (!job.ok()) return job;
  QueueHost* host = queues_.Owner(queue::JobId{request.id()});
  if (!QueueHost::Turn(*host, Now()).Cancel(queue::JobId{request.id()})) {
    return absl::FailedPreconditionError(
        absl::StrCat("id: job ", request.id(), " has ended already"));
  }
  job->set_state(v1::JOB_STATE_FINISHED);
  job->set_outcome(v1::OUTCOME_CANCELLED);
  return job;
}

Result<v1::ListJobsReply> ClientsService::List(const v1::ListJobsRequest& request) {
  QueueHost* only = nullptr;
  if (!request.queue().empty()) {
    Result<QueueHost*> host = queues_.Find(request.queue());
    if (!host.ok()) return host.status();
    only = *host;
  }
  Result<PageStart> page = ParsePage(request.page_token());
  if (!page.ok()) return page.status();
  v1::ListJobsReply reply;
  const std::size_t size = request.page_size() == 0
                               ? kDefaultPage
                               : std::min<std::size_t>(request.page_size(), kMaxPage);
  queue::JobId after = page->after;
  const auto full = [&] { return static_cast<std::size_t>(reply.jobs_size()) >= size; };
  for (std::size_t i = page->queue; i < queues_.all().size() && !full(); ++i) {
    QueueHost& host = *queues_.all()[i];
    if (only != nullptr && &host != only) continue;
    const Instant now = Now();
    const QueueHost::Turn turn(host, now);
    const std::size_t room = size - static_cast<std::size_t>(reply.jobs_size());
    turn.core().List(now, after, room, [&](const queue::JobView& view) {
      *reply.add_jobs() = Describe(turn, host, view);
    });
    if (full()) reply.set_next_page_token(absl::StrCat(i, ":", reply.jobs().rbegin()->id()));
    after = queue::JobId{0};
  }
  return reply;
}

grpc::ServerUnaryReactor* ClientsService::GetJob(grpc::CallbackServerContext* context,
                                                 const grpc::ByteBuffer* request,
                                                 grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &ClientsService::Get);
}

grpc::ServerUnaryReactor* ClientsService::ListJobs(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &ClientsService::List);
}

grpc::ServerUnaryReactor* ClientsService::CancelJob(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* reply) {
  return rpc::Answer(context, request, reply, this, &ClientsService::Cancel);
}

}  // namespace twofold::frontend
