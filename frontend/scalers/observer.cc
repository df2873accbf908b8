#include "frontend/scalers/observer.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "frontend/queues/convert.h"
#include "frontend/scalers/signals/history.h"
#include "frontend/services/gathering.h"
#include "frontend/services/lookup.h"

namespace twofold::scalers {
namespace {

using frontend::QueueHost;
using queue::Outcome;

// Between looks at queues that change all the time.
constexpr Duration kBreath = std::chrono::milliseconds(50);

constexpr const char* kListQueues = "/twofold.v1.Admin/ListQueues";

/// Jobs of the queue that have ended so.
std::uint64_t Finished(const v1::Queue& queue, Outcome outcome) {
  const auto found = queue.finished().find(std::string(queue::Name(outcome)));
  return found == queue.finished().end() ? 0 : found->second;
}

Counts CountsOf(const v1::Queue& queue) {
  Counts counts{.waiting = queue.waiting(),
                .held_back = queue.delayed() + queue.key_limited(),
                .running = queue.running(),
                .wanted_workers = queue.wanted_workers(),
                .oldest_waiting = Duration(static_cast<Duration::rep>(queue.oldest_waiting_ns()))};
  for (const Outcome outcome :
       {Outcome::kSucceeded, Outcome::kFailed, Outcome::kTimedOut, Outcome::kLost}) {
    counts.ended += Finished(queue, outcome);
  }
  // What was refused never arrived.
  counts.arrived = queue.waiting() + queue.running() + counts.ended +
                   Finished(queue, Outcome::kCancelled) + Finished(queue, Outcome::kAbandoned);
  return counts;
}

}  // namespace

/// What is known of each shard, and since when.
///
/// Threads  Safe.
class Observer::Book {
 public:
  void Note(Instant now, const v1::Queue& shard) {
    const Counts counts = CountsOf(shard);
    const MutexLock lock(mutex_);
    Page& page = pages_[shard.name()];
    if (shard.epoch() < page.epoch) return;  // of a frontend that has the queue no longer
    page.at = now;
    page.epoch = shard.epoch();
    page.counts = counts;
    page.history.Add(now, page.epoch, counts);
  }

  /// Adds what is known of a shard. Errors   see Observer::Read.
  Status AddTo(Reading& reading, const std::string& shard, const Trigger& trigger, Instant now) {
    const MutexLock lock(mutex_);
    const auto found = pages_.find(shard);
    if (found == pages_.end() || now - found->second.at > kFresh) return Unknown(shard);
    const Page& page = found->second;
    reading.now += page.counts;
    reading.age = std::max(reading.age, now - page.at);
    if (!reading.flow || !trigger.metric->needs_flow) return absl::OkStatus();
    const auto flow = page.history.Over(trigger.window);
    if (flow) {
      *reading.flow += *flow;
    } else {
      reading.flow.reset();
    }
    return absl::OkStatus();
  }

  /// False: the others are being asked already.
  bool BeginAsking() {
    const MutexLock lock(mutex_);
    return !std::exchange(is_asking_, true);
  }

  void EndAsking(Instant now, const Result<v1::ListQueuesReply>& reply) {
    if (reply.ok()) {
      for (const v1::Queue& shard : reply->queues()) Note(now, shard);
    }
    const MutexLock lock(mutex_);
    is_asking_ = false;
    trouble_ = reply.status();
  }

 private:
  struct Page {
    Instant at{};
    std::uint64_t epoch = 0;
    Counts counts;
    History history;
  };

  [[nodiscard]] Status Unknown(const std::string& shard) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (trouble_.ok()) {
      return absl::UnavailableError(absl::StrCat("queue ", shard, ": no frontend serves it now"));
    }
    return absl::UnavailableError(absl::StrCat(
        "queue ", shard, " is served by another frontend, which does not say what it has: ",
        std::string(trouble_.message())));
  }

  Mutex mutex_;
  absl::flat_hash_map<std::string, Page> pages_ ABSL_GUARDED_BY(mutex_);  // by shard
  bool is_asking_ ABSL_GUARDED_BY(mutex_) = false;
  Status trouble_ ABSL_GUARDED_BY(mutex_);  // when the others were asked last
};

Observer::Observer(const frontend::QueueSet& queues, frontend::Peers* peers,
                   frontend::Alarm& changes)
    : queues_(queues),
      peers_(peers),
      changes_(changes),
      book_(std::make_shared<Book>()),
      thread_([this] { Run(); }) {}

Observer::~Observer() {
  changes_.Stop();
  thread_.join();
}

Result<std::vector<QueueHost*>> Observer::ShardsOf(const std::string& queue) const {
  auto shards = queues_.FindAll(queue);
  if (shards.ok()) return shards;
  return absl::InvalidArgumentError(std::string(shards.status().message()));
}

Result<Reading> Observer::Read(const Trigger& trigger) {
  const auto shards = ShardsOf(trigger.queue);
  if (!shards.ok()) return shards.status();
  Reading reading{.now = {}, .flow = Flow()};
  for (QueueHost* const shard : *shards) {
    const Instant now = Now();
    const QueueHost::Snapshot snapshot = shard->Look(now);
    if (snapshot.served) book_->Note(now, ToProto(*shard, snapshot));
    Status status = book_->AddTo(reading, shard->name(), trigger, now);
    if (!status.ok()) return status;
  }
  return reading;
}

void Observer::Listen(Trigger trigger, std::weak_ptr<Listener> listener) {
  {
    const MutexLock lock(mutex_);
    listeners_.emplace_back(std::move(trigger), std::move(listener));
  }
  changes_.Ring(Instant::min());
}

void Observer::Run() {
  Instant next_note = Now();
  while (!changes_.stopped()) {
    changes_.Clear();
    const Instant now = Now();
    if (now >= next_note) {
      NoteAll(now);
      next_note = now + History::kPeriod;
    }
    TellListeners();
    changes_.Sleep(Now() + kBreath);
    changes_.Wait(next_note);
  }
}

void Observer::NoteAll(Instant now) {
  bool others_have_some = false;
  for (const auto& shard : queues_.all()) {
    const QueueHost::Snapshot snapshot = shard->Look(now);
    if (snapshot.served) book_->Note(now, ToProto(*shard, snapshot));
    others_have_some = others_have_some || !snapshot.served;
  }
  if (others_have_some && peers_ != nullptr && book_->BeginAsking()) AskOthers();
}

void Observer::AskOthers() {
  frontend::Caller self = peers_->self();
  self.deadline = std::chrono::system_clock::time_point::max();
  // Of a frontend that does not answer only its own queues are not known.
  const auto miss = [](auto&, auto&, auto&) {};
  frontend::Gather<v1::ListQueuesRequest, v1::ListQueuesReply>(
      *peers_, kListQueues, {}, self, v1::ListQueuesReply(), {}, miss,
      [book = book_](const Result<v1::ListQueuesReply>& reply) { book->EndAsking(Now(), reply); });
}

void Observer::TellListeners() {
  std::vector<std::pair<Trigger, std::shared_ptr<Listener>>> there;
  {
    const MutexLock lock(mutex_);
    std::erase_if(listeners_, [](const auto& listener) { return listener.second.expired(); });
    for (const auto& [trigger, weak] : listeners_) {
      if (auto listener = weak.lock()) there.emplace_back(trigger, std::move(listener));
    }
  }
  for (const auto& [trigger, listener] : there) {
    const auto reading = Read(trigger);
    if (!reading.ok()) continue;  // what is not known is not said
    if (const auto active = IsActive(trigger, *reading); active.ok()) listener->OnActivity(*active);
  }
}

}  // namespace twofold::scalers
