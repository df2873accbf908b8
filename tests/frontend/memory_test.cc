// What callers of runs and results can make a frontend hold.

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/str_replace.h>
#include <fmt/format.h>

#include <atomic>
#include <fstream>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/channel/channel.h"
#include "lib/common/instant.h"
#include "lib/results/sqlite_store.h"
#include "lib/rpc/limits.h"
#include "tests/frontend/frontend_fixture.h"
#include "tests/lib/results/temp_dir.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::frontend {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMega = 1 << 20;

/// "VmHWM" (most so far) or "VmRSS" (now) of this process, in MiB.
std::size_t Memory(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == field + ":" && status >> kib) return kib / 1024;
  }
  return 0;
}

/// How much more memory than at its beginning this process has had meanwhile.
class Growth {
 public:
  Growth() { std::ofstream("/proc/self/clear_refs") << "5"; }  // the most so far is forgotten

  [[nodiscard]] std::size_t mega() const {
    const std::size_t most = Memory("VmHWM");
    return most > start_ ? most - start_ : 0;
  }

 private:
  const std::size_t start_ = Memory("VmRSS");
};

std::string Nested(std::size_t depth) {
  return R"({"a":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
}

class MemoryTest : public FrontendTest {
 protected:
  void SetUp() override {
    Serve([&](Options& options) { options.storage.url = "sqlite:" + dir_.Path("jobs.db"); });
    results_ = v1::Results::NewStub(cli::Connect(frontend_->client_address()));
  }

  /// A caller of CreateRun.
  struct Draft {
    grpc::ClientContext context;
    v1::CreateRunReply reply;
    std::unique_ptr<grpc::ClientWriter<v1::CreateRunRequest>> writer;
    std::uint64_t permutations = 0;

    /// Values of `bytes` in all, in parts of `part`. False: the call has ended.
    bool Add(std::size_t bytes, std::size_t part = 60'000) {
      for (std::size_t sent = 0; sent < bytes; sent += part) {
        if (!AddOne(fmt::format(R"({{"a":"{}"}})", std::string(part, 'x')))) return false;
      }
      return true;
    }
    bool AddOne(const std::string& varied) {
      v1::CreateRunRequest request;
      v1::Permutation& permutation = *request.add_permutations();
      permutation.set_number(++permutations);
      permutation.set_varied(varied);
      return writer->Write(request);
    }
    grpc::Status End() {
      v1::CreateRunRequest last;
      last.set_last(true);
      writer->Write(last);
      writer->WritesDone();
      return writer->Finish();
    }
  };
  std::unique_ptr<Draft> Begin(const std::string& id) {
    auto draft = std::make_unique<Draft>();
    draft->writer = results_->CreateRun(&draft->context, &draft->reply);
    v1::CreateRunRequest first;
    first.mutable_run()->set_id(id);
    draft->writer->Write(first);
    return draft;
  }

  /// A run with values of so many bytes, and a job of each permutation.
  void Store(const std::string& run, std::size_t bytes) {
    const auto draft = Begin(run);
    ASSERT_TRUE(draft->Add(bytes));
    ASSERT_TRUE(draft->End().ok());
    for (std::uint64_t i = 1; i <= draft->permutations; ++i) SubmitTo(run, i);
  }
  void SubmitTo(const std::string& run, std::uint64_t permutation) {
    v1::SubmitJobRequest request;
    v1::JobOptions& options = *request.mutable_options();
    options.set_queue("sleep");
    options.set_durable(true);
    options.set_run(run);
    options.mutable_place()->set_number(permutation);
    options.mutable_place()->set_permutation(permutation);
    ASSERT_TRUE(Call<v1::Job>("Clients/SubmitJob", request).ok());
  }

  grpc::Status Attend(const std::string& run) {
    grpc::ClientContext context;
    v1::AttendRunRequest request;
    request.set_id(run);
    const auto reader = results_->AttendRun(&context, request);
    v1::AttendRunReply reply;
    if (reader->Read(&reply)) context.TryCancel();
    return reader->Finish();
  }

  const results::TempDir dir_;
  std::unique_ptr<v1::Results::Stub> results_;
};

/// A frontend with finished jobs that have large reports.
class LargeReportsTest : public FrontendTest {
 protected:
  static constexpr results::JobId kJobs = 300;

  void SetUp() override {
    const std::string path = dir_.Path("jobs.db");
    Store(path);
    Serve([&](Options& options) { options.storage.url = "sqlite:" + path; });
  }

  static void Store(const std::string& path) {
    v1::Report report;
    report.set_output(std::string(200 << 10, 'o'));
    const auto store = results::SqliteStore::Open(path).value();
    for (results::JobId job = 1; job <= kJobs; ++job) {
      const std::vector<results::Record> records = {
          results::JobAccepted{.id = job, .queue = "sleep"},
          results::JobEnded{
              .job = job, .report = report.SerializeAsString(), .ended_unix_ns = UnixNowNs()}};
      ASSERT_TRUE(store->Commit(records).ok());
    }
  }

