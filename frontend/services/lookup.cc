#include "frontend/services/lookup.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "frontend/queues/convert.h"

namespace twofold::frontend {
namespace {

constexpr std::size_t kDefaultPage = 100;

// A page ends when it has so much: reports are of up to 256 KiB.
constexpr std::size_t kPageBytes = 1 << 20;

// Jobs that are read from the store at a time, each with its spec and its report.
constexpr std::size_t kStoredStep = 8;

// Jobs that are looked at under one lock of their queue.
constexpr std::size_t kListStep = 200;

Status NoSuchJob(std::uint64_t id) {
  return absl::NotFoundError(
      absl::StrCat("id: there is no job ", id,
                   "; jobs of streams are forgotten when they end, those of SubmitJob after the "
                   "next ",
                   FinishedJobs::kKept, ", durable ones after --keep-finished-for"));
}

// ---- Lists

/// Which jobs a list is of.
struct Wanted {
  bool waiting = false;
  bool running = false;
  std::vector<queue::Outcome> outcomes = {};  ///< of jobs that have ended; each at most once

  [[nodiscard]] bool ended() const { return !outcomes.empty(); }
  [[nodiscard]] bool all() const {
    return waiting && running && outcomes.size() == queue::kOutcomes;
  }
};

/// Whether it is that queue, or the shard of that name.
bool IsOfQueue(const QueueHost& host, const std::string& name) {
  return host.queue() == name || host.name() == name;
}

bool WantsEnded(const v1::ListJobsRequest& request) {
  return request.finished() || request.outcomes_size() > 0 ||
         std::ranges::count(request.states(), v1::JOB_STATE_FINISHED) > 0;
}

/// Errors   kInvalidArgument: a state or an outcome that there is not.
Result<Wanted> WantedOf(const v1::ListJobsRequest& request) {
  const bool any = request.states().empty() && request.outcomes().empty();
  Wanted wanted{.waiting = any, .running = any};
  bool in_any_way = request.finished();
  for (const int state : request.states()) {
    wanted.waiting = wanted.waiting || state == v1::JOB_STATE_WAITING;
    wanted.running = wanted.running || state == v1::JOB_STATE_RUNNING;
    in_any_way = in_any_way || state == v1::JOB_STATE_FINISHED;
    if (v1::JobState_IsValid(state) && state != v1::JOB_STATE_UNSPECIFIED) continue;
    return absl::InvalidArgumentError(absl::StrCat("states has the unknown value ", state));
  }
  for (const int outcome : request.outcomes()) {
    if (v1::Outcome_IsValid(outcome) && outcome != v1::OUTCOME_UNSPECIFIED) continue;
    return absl::InvalidArgumentError(absl::StrCat("outcomes has the unknown value ", outcome));
  }
  for (int i = 0; i < queue::kOutcomes; ++i) {
    const auto outcome = static_cast<queue::Outcome>(i);
    const bool named = std::ranges::count(request.outcomes(), ToProto(outcome)) > 0;
    if (in_any_way || named) wanted.outcomes.push_back(outcome);
  }
  return wanted;
}

/// Where a page starts. As text "s:JOB": in the store, after this job; "QUEUE:PLACE": in that
/// queue, of which the frontend that serves it makes the page.
struct Place {
  bool in_store = false;
  std::uint64_t queue = 0;
  std::uint64_t from = 0;
};

Result<Place> ParsePlace(const v1::ListJobsRequest& request) {
  const std::string& token = request.page_token();
  Place place{.in_store = WantsEnded(request)};
  if (token.empty()) return place;
  const std::size_t colon = std::min(token.find(':'), token.size() - 1);
  const std::string queue = token.substr(0, colon);
  place.in_store = queue == "s";
  const bool queue_ok = place.in_store || absl::SimpleAtoi(queue, &place.queue);
  if (!queue_ok || !absl::SimpleAtoi(token.substr(colon + 1), &place.from)) {
    return absl::InvalidArgumentError("page_token is not one that a last page gave");
  }
  return place;
}

/// Fills one page.
class Page {
 public:
  Page(const QueueSet& queues, const v1::ListJobsRequest& request, Wanted wanted)
      : queues_(queues),
        request_(request),
        wanted_(std::move(wanted)),
        size_(request.page_size() == 0
                  ? kDefaultPage
                  : std::min<std::size_t>(request.page_size(), kMostJobsAPage)) {}

  /// False: the store may have more.
  Result<bool> AddStored(std::uint64_t after) {
    if (queues_.store() == nullptr) return true;
    std::size_t bytes = 0;
    for (std::size_t seen = 0; seen < size_ && bytes < kPageBytes;) {
      const std::size_t most = std::min(kStoredStep, size_ - seen);
      auto stored = queues_.store()->List(StoredQuery(after, most));
      if (!stored.ok()) return stored.status();
      const bool is_last = stored->size() < most;
      seen += stored->size();
      if (!is_last) after = stored->back().accepted.id;
      LeaveOutLive(*stored);
      for (const results::StoredJob& job : *stored) {
        *reply_.add_jobs() = ToProto(job);
        bytes += reply_.jobs().rbegin()->ByteSizeLong();
      }
      if (is_last) return true;
    }
    reply_.set_next_page_token(absl::StrCat("s:", after));
    return false;
  }

  void AddLive(std::uint64_t queue, std::uint64_t from) {
    if (!wanted_.waiting && !wanted_.running) return;
    for (; queue < queues_.all().size() && !full(); ++queue, from = 0) {
      QueueHost& host = *queues_.all()[queue];
      if (!request_.queue().empty() && !IsOfQueue(host, request_.queue())) continue;
      if (IsElsewhere(host)) break;  // whoever serves it goes on
      const std::uint32_t next = AddLiveOf(host, static_cast<std::uint32_t>(from));
      if (next != 0) {
        reply_.set_next_page_token(absl::StrCat(queue, ":", next));
        return;
      }
    }
    if (queue < queues_.all().size()) reply_.set_next_page_token(absl::StrCat(queue, ":0"));
  }

