#include "bench/frontends/load.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "bench/frontends/trouble.h"
#include "bench/peers/callers.h"
#include "cli/channel/channel.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::budgets {
namespace {

constexpr std::size_t kSpecBytes = 100;
constexpr int kUnacknowledged = 16'384;  // of PutJobs
constexpr int kJobsAMessage = 1024;
constexpr Duration kMostForJobs = std::chrono::minutes(5);
constexpr Duration kLeave = std::chrono::seconds(5);

load::JobTemplate TemplateOf(const Load::Options& options) {
  load::JobTemplate job;
  job.options.set_queue(options.queue);
  job.options.set_durable(options.durable);
  job.options.set_max_attempts(5);  // a takeover may cost some
  job.spec = std::string(kSpecBytes, 'x');
  return job;
}

}  // namespace

Load::Load(const Options& options)
    : generator_(options.queue, options.frontend, Now()),
      session_(options.frontend, TemplateOf(options), generator_) {
  generator_.SetParallelism(options.outstanding);
  session_.Start();
  Await("the first jobs of a load", [this] { return Ended() > 0; });
}

Load::~Load() {
  generator_.SetParallelism(0);
  session_.Stop(kLeave);
}

std::uint64_t Load::Ended() const {
  const load::OutcomeCounts ended = generator_.Look().totals.finished;
  const std::uint64_t succeeded = ended[v1::OUTCOME_SUCCEEDED];
  std::uint64_t all = 0;
  for (const std::uint64_t count : ended) all += count;
  if (all != succeeded) throw Trouble(std::to_string(all - succeeded) + " jobs did not succeed");
  return succeeded;
}

double RateOf(const std::function<std::uint64_t()>& count, const std::function<void()>& meanwhile) {
  const std::uint64_t before = count();
  const Instant start = Now();
  meanwhile();
  return static_cast<double>(count() - before) / ToSeconds(Now() - start);
}

double RateOf(const Load& load, double seconds) {
  return RateOf([&load] { return load.Ended(); }, [seconds] { Sleep(seconds); });
}

double PutJobs(const std::string& frontend, int jobs) {
  std::promise<void> ended;
  bench::Putter putter(true, [&ended](const Status&) { ended.set_value(); });
  auto end = ended.get_future();
  bench::Open(bench::ClientsLoop(), putter.stream(), frontend, "/twofold.v1.Clients/Submit");
  const std::string payload(kSpecBytes, 'x');
  const Instant start = Now();
  for (int sent = 0; putter.accepted() < jobs;) {
    const int batch = std::min(kUnacknowledged - (sent - putter.accepted()), jobs - sent);
    for (int left = batch; left > 0; left -= kJobsAMessage) {
      putter.Put(std::min(left, kJobsAMessage), payload);
    }
    sent += batch;
    if (bench::Interrupted()) throw Trouble("interrupted");
    if (Now() - start > kMostForJobs) throw Trouble("durable jobs are not accepted");
    if (end.wait_for(std::chrono::microseconds(200)) == std::future_status::ready) {
      throw Trouble("the stream of durable jobs has ended");
    }
  }
  const double rate = jobs / ToSeconds(Now() - start);
  putter.stream().Cancel();  // what is durable needs no stream
  end.wait();
  return rate;
}

bool SubmitOne(const std::string& frontend, Duration limit) {
  v1::SubmitJobRequest request;
  request.mutable_options()->set_queue(kQueue);
  request.mutable_options()->set_durable(true);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + limit);
  v1::Job job;
  return v1::Clients::NewStub(cli::Connect(frontend))->SubmitJob(&context, request, &job).ok();
}

}  // namespace twofold::budgets