  const results::TempDir dir_;
};

TEST_F(LargeReportsTest, PagesOfJobsEndByBytesAsWell) {
  v1::ListJobsRequest request;
  request.set_finished(true);
  request.set_page_size(1000);
  std::set<std::uint64_t> ids;
  int pages = 0;
  const Growth growth;
  do {
    const auto reply = testing::Good(Call<v1::ListJobsReply>("Clients/ListJobs", request));
    for (const v1::Job& job : reply.jobs()) EXPECT_TRUE(ids.insert(job.id()).second);
    request.set_page_token(reply.next_page_token());
    ++pages;
  } while (!request.page_token().empty());
  fmt::print("pages: {} of {} jobs, {} MiB more\n", pages, ids.size(), growth.mega());
  EXPECT_EQ(ids.size(), kJobs);
  EXPECT_GT(pages, 10);
  EXPECT_LT(growth.mega(), 40);
}

TEST_F(LargeReportsTest, PagesOfTheApiEndByBytesAsWell) {
  std::string token;
  std::size_t jobs = 0;
  const Growth growth;
  do {
    http::Response page = Get("/api/v1/jobs?finished=true&page_token=" + token);
    ASSERT_EQ(page.status, 200) << page.body;
    absl::StrReplaceAll({{"oooooooo", ""}}, &page.body);  // which takes long to parse
    const auto json = nlohmann::json::parse(page.body);
    jobs += json["jobs"].size();
    token = json["next_page_token"];
  } while (!token.empty());
  fmt::print("api: {} jobs, {} MiB more\n", jobs, growth.mega());
  EXPECT_EQ(jobs, kJobs);
  EXPECT_LT(growth.mega(), 60);
}

// ---- a store with very many jobs

class ManyJobsTest : public FrontendTest {
 protected:
  static constexpr int kJobs = 1'000'000;

  void SetUp() override {
    const std::string path = dir_.Path("jobs.db");
    ASSERT_TRUE(results::SqliteStore::Open(path).ok());  // makes the tables
    SQLite::Database file(path, SQLite::OPEN_READWRITE);
    file.exec("PRAGMA synchronous = OFF");
    const std::string numbers = fmt::format(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {})", kJobs);
    file.exec(numbers + " INSERT INTO job SELECT n, 'sleep', NULL, 'sleep', 0, x'', x'', n FROM n");
    file.exec(numbers + fmt::format(" INSERT INTO ended SELECT n, 0, 1, 0, 0, 0, '', '', '', x'',"
                                    " '', {} + n, NULL FROM n",
                                    UnixNowNs()));
    Serve([&](Options& options) { options.storage.url = "sqlite:" + path; });
  }

  const results::TempDir dir_;
};

TEST_F(ManyJobsTest, ProbesAndMetricsAreAnsweredWhileAllJobsAreLookedThrough) {
  std::atomic<bool> listed = false;
  auto list = std::async(std::launch::async, [&] {
    const http::Response page = Get("/api/v1/jobs?finished=true&queue=media");  // has none of them
    listed = true;
    return page;
  });
  int answered = 0;
  while (!listed) {
    for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
      EXPECT_EQ(Get(path).status, 200) << path;
    }
    if (!listed) ++answered;
  }
  fmt::print("answered {} times meanwhile\n", answered);
  EXPECT_GT(answered, 3);
  const http::Response page = list.get();
  EXPECT_EQ(page.status, 200) << page.body;
  EXPECT_TRUE(nlohmann::json::parse(page.body)["jobs"].empty());
}