  v1::ListJobsReply Take() { return std::move(reply_); }

 private:
  // Of a whole run also those that have not ended on disk: one whose end is not there yet is in no
  // queue any more, and who looks after a run must not take it for one that never was.
  [[nodiscard]] results::JobQuery StoredQuery(std::uint64_t after, std::size_t most) const {
    results::JobQuery query{.headlines = request_.headlines(), .after = after, .limit = most};
    if (!request_.queue().empty()) query.queue = request_.queue();
    if (!request_.run().empty()) query.run = request_.run();
    if (!query.run || !wanted_.all()) query.outcomes = wanted_.outcomes;
    return query;
  }

  // Those that AddLive lists. Ids are in order, so the jobs of a queue come together: one turn.
  void LeaveOutLive(std::vector<results::StoredJob>& jobs) const {
    QueueHost* host = nullptr;
    std::optional<QueueHost::Turn> turn;
    std::erase_if(jobs, [&](const results::StoredJob& job) {
      if (std::holds_alternative<results::JobEnded>(job.state)) return false;
      const queue::JobId id{job.accepted.id};
      if (QueueHost* const owner = queues_.Owner(id); owner != host) {
        turn.reset();
        host = owner;
        if (host != nullptr) turn.emplace(*host, Now());
      }
      if (!turn) return false;
      return !turn->served() || turn->core().Find(turn->now(), id).has_value();
    });
  }

  [[nodiscard]] bool IsElsewhere(QueueHost& host) const {
    return queues_.directory() != nullptr && !host.Look(Now()).served;
  }
  [[nodiscard]] bool full() const { return room() == 0; }
  [[nodiscard]] std::size_t room() const {
    return size_ - static_cast<std::size_t>(reply_.jobs_size());
  }

  // In short turns, so that others have theirs between. Returns the place to go on from; 0: the
  // queue has no more.
  std::uint32_t AddLiveOf(QueueHost& host, std::uint32_t from) {
    do {
      const QueueHost::Turn turn(host, Now());
      const queue::JobPage page{.from = from,
                                .limit = std::min(room(), kListStep),
                                .run = request_.run(),
                                .waiting = wanted_.waiting,
                                .running = wanted_.running};
      from = turn.core().List(turn.now(), page, [&](const queue::JobView& view) {
        *reply_.add_jobs() = Describe(turn, host, view);
      });
    } while (from != 0 && !full());
    return from;
  }

  const QueueSet& queues_;
  const v1::ListJobsRequest& request_;
  const Wanted wanted_;
  const std::size_t size_;
  v1::ListJobsReply reply_;
};

}  // namespace

Result<v1::Job> FindJob(const QueueSet& queues, std::uint64_t id) {
  const queue::JobId job{id};
  QueueHost* const host = queues.Owner(job);
  if (host != nullptr) {
    const QueueHost::Turn turn(*host, Now());
    if (const auto view = turn.core().Find(turn.now(), job)) return Describe(turn, *host, *view);
  }
  if (!IsDurable(job)) {
    auto finished = queues.finished().Find(job);
    if (!finished) return NoSuchJob(id);
    finished->set_queue(host->name());
    return *std::move(finished);
  }
  if (queues.store() == nullptr) return NoSuchJob(id);
  const auto stored = queues.store()->Find(id);
  if (absl::IsNotFound(stored.status())) return NoSuchJob(id);
  if (!stored.ok()) return stored.status();
  return ToProto(*stored);
}

v1::Job Describe(const QueueHost::Turn& turn, const QueueHost& host, const queue::JobView& view) {
  v1::Job job = ToProto(view, host.name(), view.running ? turn.Identity(view.process) : nullptr);
  for (const queue::Member& member : view.members) {
    const WorkerIdentity* identity = turn.Identity(member.process);
    job.add_members()->set_node(identity->node);
    job.mutable_members()->rbegin()->set_pod(identity->pod);
  }
  SetProgress(job, turn.ProgressOf(view.job));
  return job;
}

std::string QueueOfList(const QueueSet& queues, const v1::ListJobsRequest& request) {
  const Result<Place> place = ParsePlace(request);
  if (!place.ok() || place->in_store) return queues.Known(request.queue());
  for (std::uint64_t i = place->queue; i < queues.all().size(); ++i) {
    const QueueHost& host = *queues.all()[i];
    if (request.queue().empty() || IsOfQueue(host, request.queue())) return host.name();
  }
  return {};
}

bool ListReadsStore(const v1::ListJobsRequest& request) {
  const std::string& token = request.page_token();
  return token.empty() ? WantsEnded(request) : token.starts_with("s:");
}

Result<v1::ListJobsReply> ListJobs(const QueueSet& queues, const v1::ListJobsRequest& request) {
  if (!request.queue().empty()) {
    if (const auto host = queues.Find(request.queue()); !host.ok()) return host.status();
  }
  const Result<Place> place = ParsePlace(request);
  if (!place.ok()) return place.status();
  Result<Wanted> wanted = WantedOf(request);
  if (!wanted.ok()) return wanted.status();
  Page page(queues, request, *std::move(wanted));
  if (!place->in_store) {
    page.AddLive(place->queue, place->from);
    return page.Take();
  }
  const Result<bool> whole = page.AddStored(place->from);
  if (!whole.ok()) return whole.status();
  if (*whole) page.AddLive(0, 0);
  return page.Take();
}

}  // namespace twofold::frontend
