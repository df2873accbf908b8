#include "kubernetes/operator/frontend_workers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/common/instant.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::benchmarks {
namespace {

constexpr const char* kQueue = "/spec/queue";
constexpr std::uint32_t kJobsAPage = 1000;
constexpr int kMostPages = 20;  // of jobs beyond, nobody knows when they end

Duration LeftOf(const v1::Job& job, Duration longest_run) {
  const Duration run{static_cast<std::int64_t>(job.run_ns())};
  if (job.progress() <= 0) return longest_run - run;
  const double done = std::min(static_cast<double>(job.progress()), 1.0);
  return FromSeconds(ToSeconds(run) * (1 - done) / done);
}

void NoteEnd(const std::string& pod, Duration left, pools::WorkersSeen& workers) {
  const auto known = workers.find(pod);
  if (known == workers.end()) return;
  auto& done_in = known->second.done_in;
  done_in = std::max(done_in.value_or(left), left);
}

}  // namespace

Result<pools::WorkersSeen> FrontendWorkers::Look(const std::string& queue, bool with_ends) {
  v1::WorkersRequest request;
  request.set_queue(queue);
  const auto reply = frontend_.ListWorkers(request);
  if (!reply.ok()) return reply.status();
  pools::WorkersSeen workers;
  for (const v1::Worker& each : reply->workers()) {
    pools::WorkerSeen& worker = workers[each.pod()];
    worker.busy += each.busy();
    worker.draining = worker.draining && each.draining();
  }
  if (!with_ends) return workers;
  if (Status status = AddEnds(queue, workers); !status.ok()) return status;
  return workers;
}

Status FrontendWorkers::AddEnds(const std::string& queue, pools::WorkersSeen& workers) {
  v1::ListJobsRequest request;
  request.set_queue(queue);
  request.set_page_size(kJobsAPage);
  request.add_states(v1::JOB_STATE_RUNNING);
  std::vector<v1::Job> jobs;
  for (int page = 0; page < kMostPages; ++page) {
    auto reply = frontend_.ListJobs(request);
    if (!reply.ok()) return reply.status();
    for (v1::Job& job : *reply->mutable_jobs()) jobs.push_back(std::move(job));
    request.set_page_token(reply->next_page_token());
    if (request.page_token().empty()) break;
  }
  Duration longest{};
  for (const v1::Job& job : jobs) {
    longest = std::max(longest, Duration(static_cast<std::int64_t>(job.run_ns())));
  }
  for (const v1::Job& job : jobs) {
    const Duration left = LeftOf(job, longest);
    NoteEnd(job.worker().pod(), left, workers);
    for (const v1::WorkerName& member : job.members()) NoteEnd(member.pod(), left, workers);
  }
  return absl::OkStatus();
}

Status FrontendWorkers::Drain(const std::string& queue, const std::string& pod) {
  v1::WorkersRequest request;
  request.set_queue(queue);
  request.set_pod(pod);
  return frontend_.DrainWorkers(request).status();
}

Result<pools::WorkersSeen> GrantedWorkers::Look(const kube::Json& pool, bool with_ends) {
  const auto workers = sites_.Of(pool);
  if (!workers.ok()) return workers.status();
  return (*workers)->Look(kube::TextAt(pool, kQueue), with_ends);
}

Status GrantedWorkers::Drain(const kube::Json& pool, const std::string& pod) {
  const auto workers = sites_.Of(pool);
  return workers.ok() ? (*workers)->Drain(kube::TextAt(pool, kQueue), pod) : workers.status();
}

}  // namespace twofold::benchmarks
