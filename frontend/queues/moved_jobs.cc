#include "frontend/queues/moved_jobs.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "frontend/queues/convert.h"

namespace twofold::frontend {
namespace {

constexpr Duration kPause = std::chrono::milliseconds(50);
constexpr std::size_t kMostARound = 64;

}  // namespace

MovedJobs::MovedJobs(const results::Store& store, Duration patience)
    : store_(store), patience_(patience) {
  thread_ = std::thread([this] { Run(); });
}

MovedJobs::~MovedJobs() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void MovedJobs::Await(const std::weak_ptr<Submitter>& submitter, const std::string& queue,
                      const std::vector<TaggedJob>& jobs) {
  const Instant now = Now();
  {
    const MutexLock lock(mutex_);
    for (const TaggedJob& job : jobs) awaited_.push_back({submitter, queue, job, now});
  }
  changed_.NotifyAll();
}

void MovedJobs::Run() {
  Duration pause(0);
  while (PauseFor(pause)) {
    std::deque<Awaited> round;
    {
      const MutexLock lock(mutex_);
      const std::size_t size = std::min(awaited_.size(), kMostARound);
      const auto end = awaited_.begin() + static_cast<std::ptrdiff_t>(size);
      round.assign(std::make_move_iterator(awaited_.begin()), std::make_move_iterator(end));
      awaited_.erase(awaited_.begin(), end);
    }
    const Instant begin = Now();
    std::erase_if(round, [this](const Awaited& awaited) { return !LookAfter(awaited); });
    pause = std::max(kPause, 2 * (Now() - begin));
    const MutexLock lock(mutex_);
    awaited_.insert(awaited_.end(), std::make_move_iterator(round.begin()),
                    std::make_move_iterator(round.end()));
  }
}

/// Waits for jobs to look after, and then so long; false: stopped.
bool MovedJobs::PauseFor(Duration pause) {
  const MutexLock lock(mutex_);
  while (!stopped_ && awaited_.empty()) changed_.Wait(mutex_);
  const Instant end = Now() + pause;
  while (!stopped_ && changed_.WaitUntil(mutex_, end)) {
  }
  return !stopped_;
}

/// Whether it is to be looked after again.
bool MovedJobs::LookAfter(const Awaited& awaited) {
  const std::shared_ptr<Submitter> submitter = awaited.submitter.lock();
  if (submitter == nullptr) return false;
  const auto found = store_.Find(static_cast<results::JobId>(awaited.job.id));
  const bool is_lost = absl::IsNotFound(found.status()) && Now() - awaited.since >= patience_;
  const bool has_ended = found.ok() && std::holds_alternative<results::JobEnded>(found->state);
  if (has_ended) {
    submitter->OnEndElsewhere(awaited.job.tag, ToProto(*found));
  } else if (is_lost) {
    submitter->OnLostElsewhere(awaited.queue, awaited.job.tag);
  } else {
    return true;
  }
  submitter->Flush();
  return false;
}

}  // namespace twofold::frontend
