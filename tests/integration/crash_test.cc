// The frontend is killed at random moments under mixed load, and held to what it promised.
//
// TWOFOLD_KILLS=200 kills that often; TWOFOLD_SEED repeats the choices of an earlier run (not its
// timing).

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

#include "tests/integration/crash_recorder.h"
#include "tests/integration/durable_cluster.h"

namespace twofold::testing {
namespace {

using std::chrono::milliseconds;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// 0 to `sides` - 1.
  std::uint64_t Roll(std::uint64_t sides) { return engine_() % sides; }

 private:
  std::mt19937_64 engine_;
};

/// A client that keeps some jobs outstanding over all restarts, and tells the recorder.
class LoadClient {
 public:
  LoadClient(std::string name, std::uint64_t seed, CrashRecorder& recorder)
      : name_(std::move(name)), dice_(seed), recorder_(recorder) {}

  /// Does what can be done without waiting.
  void Step(const std::string& address, bool submit) {
    if (stream_ == nullptr) stream_ = std::make_unique<SubmitStream>(address);
    const bool over = !stream_->ended.empty();
    Take();
    if (over) return Disconnect();
    while (submit && outstanding_.size() < kOutstanding) SubmitOne();
  }
  bool idle() const { return outstanding_.empty(); }

 private:
  static constexpr std::size_t kOutstanding = 16;

  void SubmitOne() {
    const std::uint64_t tag = ++last_tag_;
    v1::JobOptions options;
    options.set_queue("sleep");
    options.set_durable(dice_.Roll(8) != 0);
    options.set_priority(static_cast<std::int32_t>(dice_.Roll(5)) - 2);
    options.set_max_attempts(static_cast<std::uint32_t>(dice_.Roll(3)) + 1);
    if (dice_.Roll(8) == 0) {
      options.mutable_gang()->set_size(2);
      options.mutable_gang()->set_timeout_ns(200'000'000);
    }
    if (options.durable()) {
      options.set_run(RunOf(tag));
      recorder_.Submitted(RunOf(tag), options);
    }
    outstanding_[tag] = {options.durable(), 0};
    std::string sleep = "0.0" + std::to_string(10 + dice_.Roll(90));
    if (dice_.Roll(2) == 0) sleep.resize(2000, '0');  // of durable jobs in the store alone
    stream_->Submit(options, tag, EncodeArguments(std::vector<std::string>{sleep}));
  }

  void Take() {
    while (!stream_->results.empty()) {
      const Ended ended = stream_->results.Take();
      TakeAccepted();  // that of this one is there, too
      const auto job = outstanding_.find(ended.tag);
      ASSERT_NE(job, outstanding_.end()) << "a second end of " << RunOf(ended.tag);
      if (job->second.durable) {
        EXPECT_NE(job->second.id, 0)
            << RunOf(ended.tag)
            << " ended and was never accepted: " << ended.report.ShortDebugString();
        recorder_.Told(job->second.id, {ended.outcome, ended.attempts});
      }
      outstanding_.erase(job);
    }
    TakeAccepted();
  }

  void TakeAccepted() {
    while (!stream_->accepted.empty()) {
      const Accepted accepted = stream_->accepted.Take();
      EXPECT_GT(accepted.tag, last_accepted_.tag) << "accepted out of order";
      EXPECT_GT(accepted.job, last_accepted_.job) << "ids are not in the order of submission";
      last_accepted_ = accepted;
      outstanding_[accepted.tag].id = accepted.job;
      recorder_.Accepted(RunOf(accepted.tag), accepted.job);
    }
  }

  // Nobody will tell us the rest.
  void Disconnect() {
    stream_->End();
    stream_.reset();
    outstanding_.clear();
  }

  std::string RunOf(std::uint64_t tag) const { return name_ + "-" + std::to_string(tag); }

  struct Outstanding {
    bool durable = false;
    std::uint64_t id = 0;
  };

  const std::string name_;
  Dice dice_;
  CrashRecorder& recorder_;
  std::unique_ptr<SubmitStream> stream_;
  std::map<std::uint64_t, Outstanding> outstanding_;
  std::uint64_t last_tag_ = 0;
  Accepted last_accepted_;
};

/// Kills a process from the side, while calls are under way.
class Killer {
 public:
  Killer(pid_t pid, milliseconds after)
      : thread_([this, pid, after] {
          std::this_thread::sleep_for(after);
          kill(pid, SIGKILL);  // not reaped before we say so, so the number is still its own
          done_ = true;
        }) {}
  ~Killer() { thread_.join(); }
  bool done() const { return done_; }

 private:
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

class CrashTest : public DurableClusterTest {
 protected:
  void SetUp() override {
    std::cout << "TWOFOLD_SEED=" << seed_ << "\n";
    for (std::uint64_t i = 0; i < 3; ++i) {
      loads_.push_back(
          std::make_unique<LoadClient>("client" + std::to_string(i), seed_ + i, recorder_));
    }
    StartDurable(kOptions);
    for (std::size_t i = 0; i < kBackends; ++i) backends_.push_back(NewBackend(i));
  }

  static constexpr std::size_t kBackends = 5;
  const Arguments kOptions = {"--grace", "2", "--lease", "10"};