TEST_F(MemoryTest, NestedValuesOfARunAreRefused) {
  const auto nested = [&](std::size_t depth) {
    const auto draft = Begin("nested");
    draft->AddOne(Nested(depth));
    return draft->End();
  };
  const grpc::Status deep = nested(30'000);
  EXPECT_EQ(deep.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(deep.error_message(), HasSubstr("permutations.varied of 1"));
  EXPECT_FALSE(nested(17).ok());
  EXPECT_TRUE(nested(16).ok());
  SubmitTo("nested", 1);
  const Growth growth;
  EXPECT_EQ(Get("/api/v1/runs/nested/results").status, 200);
  fmt::print("nested: {} MiB more\n", growth.mega());
  EXPECT_LT(growth.mega(), 50);
}

TEST_F(MemoryTest, TheRunThatSomebodyAttendsHasAShortName) {
  EXPECT_EQ(Attend(std::string(253, 'x')).error_code(), grpc::StatusCode::CANCELLED);  // by us
  const grpc::Status status = Attend(std::string(254, 'x'));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("id has 254 bytes"));
}

TEST_F(MemoryTest, RunsThatAreBegunShareABound) {
  std::vector<std::unique_ptr<Draft>> drafts;
  const Growth growth;
  for (int i = 0; i < 12; ++i) {
    drafts.push_back(Begin("draft" + std::to_string(i)));
    drafts.back()->Add(50 * kMega);
  }
  const std::size_t grown = growth.mega();
  std::size_t begun = 0;  // of the others most are refused, and given up where all takes long
  for (const auto& draft : drafts) begun += draft->End().ok();
  fmt::print("drafts: {} MiB more, {} begun\n", grown, begun);
  EXPECT_LT(grown, 350);
  EXPECT_LE(begun, 6);
  const auto next = Begin("next");
  next->Add(50 * kMega);
  EXPECT_TRUE(next->End().ok());  // there is room again
}

TEST_F(MemoryTest, ARunThatNobodyGoesOnToBeginIsGivenUp) {
  const auto draft = Begin("stuck");
  EXPECT_EQ(draft->writer->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

/// Who does not read takes no more than 64 KiB of a stream.
std::shared_ptr<grpc::Channel> SmallWindow(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 64 << 10);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

/// Callers that read one message of a stream and no more.
template <typename Message>
class SlowReaders {
 public:
  using Reader = std::unique_ptr<grpc::ClientReader<Message>>;

  template <typename Open>
  void Add(const Open& open) {
    contexts_.push_back(std::make_unique<grpc::ClientContext>());
    readers_.push_back(open(contexts_.back().get()));
    Message message;
    if (readers_.back()->Read(&message)) return;
    refused_.push_back(readers_.back()->Finish());
    readers_.pop_back();
  }

  /// How the last one ends when it does not read any more.
  grpc::Status Last() {
    Message message;
    while (readers_.back()->Read(&message)) continue;
    const grpc::Status status = readers_.back()->Finish();
    readers_.pop_back();
    return status;
  }

  [[nodiscard]] const std::vector<grpc::Status>& refused() const { return refused_; }

  ~SlowReaders() {
    for (const auto& context : contexts_) context->TryCancel();
    for (const auto& reader : readers_) {
      for (Message rest; reader->Read(&rest);) continue;
      reader->Finish();
    }
  }

 private:
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts_;
  std::vector<Reader> readers_;
  std::vector<grpc::Status> refused_;
};

TEST_F(MemoryTest, SlowReadersOfResultsShareABound) {
  Store("large", 20 * kMega);
  v1::RunResultsRequest request;
  request.set_id("large");
  const Growth growth;
  const auto results = v1::Results::NewStub(SmallWindow(frontend_->client_address()));
  SlowReaders<v1::RunResultsReply> slow;
  for (int i = 0; i < 48; ++i) {
    slow.Add([&](grpc::ClientContext* context) { return results->RunResults(context, request); });
  }
  fmt::print("results: {} MiB more, {} refused\n", growth.mega(), slow.refused().size());
  EXPECT_LT(growth.mega(), 400);
  ASSERT_EQ(slow.refused().size(), 48 - 32);
  EXPECT_EQ(slow.refused()[0].error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

/// Deleted files of a folder that this process has open.
std::size_t DeletedFiles(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const std::string target = std::filesystem::read_symlink(each.path(), ignored).string();
    count += target.starts_with(folder) && target.ends_with(" (deleted)");
  }
  return count;
}

TEST_F(MemoryTest, FewCopiesOfRunsAreOpenForSlowReaders) {
  const auto draft = Begin("large");
  draft->Add(20 * kMega);
  ASSERT_TRUE(draft->End().ok());
  v1::ExportRunRequest request;
  request.set_id("large");
  {
    const auto results = v1::Results::NewStub(SmallWindow(frontend_->client_address()));
    SlowReaders<v1::ExportPiece> slow;
    for (int i = 0; i < 12; ++i) {
      slow.Add([&](grpc::ClientContext* context) { return results->ExportRun(context, request); });
    }
    fmt::print("exports: {} files, {} refused\n", DeletedFiles(dir_.Path("")),
               slow.refused().size());
    EXPECT_EQ(DeletedFiles(dir_.Path("")), 4);
    ASSERT_EQ(slow.refused().size(), 12 - 4);
    EXPECT_EQ(slow.refused()[0].error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  SlowReaders<v1::ExportPiece> after;
  for (int i = 0; i < 1000 && DeletedFiles(dir_.Path("")) > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // until the others are gone
  }
  after.Add([&](grpc::ClientContext* context) { return results_->ExportRun(context, request); });
  EXPECT_TRUE(after.refused().empty());
}

TEST_F(MemoryTest, AReaderThatTakesNothingIsBrokenOff) {
  const auto draft = Begin("large");
  draft->Add(50 * kMega);
  ASSERT_TRUE(draft->End().ok());
  v1::ExportRunRequest request;
  request.set_id("large");
  const auto results = v1::Results::NewStub(SmallWindow(frontend_->client_address()));
  SlowReaders<v1::ExportPiece> slow;
  slow.Add([&](grpc::ClientContext* context) { return results->ExportRun(context, request); });
  for (int i = 0; i < 6000 && DeletedFiles(dir_.Path("")) > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // it ends by itself
  }
  EXPECT_EQ(DeletedFiles(dir_.Path("")), 0);
  EXPECT_EQ(slow.Last().error_code(), grpc::StatusCode::CANCELLED);
}

}  // namespace
}  // namespace twofold::frontend
