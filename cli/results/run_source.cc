#include "cli/results/run_source.h"

#include <optional>
#include <utility>

#include "cli/queues/call.h"
#include "lib/results/result_messages.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::cli {
namespace {

using Service = v1::Results;

// Between two messages of a stream a frontend reads a page; it has to be busy to take so long.
constexpr Duration kStreamLimit = std::chrono::minutes(10);

// The first jobs of a run may have failed before they began.
constexpr std::uint32_t kSampled = 20;

class FrontendRuns final : public RunSource {
 public:
  explicit FrontendRuns(const Globals& globals) : frontend_(globals) {}

  Result<v1::ListRunsReply> List(const v1::ListRunsRequest& request) override {
    return frontend_.Call<Service>(&Service::Stub::ListRuns, request);
  }
  Result<v1::Run> Get(const v1::GetRunRequest& request) override {
    return frontend_.Call<Service>(&Service::Stub::GetRun, request);
  }
  Status Results(const v1::RunResultsRequest& request, const OnResults& on_results) override {
    return frontend_.Read<Service>(&Service::Stub::RunResults, request, kStreamLimit, on_results);
  }
  Result<v1::BenchmarkResult> Sample(const std::string& run) override {
    v1::ListJobsRequest request;
    request.set_run(run);
    request.set_finished(true);
    request.set_page_size(kSampled);
    const auto reply = frontend_.ListJobs(request);
    if (!reply.ok()) return reply.status();
    for (const v1::Job& job : reply->jobs()) {
      v1::BenchmarkResult result;
      if (result.ParseFromString(job.report().data()) && result.ranks_size() > 0) return result;
    }
    return v1::BenchmarkResult();
  }
  Status Artifact(const v1::GetArtifactRequest& request, const OnPiece& on_piece) override {
    return frontend_.Read<Service>(&Service::Stub::GetArtifact, request, kStreamLimit, on_piece);
  }

 private:
  const Frontend frontend_;
};

class StoreRuns final : public RunSource {
 public:
  explicit StoreRuns(std::unique_ptr<results::RunReader> reader) : reader_(std::move(reader)) {}

  Result<v1::ListRunsReply> List(const v1::ListRunsRequest& request) override {
    return reader_->List(request);
  }
  Result<v1::Run> Get(const v1::GetRunRequest& request) override {
    return reader_->Find(request.id());
  }
  Status Results(const v1::RunResultsRequest& request, const OnResults& on_results) override {
    auto messages = results::ResultMessages::Of(*reader_, request);
    if (!messages.ok()) return messages.status();
    for (;;) {
      const auto message = messages->Next();
      if (!message.ok()) return message.status();
      if (!*message) return absl::OkStatus();
      on_results(**message);
    }
  }
  Result<v1::BenchmarkResult> Sample(const std::string& run) override {
    const auto number = reader_->NumberOf(run);
    if (!number.ok()) return number.status();
    const auto jobs = reader_->FinishedJobs(*number, {}, kSampled);
    if (!jobs.ok()) return jobs.status();
    for (const results::StoredJob& job : *jobs) {
      const auto* const ended = std::get_if<results::JobEnded>(&job.state);
      const v1::BenchmarkResult* const result = ended == nullptr ? nullptr : ended->benchmark.get();
      if (result != nullptr && result->ranks_size() > 0) return *result;
    }
    return v1::BenchmarkResult();
  }
  Status Artifact(const v1::GetArtifactRequest& request, const OnPiece& on_piece) override {
    const auto pieces = results::GetArtifact(*reader_, request);
    if (!pieces.ok()) return pieces.status();
    for (const v1::ArtifactPiece& piece : *pieces) on_piece(piece);
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<results::RunReader> reader_;
};

}  // namespace

Result<std::unique_ptr<RunSource>> OpenRuns(const Globals& globals,
                                            const results::StoreOptions& store) {
  if (!store.is_given()) return std::make_unique<FrontendRuns>(globals);
  const auto address = results::ParseStoreAddress(store, results::Bare::kPath);
  if (!address.ok()) return address.status();
  return OpenRuns(*address);
}

Result<std::unique_ptr<RunSource>> OpenRuns(const results::StoreAddress& store) {
  auto reader = results::RunReader::Open(store);
  if (!reader.ok()) return reader.status();
  return std::make_unique<StoreRuns>(*std::move(reader));
}

Result<std::string> ResolveRun(RunSource& source, const std::string& id) {
  if (id != "@last") return id;
  v1::ListRunsRequest request;
  request.set_page_size(1);
  const auto newest = source.List(request);
  if (!newest.ok()) return newest.status();
  if (newest->runs().empty()) return absl::NotFoundError("@last: there is no run");
  return newest->runs(0).id();
}

void DeclareStore(CLI::App& app, results::StoreOptions& store) {
  app.add_option("--store", store.store,
                 "Read this store instead: the file of a frontend or a copy of it, or a database")
      ->type_name("FILE|postgresql://...");
  app.add_option("--store-file", store.file,
                 "The same; the address, with a password, stands in this file")
      ->type_name("PATH");
}

}  // namespace twofold::cli