  std::unique_ptr<Program> NewBackend(std::size_t number) {
    Arguments workload = {"sleep", "0"};
    if (number % 2 == 1) workload = {"/bin/sh", "-c", kScript, folder_ / "ran"};
    return StartBackendWith({"--slots", "3", "--backoff", "0.05", "--backoff-max", "0.1"},
                            workload);
  }
  // Rank 1 of a gang is ready at once, and stays until it is stopped.
  static constexpr const char* kScript = R"(
echo "$TWOFOLD_JOB $TWOFOLD_ATTEMPT ${TWOFOLD_GANG_RANK:-0}" >> "$0"
[ -n "${TWOFOLD_READY_FD:-}" ] || exec sleep "$1"
echo >&3
exec sleep 60)";

  /// One life of the frontend. It ends in the middle of what the others do.
  void LiveAndDie() {
    const Killer killer(frontend_->pid(), milliseconds(20 + dice_.Roll(1000)));
    bool worker_dies = dice_.Roll(3) == 0;
    while (!killer.done()) {
      for (const auto& load : loads_) load->Step(client_address_, true);
      if (dice_.Roll(20) == 0) LookOrCancel();
      if (worker_dies && dice_.Roll(100) == 0) {
        worker_dies = false;
        auto& backend = backends_[dice_.Roll(kBackends)];
        backend->Kill();
        backend = NewBackend(static_cast<std::size_t>(&backend - backends_.data()));
      }
      std::this_thread::sleep_for(milliseconds(1));
    }
    EXPECT_EQ(frontend_->Wait(), -SIGKILL) << frontend_->output();
  }

  /// Some die before they serve.
  void Revive() {
    while (dice_.Roll(4) == 0) {
      LaunchFrontend({"--store", store(), "--grace", "2", "sleep"});
      std::this_thread::sleep_for(milliseconds(dice_.Roll(60)));
      EXPECT_EQ(frontend_->Kill(), -SIGKILL) << frontend_->output();
    }
    StartDurable(kOptions);
  }

  /// Asks about one of the newest jobs, or cancels it.
  void LookOrCancel() {
    if (recorder_.jobs().empty()) return;
    const auto& jobs = recorder_.jobs();
    const std::uint64_t id =
        jobs[jobs.size() - 1 - dice_.Roll(std::min<std::size_t>(jobs.size(), 50))];
    const bool cancel = dice_.Roll(4) == 0;
    if (cancel) recorder_.AskedToCancel(id);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
    v1::GetJobRequest get;
    v1::CancelJobRequest cancelled;
    get.set_id(id);
    cancelled.set_id(id);
    v1::Job job;
    const grpc::Status status = cancel ? clients_->CancelJob(&context, cancelled, &job)
                                       : clients_->GetJob(&context, get, &job);
    EXPECT_NE(status.error_code(), grpc::StatusCode::NOT_FOUND) << status.error_message();
    if (!status.ok() || job.state() != v1::JOB_STATE_FINISHED) return;
    recorder_.Told(id, {job.outcome(), std::nullopt});
  }

  void Settle() {
    const auto settled = [this] {
      bool idle = true;
      for (const auto& load : loads_) {
        load->Step(client_address_, false);
        idle = idle && load->idle();
      }
      return idle && Series("twofold_jobs{queue=\"sleep\",state=\"waiting\"}") == 0 &&
             Series("twofold_jobs{queue=\"sleep\",state=\"running\"}") == 0;
    };
    EXPECT_TRUE(Await(settled));
  }

  void TakeWitness() {
    std::ifstream lines(folder_ / "ran");
    std::uint64_t job = 0;
    std::uint32_t attempt = 0;
    std::uint32_t rank = 0;
    while (lines >> job >> attempt >> rank) recorder_.Ran(job, attempt, rank);
  }

  const std::uint64_t seed_ = FromEnvironment("TWOFOLD_SEED", std::random_device{}());
  Dice dice_{seed_};
  CrashRecorder recorder_;
  std::vector<std::unique_ptr<LoadClient>> loads_;
  std::vector<std::unique_ptr<Program>> backends_;
};

TEST_F(CrashTest, WhatWasAcknowledgedIsThereOnceAndEndsOnce) {
  const std::uint64_t kills = FromEnvironment("TWOFOLD_KILLS", 20);
  for (std::uint64_t i = 0; i < kills && !HasFatalFailure(); ++i) {
    LiveAndDie();
    Revive();
  }
  Settle();
  TakeWitness();
  std::vector<v1::Job> jobs;
  // The ends that came last may be on their way to the disk. (A count would not do: jobs whose
  // acceptance nobody was told are there, too.)
  Await([&] { return recorder_.AllIn(jobs = List()); });
  std::map<std::string, int> counts;
  for (const v1::Job& job : jobs) {
    ++counts[v1::Outcome_Name(job.outcome())];
    if (job.attempts() > 1) ++counts["more than one attempt"];
  }
  std::cout << kills << " kills, " << recorder_.Summary() << ":";
  for (const auto& [what, count] : counts) std::cout << " " << count << " " << what;
  std::cout << "\n";
  recorder_.Check(jobs);
  EXPECT_GT(recorder_.jobs().size(), 10 * kills);
}

}  // namespace
}  // namespace twofold::testing
