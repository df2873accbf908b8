#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/channel/channel.h"
#include "lib/common/arguments.h"
#include "tests/fakes/streams.h"
#include "tests/integration/cluster_fixture.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::testing {

/// A cluster whose frontend has a store in `folder_`, and calls of its API.
class DurableClusterTest : public ClusterTest {
 protected:
  std::string store() const { return "sqlite:" + (folder_ / "jobs.db"); }

  /// Starts the frontend, on the same store each time.
  void StartDurable(Arguments more = {}) {
    more.insert(more.begin(), {"--store", store(), "sleep"});
    StartFrontend(more);
    clients_ = v1::Clients::NewStub(cli::Connect(client_address_));
  }
  void Restart(const Arguments& more = {}) {
    EXPECT_EQ(frontend_->Kill(), -SIGKILL);
    StartDurable(more);
  }

  static v1::JobOptions Durable(const std::string& run = {}) {
    v1::JobOptions options;
    options.set_queue("sleep");
    options.set_durable(true);
    options.set_run(run);
    return options;
  }

  /// One job that is on disk when this returns. `argument` is that of its workload.
  std::uint64_t SubmitOne(const v1::JobOptions& options, const std::string& argument) {
    v1::SubmitJobRequest request;
    *request.mutable_options() = options;
    request.set_spec(Spec(argument));
    v1::Job job;
    const grpc::Status status = Call(&v1::Clients::Stub::SubmitJob, request, job);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return job.id();
  }
  static std::string Spec(const std::string& argument) {
    return EncodeArguments(std::vector<std::string>{argument});
  }

  v1::Job Job(std::uint64_t id) {
    v1::GetJobRequest request;
    request.set_id(id);
    v1::Job job;
    const grpc::Status status = Call(&v1::Clients::Stub::GetJob, request, job);
    EXPECT_TRUE(status.ok()) << id << ": " << status.error_message();
    return job;
  }
  v1::Job AwaitState(std::uint64_t id, v1::JobState state) {
    EXPECT_TRUE(Await([&] { return Job(id).state() == state; })) << Job(id).ShortDebugString();
    return Job(id);
  }
  v1::Job AwaitEnd(std::uint64_t id) { return AwaitState(id, v1::JOB_STATE_FINISHED); }

  /// Finished and live jobs, all pages. REQUIRES: none ends meanwhile.
  std::vector<v1::Job> List(const std::string& run = {}) {
    v1::ListJobsRequest request;
    request.set_run(run);
    request.set_finished(true);
    request.set_page_size(1000);
    std::vector<v1::Job> all;
    do {
      v1::ListJobsReply reply;
      const grpc::Status status = Call(&v1::Clients::Stub::ListJobs, request, reply);
      EXPECT_TRUE(status.ok()) << status.error_message();
      all.insert(all.end(), reply.jobs().begin(), reply.jobs().end());
      request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty());
    return all;
  }

  /// Waits for the frontend, if it is on its way.
  template <typename Request, typename Reply>
  grpc::Status Call(grpc::Status (v1::Clients::Stub::*method)(grpc::ClientContext*, const Request&,
                                                              Reply*),
                    const Request& request, Reply& reply) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    return ((*clients_).*method)(&context, request, &reply);
  }

  std::unique_ptr<v1::Clients::Stub> clients_;
};

}  // namespace twofold::testing
