#include "bench/cluster/stored_queue.h"

#include <utility>

namespace twofold::scale {
namespace {

/// As a job of a run that may be tried again: what was lost shows in its attempts.
std::shared_ptr<const queue::JobOptions> DurableOptions() {
  static const auto kOptions = [] {
    queue::JobOptions options;
    options.durable = true;
    options.max_attempts = 3;
    return std::make_shared<const queue::JobOptions>(options);
  }();
  return kOptions;
}

}  // namespace

void StoredQueue::Load(Instant now, queue::Effects& effects) {
  ++lives_;
  core_ = std::make_unique<queue::Queue>(queue::QueueOptions{.grace = grace_,
                                                             .number = number_,
                                                             .first_generation = lives_,
                                                             .first_sequence = next_sequence_});
  for (queue::Restored& job : stored_) {
    core_->Step(now, queue::input::Restore{std::move(job)}, effects);
  }
  stored_ = {};
}

void StoredQueue::Drop(Instant now) {
  if (core_ == nullptr) return;
  next_sequence_ = Sequence(core_->last_durable_id()) + 1;
  std::uint32_t from = 0;
  do {
    from = core_->List(now, {.from = from},
                       [&](const queue::JobView& job) { stored_.push_back(Read(now, job)); });
  } while (from != 0);
  core_.reset();
}

queue::Restored StoredQueue::Read(Instant now, const queue::JobView& job) const {
  queue::Restored restored;
  restored.job = job.job;
  restored.options = DurableOptions();
  restored.attempts = job.attempt;
  restored.handed_out = job.running ? now - job.run_time : Instant{};
  restored.accepted = (job.running ? restored.handed_out : now) - job.wait;
  if (job.running) {
    restored.members.push_back({core_->FindProcess(job.process)->key, job.job});
  }
  return restored;
}

void StoredQueue::Submit(Instant now, queue::Effects& effects) {
  core_->Step(now, queue::input::Submit{queue::kDetached, 0, DurableOptions(), {}}, effects);
}

std::size_t StoredQueue::unfinished() const {
  if (core_ == nullptr) return stored_.size();
  const queue::QueueStats stats = core_->Stats();
  return stats.waiting + stats.running;
}

}  // namespace twofold::scale
