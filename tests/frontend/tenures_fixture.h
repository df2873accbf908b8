#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/queues/finished_jobs.h"
#include "frontend/queues/queue_host.h"
#include "tests/fakes/memory_store.h"

namespace twofold::frontend {

using queue::Held;
using queue::JobId;
using queue::Outcome;
using queue::ProcessId;
using queue::ProcessKey;
using Turn = QueueHost::Turn;

class FakeSubmitter : public Submitter {
 public:
  void OnAccepted(std::uint64_t tag, JobId) override { accepted.push_back(tag); }
  void OnGivenBack(const std::string& queue, std::uint64_t tag) override {
    EXPECT_EQ(queue, "sleep");
    given_back.push_back(tag);
  }
  void OnDurableMoved(std::uint8_t queue, const std::vector<TaggedJob>& unfinished) override {
    durable_moved.push_back(queue);
    for (const TaggedJob& job : unfinished) elsewhere.push_back(job.tag);
  }
  void OnEndElsewhere(std::uint64_t tag, const v1::Job& ended) override {
    ended_elsewhere.emplace_back(tag, ended.outcome());
  }
  void OnLostElsewhere(const std::string& queue, std::uint64_t tag) override {
    OnGivenBack(queue, tag);
  }
  void OnReply(const queue::Reply& reply, const WorkerIdentity*) override {
    replies.emplace_back(reply.tag, reply.outcome);
  }
  void Flush() override { ++flushes; }

  std::vector<std::uint64_t> accepted;
  std::vector<std::uint64_t> given_back;
  std::vector<std::pair<std::uint64_t, Outcome>> replies;
  std::vector<int> durable_moved;        // numbers of queues
  std::vector<std::uint64_t> elsewhere;  // durable jobs that are awaited
  std::vector<std::pair<std::uint64_t, v1::Outcome>> ended_elsewhere;
  std::atomic<int> flushes = 0;  // outside of the host's lock
};

class FakeWorker final : public WorkerEndpoint {
 public:
  void OnAssign(const queue::Assign& assign, const GangPlan*) override {
    assigned.push_back({assign.job, assign.attempt});
    specs.emplace_back(assign.spec);
  }
  void OnAskSent() override {
    ++asked;
    asked_after = assigned.size();
  }
  void OnGo(const Held&) override {}
  void OnCancelAttempt(const Held& attempt) override { cancelled.push_back(attempt); }
  void OnKept(const Held& attempt) override { kept.push_back(attempt); }
  void OnFollow(const Held&, bool) override {}
  void OnDrain() override { drained_after = assigned.size(); }
  void OnMoved(const std::string& queue) override {
    ++moved;
    moved_to = queue;
  }
  void OnReplaced() override {}
  void OnSilent() override { ++silent; }
  void Flush() override {}

  std::vector<Held> assigned;
  std::vector<std::string> specs;  // of those
  std::vector<Held> cancelled;
  std::vector<Held> kept;
  int asked = 0;                             // for Sent
  std::optional<std::size_t> asked_after;    // assignments
  std::optional<std::size_t> drained_after;  // assignments
  int moved = 0;
  int silent = 0;
  std::string moved_to;
};

class FakeWatcher final : public Watcher {
 public:
  void OnJob(const v1::Job&) override { ++jobs; }
  void OnOutput(std::uint32_t, std::string_view, std::uint64_t) override {}
  void OnMoved() override { ++moved; }
  [[nodiscard]] bool wants_output() const override { return false; }
  void Flush() override {}

  int jobs = 0;
  int moved = 0;
};

/// A host that serves its queue, with a store.
class TenuresTest : public ::testing::Test {
 protected:
  void SetUp() override { OpenAndServe(1); }

  void OpenAndServe(std::uint64_t epoch, std::uint64_t first_sequence = 1) {
    journal_ = std::make_shared<results::Journal>(store_);
    host_.Open({epoch, first_sequence, journal_}, Now());
    Turn(host_, Now()).Serve();
  }

  queue::Submitted Submit(std::uint64_t tag, bool durable = false,
                          std::function<void()> then = {}) {
    auto options = std::make_shared<queue::JobOptions>();
    options->durable = durable;
    options->max_attempts = 3;
    Turn turn(host_, Now());
    turn.AddSubmitter(kSubmitter, submitter_);
    return turn.Submit(kSubmitter, tag, options, "", {std::move(then)});
  }

  JobId SubmitDetached(const queue::JobOptions& options = {}, std::string_view spec = "") {
    return Turn(host_, Now())
        .Submit(queue::kDetached, 0, std::make_shared<const queue::JobOptions>(options), spec)
        .job;
  }

  /// What an opened host does before it serves.
  void RestoreAll() {
    std::vector<results::StoredJob> jobs;
    EXPECT_TRUE(store_.Load([&](results::StoredJob job) { jobs.push_back(std::move(job)); }).ok());
    for (const results::StoredJob& job : jobs) Turn(host_, Now()).Restore(job);
  }

  ProcessId Join(const std::shared_ptr<FakeWorker>& worker, std::uint32_t slots = 1,
                 QueueHost::Turn::Joining how = {}) {
    return Turn(host_, Now())
        .Join(ProcessKey{++last_key_}, slots, {}, {"node", "pod"}, worker, how);
  }

  bool Complete(ProcessId process, const Held& attempt, bool handed_back = false) {
    Turn turn(host_, Now());
    const bool counts = turn.Completed(process, {.job = attempt.job,
                                                 .attempt = attempt.attempt,
                                                 .handed_back = handed_back,
                                                 .outcome = Outcome::kSucceeded});
    turn.LeaveIfFree(process);
    return counts;
  }

  /// Waits for what the journal has got so far.
  void Sync() {
    std::promise<void> done;
    journal_->Append({}, [&] { done.set_value(); });
    done.get_future().get();
  }

  void Close() { Turn(host_, Now()).Close(); }

  std::size_t Stored() { return store_.List({.limit = 1000})->size(); }

  static constexpr queue::SubmitterId kSubmitter{7};

  results::MemoryStore store_;
  std::shared_ptr<results::Journal> journal_;
  const std::shared_ptr<FinishedJobs> finished_ = std::make_shared<FinishedJobs>();
  const Surroundings surroundings_{.detached = finished_};
  QueueHost host_{"sleep", {.unsent_limit = 5000}, false, surroundings_};
  const std::shared_ptr<FakeSubmitter> submitter_ = std::make_shared<FakeSubmitter>();
  const std::shared_ptr<FakeWorker> worker_ = std::make_shared<FakeWorker>();
  std::uint64_t last_key_ = 0;
};

}  // namespace twofold::frontend
