// A store whose disk is full, and has space again.

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "tests/integration/durable_cluster.h"

namespace twofold::testing {
namespace {

using ::testing::HasSubstr;

/// The store is alone on a small file system. That is mounted in a namespace of this thread and
/// what it starts, so that it goes with them, however this test ends.
class DiskFullTest : public DurableClusterTest {
 protected:
  void SetUp() override {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0) {
      GTEST_SKIP() << "needs to mount a file system: " << std::strerror(errno);
    }
    const std::string disk = folder_ / "disk";
    std::filesystem::create_directory(disk);
    if (mount("twofold", disk.c_str(), "tmpfs", 0, "size=2m") != 0) {
      GTEST_SKIP() << "needs to mount a tmpfs: " << std::strerror(errno);
    }
  }
  void TearDown() override {
    frontend_.reset();  // before its disk
    umount2((folder_ / "disk").c_str(), MNT_DETACH);
  }

  void Start() {
    StartFrontend({"--store", "sqlite:" + (folder_ / "disk/jobs.db"), "sleep"});
    clients_ = v1::Clients::NewStub(cli::Connect(client_address_));
  }

  std::string filler() const { return folder_ / "disk/filler"; }
  void FillDisk() {
    const int file = open(filler().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    const std::array<char, 1024> block{};
    while (write(file, block.data(), block.size()) > 0) continue;
    EXPECT_EQ(errno, ENOSPC);
    close(file);
  }

  http::Response Page(const std::string& path) {
    const auto response = http::Get("http://" + http_address_ + path, std::chrono::seconds(10));
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : http::Response{};
  }

  static v1::JobOptions Volatile() {
    v1::JobOptions options;
    options.set_queue("sleep");
    return options;
  }
};

// Small ones find room in the log that SQLite has; these do not.
const std::string kBigSpec(64 << 10, '0');

TEST_F(DiskFullTest, RefusesDurableJobsServesTheRestAndRecovers) {
  Start();
  SubmitStream client(client_address_);
  client.Submit(Durable("before"), 1, Spec("0"));
  const std::uint64_t before = client.accepted.Take().job;
  EXPECT_EQ(Page("/readyz").status, 200);
  EXPECT_EQ(Series("twofold_store_writable"), 1);
  EXPECT_GT(Series("twofold_store_commits_total"), 0);

  FillDisk();
  client.Submit(Durable("during"), 2, kBigSpec);  // finds out that the disk is full, and waits
  EXPECT_TRUE(Await([&] { return Page("/readyz").status == 503; }));
  EXPECT_THAT(Page("/readyz").body, HasSubstr("durable jobs cannot be stored now: "));
  EXPECT_THAT(Page("/readyz").body, HasSubstr("full"));
  EXPECT_EQ(Page("/healthz").status, 200);
  EXPECT_EQ(Series("twofold_store_writable"), 0);
  EXPECT_GT(Series("twofold_store_pending_bytes"), kBigSpec.size());
  EXPECT_GT(Series("twofold_store_commit_failures_total"), 0);

  client.Submit(Durable(), 3, Spec("0"));
  const Ended refused = client.results.Take();
  EXPECT_EQ(refused.tag, 3);
  EXPECT_EQ(refused.outcome, v1::OUTCOME_REJECTED);
  EXPECT_THAT(refused.report.error(), HasSubstr("durable jobs cannot be stored now: "));
  EXPECT_GT(refused.retry_after_ns, 0);
  EXPECT_TRUE(client.accepted.empty());

  const auto backend = StartBackend({"sleep", "0"}, {"--slots", "4"});
  client.Submit(Volatile(), 4, Spec("0"));
  const Ended served = client.results.Take();
  EXPECT_EQ(served.tag, 4);  // and not that of tag 1, whose end is not on disk
  EXPECT_EQ(served.outcome, v1::OUTCOME_SUCCEEDED);

  ASSERT_TRUE(std::filesystem::remove(filler()));
  EXPECT_TRUE(Await([&] { return Page("/readyz").status == 200; }));
  EXPECT_EQ(Series("twofold_store_writable"), 1);
  const Accepted during = client.accepted.Take();
  EXPECT_EQ(during.tag, 2);
  AwaitEnd(during.job);
  EXPECT_EQ(AwaitEnd(before).outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(frontend_->Kill(), -SIGKILL);
  Start();
  EXPECT_EQ(Job(before).outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(Job(before).attempts(), 1);
  EXPECT_EQ(Job(during.job).state(), v1::JOB_STATE_FINISHED);
}

TEST_F(DiskFullTest, KilledWhileFullLosesNothingThatWasAcknowledged) {
  Start();
  std::vector<std::uint64_t> jobs;
  for (int i = 0; i < 10; ++i) jobs.push_back(SubmitOne(Durable(), "0.01"));
  FillDisk();
  SubmitStream client(client_address_);
  client.Submit(Durable(), 1, kBigSpec);
  EXPECT_TRUE(Await([&] { return Page("/readyz").status == 503; }));
  EXPECT_EQ(frontend_->Kill(), -SIGKILL);
  EXPECT_TRUE(client.accepted.empty());
  ASSERT_TRUE(std::filesystem::remove(filler()));
  Start();
  const auto backend = StartBackend({"sleep", "0"}, {"--slots", "4"});
  for (const std::uint64_t job : jobs) {
    EXPECT_EQ(AwaitEnd(job).outcome(), v1::OUTCOME_SUCCEEDED);
    EXPECT_EQ(Job(job).attempts(), 1);
  }
}

}  // namespace
}  // namespace twofold::testing
