#include "kubernetes/operator/measured_job.h"

#include "cli/queues/frontend.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::benchmarks {
namespace {

constexpr std::uint32_t kMostTries = 20;  // jobs of a run, which are listed oldest first

}  // namespace

Result<MeasuredJob> ReadJob(const cli::Frontend& frontend, const std::string& run) {
  v1::ListJobsRequest tries;
  tries.set_run(run);
  tries.add_states(v1::JOB_STATE_FINISHED);
  tries.set_page_size(kMostTries);
  const auto page = frontend.ListJobs(tries);
  if (!page.ok()) return page.status();
  if (page->jobs().empty()) return absl::NotFoundError("no job of the run has ended");
  v1::GetJobRequest request;
  request.set_id(page->jobs().rbegin()->id());
  const auto job = frontend.GetJob(request);
  if (!job.ok()) return job.status();
  MeasuredJob measured{.id = job->id()};
  if (!measured.result.ParseFromString(job->report().data())) measured.result.Clear();
  return measured;
}

}  // namespace twofold::benchmarks
