#include "tests/fuzz/worker_peer.h"

#include <algorithm>

#include "backend/workload/job.h"
#include "lib/rpc/batches.h"
#include "tests/fuzz/target.h"

namespace twofold::fuzz {
namespace {

void CheckAttempts(const v1::Attempts& attempts) {
  Require(attempts.jobs_size() == attempts.attempts_size(), "each job has its attempt");
}

}  // namespace

WorkerPeer::WorkerPeer(Frontend& frontend, std::uint64_t process_key)
    : frontend_(frontend),
      process_key_(process_key),
      call_(frontend.Work([this](std::string_view bytes) { Take(bytes); })) {}

void WorkerPeer::Send(std::string_view bytes) {
  if (!call_->reads()) return;
  v1::WorkerMessage message;
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) Note(message);
  call_->Receive(bytes);
}

// ---- what it says

/// What the frontend will take from the message; what it refuses ends the stream.
void WorkerPeer::Note(const v1::WorkerMessage& message) {
  if (!joined_) {
    joined_ = true;
    slots_ = message.hello().held_jobs().empty() ? message.hello().slots() : 0;
    return;
  }
  const v1::WorkerResults& results = message.results();
  if (!rpc::Check(results).ok()) return;
  rpc::ForEach(results, [this](const rpc::WorkerResultRow& row) {
    unanswered_.erase({queue::JobId{row.job}, row.attempt});
  });
}

std::uint64_t WorkerPeer::Mine(std::uint64_t job) const {
  if (job >= 64 || given_.empty()) return job;
  return static_cast<std::uint64_t>(given_[given_.size() - 1 - job % given_.size()].job);
}

void WorkerPeer::SendAboutMine(std::string_view bytes) {
  v1::WorkerMessage message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Send(bytes);
  const auto translate = [this](auto& jobs) {
    for (std::uint64_t& job : jobs) job = Mine(job);
  };
  if (message.has_results()) translate(*message.mutable_results()->mutable_jobs());
  if (message.has_ready()) translate(*message.mutable_ready()->mutable_jobs());
  if (message.has_hello()) translate(*message.mutable_hello()->mutable_held_jobs());
  for (v1::Progress& progress : *message.mutable_progress()) progress.set_job(Mine(progress.job()));
  for (v1::Output& output : *message.mutable_output()) output.set_job(Mine(output.job()));
  Send(message.SerializeAsString());
}

void WorkerPeer::Join(const std::string& queue, std::uint32_t slots) {
  v1::WorkerMessage message;
  message.mutable_hello()->set_queue(queue);
  message.mutable_hello()->set_process_key(process_key_);
  message.mutable_hello()->set_slots(slots);
  message.mutable_hello()->set_node("node");
  Send(message.SerializeAsString());
}

void WorkerPeer::AnswerAll(v1::Outcome outcome, bool handed_back) {
  v1::WorkerMessage message;
  const std::set<queue::Held> all = unanswered_;
  for (const queue::Held& held : all) {
    message.mutable_ready()->add_jobs(static_cast<std::uint64_t>(held.job));
    message.mutable_ready()->add_attempts(held.attempt);
    rpc::Append(*message.mutable_results(), {.job = static_cast<std::uint64_t>(held.job),
                                             .attempt = held.attempt,
                                             .outcome = outcome,
                                             .device = {},
                                             .handed_back = handed_back,
                                             .report = {}});
  }
  Send(message.SerializeAsString());
}

// ---- what it hears

void WorkerPeer::Take(std::string_view bytes) {
  v1::FrontendMessage message;
  Require(message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())),
          "what workers get are messages");
  TakeAssigns(message.assigns());
  CheckAttempts(message.cancels());
  CheckAttempts(message.go());
  CheckAttempts(message.kept());
  CheckAttempts(message.follow());
  CheckAttempts(message.unfollow());
}

void WorkerPeer::TakeAssigns(const v1::AssignBatch& batch) {
  Require(rpc::Check(batch).ok(), "assignments have whole columns");
  Require(backend::GangRows::Of(batch).ok(), "members of gangs have their rows and ranks");
  rpc::ForEach(batch, [this](const rpc::AssignRow& row) {
    const queue::Held attempt{queue::JobId{row.job}, row.attempt};
    Require(frontend_.IsNew(attempt), "a token is given out once");
    given_.push_back(attempt);
    unanswered_.insert(attempt);
  });
  Require(slots_ == 0 || unanswered_.size() <= slots_, "never more attempts than slots");
}

}  // namespace twofold::fuzz
