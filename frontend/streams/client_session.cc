#include "frontend/streams/client_session.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "frontend/queues/convert.h"
#include "frontend/queues/job_options.h"
#include "frontend/queues/refusal.h"
#include "lib/rpc/limits.h"

namespace twofold::frontend {
namespace {

// Of those who wait for the owner of a queue, beside the tags of their jobs.
constexpr std::size_t kBytesToWait = 256;

constexpr std::string_view kNoRoomForReason = "refused, as others of its message that say why";

/// Where the worker stands in the table of the batch. Mostly it is that of the row before.
std::uint32_t IndexOf(const WorkerIdentity& worker, std::string_view device, v1::ResultBatch& batch,
                      ReplyNotes& notes) {
  const bool is_last = worker.number != 0 && worker.number == notes.worker &&
                       batch.workers(static_cast<int>(notes.worker_index)).device() == device;
  if (is_last) return notes.worker_index;
  notes.worker = worker.number;
  notes.worker_index = rpc::WorkerIndex(batch, worker.node, worker.pod, device);
  return notes.worker_index;
}

}  // namespace

ClientSession::ClientSession(QueueSet& queues, queue::SubmitterId id, bool can_follow)
    : queues_(queues), id_(id), can_follow_(can_follow) {}

/// Not before: one that never begins does not end either.
void ClientSession::OnOpen() { ++queues_.traffic().clients; }

// ---- jobs in

void ClientSession::OnMessage(const v1::SubmitRequest& request) {
  if (Status status = rpc::Check(request); !status.ok()) return Close(status);
  queues_.traffic().submitted.Count(request.tags_size());
  if (request.load_key() != 0) load_key_ = request.load_key();
  reason_bytes_ = 0;
  Resolve(request);
  if (request.moved_epoch() != 0) Came(request.moved_epoch());
  Submit(request);
  Flush();
}

/// Another frontend has sent the client here, for the queue that it names first.
void ClientSession::Came(std::uint64_t moved_epoch) {
  if (targets_.empty() || targets_[0].host == nullptr) return;
  const MutexLock lock(mutex_);
  moved_epochs_[targets_[0].host->name()] = moved_epoch;
}

/// Whoever wants all shards of the queue has to know that there are more.
void ClientSession::SayShards(const QueueHost& queue) {
  const std::size_t shards = queues_.ShardsOf(queue).size();
  if (shards == 1 || std::exchange(said_shards_, true)) return;
  Add([&](v1::SubmitReply& message) {
    message.set_shards(static_cast<std::uint32_t>(shards));
    return sizeof(std::uint32_t);
  });
}

void ClientSession::Resolve(const v1::SubmitRequest& request) {
  if (request.options().empty()) return;
  std::string first = request.options(0).SerializeAsString();
  if (request.options_size() == 1 && targets_.size() == 1 && first == first_options_) return;
  targets_.clear();
  for (const v1::JobOptions& options : request.options()) targets_.push_back(MakeTarget(options));
  first_options_ = std::move(first);
}

ClientSession::Target ClientSession::MakeTarget(const v1::JobOptions& options) {
  Result<QueueHost*> host = queues_.Find(options.queue());
  if (!host.ok()) return {nullptr, nullptr, std::string(host.status().message()), {}};
  SayShards(**host);
  auto core_options = FromProto(options, (*host)->durable());
  if (!core_options.ok())
    return {nullptr, nullptr, std::string(core_options.status().message()), {}};
  QueueHost& home = queues_.Home(**host, **core_options);
  return {&home, *std::move(core_options), {}, options.place()};
}

void ClientSession::Submit(const v1::SubmitRequest& request) {
  std::optional<QueueHost::Turn> turn;  // one as long as the rows are for the same queue
  QueueHost* host = nullptr;
  outstanding_ += request.tags_size();  // before their ends, which may come at once
  std::int64_t others = 0;
  rpc::ForEach(request, [&](const rpc::JobRow& row) {
    const Target& target = targets_[row.option];
    if (target.host == nullptr) {
      ++others;
      return Reject(row.tag, target.error, Duration(0));
    }
    if (target.host != host) {
      host = target.host;
      turn.reset();
      turn.emplace(*host, Now());
      if (turn->served()) turn->AddSubmitter(id_, Self(), load_key_);
    }
    if (!SubmitOne(row, target, *turn)) ++others;
  });
  outstanding_ -= others;
}

/// Whether it counts as outstanding.
bool ClientSession::SubmitOne(const rpc::JobRow& row, const Target& target, QueueHost::Turn& turn) {
  const bool durable = target.options->durable;
  if (!turn.served()) {
    OnGivenBack(target.host->name(), row.tag);
    return true;
  }
  Status takes = turn.CanTake(durable);
  if (target.options->gang.size > 1) takes.Update(CheckSpec(*target.options, row.spec.size()));
  if (!takes.ok()) {
    Reject(row.tag, takes);
    return false;
  }
  if (durable) CountDurable(target.host->number(), 1);  // before its end, which may come at once
  const queue::Submitted submitted =
      turn.Submit(id_, row.tag, target.options, row.spec, {}, target.place);
  if (submitted.admission == queue::Admission::kAccepted) return !durable;
  if (durable) CountDurable(target.host->number(), -1);
  Reject(row.tag, Refusal(submitted, target.host->name()));
  return false;
}

/// What is no mistake and needs nobody's help passes.
void ClientSession::Reject(std::uint64_t tag, const Status& why) {
  const bool passes = !absl::IsFailedPrecondition(why) && !absl::IsInvalidArgument(why);
  Reject(tag, std::string(why.message()), passes ? kRetryAfter : Duration(0));
}

void ClientSession::Reject(std::uint64_t tag, std::string_view error, Duration retry_after) {
  const bool has_room = reason_bytes_ + error.size() <= rpc::kMaxReasonBytes;
  if (has_room) reason_bytes_ += error.size();
  const std::string report = ErrorReport(has_room ? error : kNoRoomForReason);
  Add([&](v1::SubmitReply& message) {
    if (retry_after > Duration(0)) message.set_retry_after_ns(Ns(retry_after));
    v1::ResultBatch& batch = ResultsOf(message);
    return rpc::Append(batch, {.tag = tag,
                               .outcome = v1::OUTCOME_REJECTED,
                               .attempts = 0,
                               .worker = rpc::WorkerIndex(batch, {}, {}, {}),
                               .report = report});
  });
}

// ---- ends out

v1::ResultBatch& ClientSession::ResultsOf(v1::SubmitReply& message) const {
  message.set_others_started(others_started_);
  return *message.mutable_results();
}

void ClientSession::OnAccepted(std::uint64_t tag, queue::JobId job) {
  Add([&](v1::SubmitReply& message) {
    message.mutable_accepted()->add_tags(tag);
    message.mutable_accepted()->add_jobs(static_cast<std::uint64_t>(job));
    return sizeof tag + sizeof job;
  });
}

void ClientSession::OnReply(const queue::Reply& reply, const WorkerIdentity* worker) {
  const bool as_is = reply.reason.empty() && reply.rank == 0;
  const std::string changed = as_is ? std::string() : ReportFor(reply);
  const bool durable = IsDurable(reply.job);
  Add([&](v1::SubmitReply& message, ReplyNotes& notes) {
    v1::ResultBatch& batch = ResultsOf(message);
    if (!durable) ++notes.volatile_ends;
    const std::uint32_t index = worker == nullptr ? rpc::WorkerIndex(batch, {}, {}, {})
                                                  : IndexOf(*worker, reply.device, batch, notes);
    return rpc::Append(batch, {.tag = reply.tag,
                               .outcome = ToProto(reply.outcome),
                               .wait_ns = Ns(reply.wait),
                               .run_ns = Ns(reply.run_time),
                               .attempts = reply.attempts,
                               .worker = index,
                               .report = as_is ? reply.report : changed});
  });
  if (durable) CountDurable(queue::QueueNumber(reply.job), -1);
}

void ClientSession::OnStanding(const queue::Standing& standing) {
  Add([&](v1::SubmitReply& message) {
    v1::Standing& now = *message.mutable_standing();
    now.set_waiting(standing.jobs - standing.running);
    now.set_running(standing.running);
    now.set_waited_ns(Ns(standing.waited));
    now.set_most_running(standing.most_running);
    return std::size_t{0};
  });
}

void ClientSession::Flush() {
  SendAway();
  ServerStream::Flush();
  CloseIfDone();
}

void ClientSession::CloseIfDone() {
  if (half_closed_ && outstanding_ == 0 && !AwaitsDurable()) Close(absl::OkStatus());
}

// ---- queues that are served elsewhere

void ClientSession::OnGivenBack(const std::string& queue, std::uint64_t tag) {
  const MutexLock lock(mutex_);
  given_back_[queue].push_back(tag);
}

void ClientSession::OnDurableMoved(std::uint8_t queue, const std::vector<TaggedJob>& unfinished) {
  const MutexLock lock(mutex_);
  durable_.erase(queue);
  elsewhere_ += static_cast<std::int64_t>(unfinished.size());
}

void ClientSession::OnEndElsewhere(std::uint64_t tag, const v1::Job& ended) {
  const std::string report = ended.report().SerializeAsString();
  const v1::WorkerName& worker = ended.worker();
  Add([&](v1::SubmitReply& message) {
    v1::ResultBatch& batch = ResultsOf(message);
    return rpc::Append(
        batch, {.tag = tag,
                .outcome = ended.outcome(),
                .wait_ns = ended.wait_ns(),
                .run_ns = ended.run_ns(),
                .attempts = ended.attempts(),
                .worker = rpc::WorkerIndex(batch, worker.node(), worker.pod(), worker.device()),
                .report = report});
  });
  const MutexLock lock(mutex_);
  --elsewhere_;
}

void ClientSession::OnLostElsewhere(const std::string& queue, std::uint64_t tag) {
  ++outstanding_;
  OnGivenBack(queue, tag);
  const MutexLock lock(mutex_);
  --elsewhere_;
}

/// An end that was on its way when the queue moved does not count any more.
void ClientSession::CountDurable(std::uint8_t queue, std::int64_t more) {
  const MutexLock lock(mutex_);
  std::int64_t& count = durable_[queue];
  count += more;
  if (count <= 0) durable_.erase(queue);
}

bool ClientSession::AwaitsDurable() {
  const MutexLock lock(mutex_);
  return !durable_.empty() || elsewhere_ > 0;
}

/// Says where the queues are, when it is known.
void ClientSession::SendAway() {
  std::map<std::string, std::vector<std::uint64_t>> given_back;
  {
    const MutexLock lock(mutex_);
    given_back.swap(given_back_);
  }
  for (auto& [queue, tags] : given_back) {
    const std::size_t bytes = kBytesToWait + tags.capacity() * sizeof(std::uint64_t);
    queues_.directory()->Await(
        queue, NewestEpoch(queue),
        [self = std::static_pointer_cast<ClientSession>(shared_from_this()),
         tags = std::move(tags)](const v1::Moved& where) { self->SendAway(where, tags); },
        bytes);
  }
}

/// Whoever is said to serve the queue under an older one does so no longer.
std::uint64_t ClientSession::NewestEpoch(const std::string& queue) {
  const std::uint64_t next = (*queues_.Find(queue))->NextEpoch();
  const MutexLock lock(mutex_);
  const auto told = moved_epochs_.find(queue);
  return told == moved_epochs_.end() ? next : std::max(told->second, next);
}

void ClientSession::SendAway(const v1::Moved& where, const std::vector<std::uint64_t>& tags) {
  Add([&](v1::SubmitReply& message) {
    const auto known =
        std::find_if(message.mutable_moved()->begin(), message.mutable_moved()->end(),
                     [&](const v1::Moved& each) { return each.queue() == where.queue(); });
    v1::Moved& moved = known == message.mutable_moved()->end() ? *message.add_moved() : *known;
    std::vector<std::uint64_t> all(moved.tags().begin(), moved.tags().end());
    all.insert(all.end(), tags.begin(), tags.end());
    moved = where;
    if (!can_follow_) moved.clear_shards();
    moved.mutable_tags()->Assign(all.begin(), all.end());
    return tags.size() * sizeof(std::uint64_t) + where.ByteSizeLong();
  });
  outstanding_ -= static_cast<std::int64_t>(tags.size());
  ServerStream::Flush();
  CloseIfDone();
}

void ClientSession::OnWrite(const v1::SubmitReply& reply, const ReplyNotes& notes) {
  queues_.traffic().replied.Count(reply.results().tags_size());
  outstanding_ -= notes.volatile_ends;
  CloseIfDone();
}

void ClientSession::OnHalfClosed() {
  half_closed_ = true;
  Flush();
}

void ClientSession::OnGone() {
  for (const auto& host : queues_.all()) QueueHost::Turn(*host, Now()).RemoveSubmitter(id_);
  --queues_.traffic().clients;
}

std::shared_ptr<Submitter> ClientSession::Self() {
  return {shared_from_this(), static_cast<Submitter*>(this)};
}

}  // namespace twofold::frontend
