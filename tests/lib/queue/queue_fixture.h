#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/queue/queue.h"
#include "tests/fakes/recording_effects.h"

namespace twofold::queue {

using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

inline JobOptions Dedup(const std::string& key) { return {.dedup_key = key}; }

inline JobOptions Limited(const std::string& key, std::uint32_t limit) {
  return {.limit_key = key, .key_limit = limit};
}

/// A queue with its clock and the record of what it did. The short forms of the calls fill in what
/// a test does not care about; Clear the record
/// (`effects.Clear()`) to see one step.
class QueueTest : public testing::Test {
 protected:
  static constexpr SubmitterId kAda{1};
  static constexpr SubmitterId kBob{2};

  explicit QueueTest(const QueueOptions& options = {}) : queue(options) {}

  Submitted TrySubmit(const JobOptions& options = {}, SubmitterId submitter = kAda,
                      std::string_view spec = "spec") {
    return queue.Step(
        now,
        input::Submit{submitter, ++last_tag, std::make_shared<const JobOptions>(options), spec},
        effects);
  }

  JobId Submit(const JobOptions& options = {}, SubmitterId submitter = kAda) {
    const Submitted submitted = TrySubmit(options, submitter);
    EXPECT_EQ(submitted.admission, Admission::kAccepted);
    return submitted.job;
  }

  ProcessId Join(std::uint64_t key, std::uint32_t slots = 1, const std::vector<Held>& held = {}) {
    return queue.Step(
        now, input::WorkerJoined{.key = ProcessKey{key}, .slots = slots, .held = held}, effects);
  }

  /// A process on a node of that name.
  ProcessId JoinOn(std::string_view node, std::uint64_t key, std::uint32_t slots = 1) {
    return queue.Step(
        now, input::WorkerJoined{.key = ProcessKey{key}, .slots = slots, .node = node}, effects);
  }

  bool Complete(ProcessId process, JobId job, Attempt attempt = 1,
                Outcome outcome = Outcome::kSucceeded) {
    return queue.Step(
        now, input::Completed{process, {.job = job, .attempt = attempt, .outcome = outcome}},
        effects);
  }

  bool HandBack(ProcessId process, JobId job, Attempt attempt = 1) {
    return queue.Step(
        now, input::Completed{process, {.job = job, .attempt = attempt, .handed_back = true}},
        effects);
  }

  void TickAfter(Duration duration) {
    now += duration;
    queue.Step(now, input::Tick{}, effects);
  }

  /// The jobs handed out, in order.
  [[nodiscard]] std::vector<JobId> HandedOut() const {
    std::vector<JobId> jobs;
    for (const Assigned& assigned : effects.Of<Assigned>()) jobs.push_back(assigned.job);
    return jobs;
  }

  /// The only reply of this step.
  [[nodiscard]] Replied OnlyReply() const {
    const std::vector<Replied> replies = effects.Of<Replied>();
    EXPECT_EQ(replies.size(), 1U);
    return replies.empty() ? Replied{} : replies.front();
  }

  [[nodiscard]] std::uint64_t Finished(Outcome outcome) const {
    return queue.Stats().finished.at(static_cast<std::size_t>(outcome));
  }

  Queue queue;
  RecordingEffects effects;
  Instant now{};
  std::uint64_t last_tag = 0;
};

}  // namespace twofold::queue
