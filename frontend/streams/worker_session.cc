#include "frontend/streams/worker_session.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "frontend/queues/convert.h"
#include "frontend/queues/job_options.h"
#include "frontend/streams/checks.h"
#include "lib/common/limited_log.h"

namespace twofold::frontend {
namespace {

std::vector<queue::Held> HeldOf(const v1::Hello& hello) {
  std::vector<queue::Held> held;
  held.reserve(static_cast<std::size_t>(hello.held_jobs_size()));
  for (int i = 0; i < hello.held_jobs_size(); ++i) {
    held.push_back({queue::JobId{hello.held_jobs(i)}, hello.held_attempts(i)});
  }
  return held;
}

queue::Completion ToCompletion(const rpc::WorkerResultRow& row) {
  return {.job = queue::JobId{row.job},
          .attempt = row.attempt,
          .handed_back = row.handed_back,
          .outcome = FromProto(row.outcome),
          .run_time = Duration(static_cast<Duration::rep>(row.run_ns)),
          .device = row.device,
          .report = row.report};
}

WorkerIdentity IdentityOf(const v1::Hello& hello) {
  return {hello.node(),
          hello.pod(),
          hello.device(),
          hello.address(),
          {hello.labels().begin(), hello.labels().end()},
          static_cast<std::uint16_t>(hello.peers_port())};
}

// What the members of a gang are called.
v1::GangRoster ToProto(const GangPlan& plan) {
  v1::GangRoster gang;
  gang.set_job(static_cast<std::uint64_t>(plan.job));
  gang.set_attempt(plan.attempt);
  for (const WorkerIdentity& identity : plan.peers) {
    v1::Peer& peer = *gang.add_peers();
    peer.set_node(identity.node);
    peer.set_pod(identity.pod);
    peer.set_address(identity.address);
    peer.set_port(identity.peers_port);
  }
  gang.set_secret(plan.secret);
  return gang;
}

/// The index of the options in the batch, added if they are not there.
std::uint32_t OptionIndex(v1::AssignBatch& batch, SentOptions& sent,
                          const std::shared_ptr<const queue::JobOptions>& options) {
  for (std::size_t i = sent.size(); i-- > 0;) {
    if (sent[i] == options) return static_cast<std::uint32_t>(i);
  }
  sent.push_back(options);
  *batch.add_options() = frontend::ToProto(*options);
  return static_cast<std::uint32_t>(sent.size() - 1);
}

/// The next row of the batch is this member. Returns about how many bytes were added. The members
/// of a gang come one after the other: if it is in the message already, it is the last one there.
std::size_t AddMember(v1::AssignBatch& batch, const GangPlan& plan, std::uint32_t rank) {
  const auto job = static_cast<std::uint64_t>(plan.job);
  const bool there = !batch.gangs().empty() && batch.gangs().rbegin()->job() == job &&
                     batch.gangs().rbegin()->attempt() == plan.attempt;
  std::size_t bytes = 8;
  if (!there) {
    *batch.add_gangs() = ToProto(plan);
    bytes += batch.gangs().rbegin()->ByteSizeLong();
  }
  v1::GangMember& member = *batch.add_members();
  member.set_row(static_cast<std::uint32_t>(batch.jobs_size()));
  member.set_gang(static_cast<std::uint32_t>(batch.gangs_size() - 1));
  member.set_rank(rank);
  return bytes;
}

}  // namespace

// ---- results in

void WorkerSession::OnMessage(const v1::WorkerMessage& message) {
  if (Status status = Handle(message); !status.ok()) {
    static LimitedLog log;  // of all sessions: each may be the same worker that tries again
    if (const auto others = log.Admit(Now())) {
      spdlog::warn("worker stream refused: {}{}", std::string(status.message()), *others);
    }
    return Close(status);
  }
  Flush();
}

Status WorkerSession::Handle(const v1::WorkerMessage& message) {
  if (message.has_hello() != (host_ == nullptr)) {
    return absl::FailedPreconditionError(
        "hello must be the first message of a stream, and only it");
  }
  if (message.has_hello()) return Join(message.hello());
  if (left_) return absl::FailedPreconditionError("leaving must be in the last message");
  if (Status status = rpc::Check(message.results()); !status.ok()) return status;
  if (Status status = CheckProgress(message); !status.ok()) return status;
  QueueHost::Turn turn(*host_, Now());
  if (!turn.HasJoined(process_, this)) {
    if (moved_) return absl::OkStatus();  // it is on its way, and still has all that it says here
    return absl::AbortedError("this process has joined with another stream");
  }
  turn.Renew(process_);
  if (message.has_usage()) turn.Used(process_, message.usage());
  if (message.draining()) turn.Draining(process_);
  TakeTold(message, turn);
  Status status = message.has_results() ? TakeResults(message.results(), turn) : absl::OkStatus();
  if (message.leaving()) {
    left_ = true;
    turn.Left(process_, this);
  }
  return status;
}

/// Of a queue with several shards a worker that comes anew goes to the one with the fewest; one
/// that was sent here by name, or that holds jobs of a shard, to that one.
Result<QueueHost*> WorkerSession::HostFor(const v1::Hello& hello) const {
  const Result<QueueHost*> named = queues_.Find(hello.queue());
  if (!named.ok()) return named;
  const std::vector<QueueHost*>& shards = queues_.ShardsOf(**named);
  if (!hello.held_jobs().empty()) {
    QueueHost* const owner = queues_.Owner(queue::JobId{hello.held_jobs(0)});
    return owner != nullptr && owner->queue() == (*named)->queue() ? owner : named;
  }
  const bool is_anew = (*named)->shard() == 0 && hello.moved_epoch() == 0;
  if (shards.size() == 1 || !is_anew) return named;
  std::vector<std::string> names;
  for (const QueueHost* const shard : shards) names.push_back(shard->name());
  return queues_.Find(queues_.loads().JoinFewest(names, hello.slots()));
}

Status WorkerSession::Join(const v1::Hello& hello) {
  if (Status status = CheckHello(hello); !status.ok()) return status;
  const Result<QueueHost*> host = HostFor(hello);
  if (!host.ok()) return host.status();
  const std::vector<queue::Held> held = HeldOf(hello);
  QueueHost::Turn turn(**host, Now());
  host_ = *host;
  moved_epoch_ = hello.moved_epoch();
  if (!turn.served()) {
    OnMoved(host_->name());
    return absl::OkStatus();
  }
  Add([&](v1::FrontendMessage& message) {
    v1::Welcome& welcome = *message.mutable_welcome();
    welcome.set_lease_ns(Ns((*host)->lease()));
    welcome.set_grace_ns(Ns((*host)->grace()));
    welcome.set_waiting(turn.core().waiting());
    welcome.set_idle_lease_ns(Ns(queues_.idle_lease()));
    return std::size_t{32};
  });
  process_ = turn.Join(queue::ProcessKey{hello.process_key()}, hello.slots(), held,
                       IdentityOf(hello), Self(),
                       {.draining = hello.draining(),
                        .leave_when_empty = hello.leave_when_empty(),
                        .beats_idle = hello.beats_idle()});
  spdlog::debug("queue {}: worker process {} on {} joined with {} slots", host_->name(),
                hello.pod(), hello.node(), hello.slots());
  return absl::OkStatus();
}

Status WorkerSession::TakeResults(const v1::WorkerResults& results, QueueHost::Turn& turn) {
  queues_.traffic().completed.Count(results.jobs_size());
  Status status;
  rpc::ForEach(results, [&](const rpc::WorkerResultRow& row) {
    Status reported = row.handed_back ? absl::OkStatus() : CheckReported(row.outcome);
    if (!reported.ok()) return status.Update(reported);
    const queue::Completion completion = ToCompletion(row);
    const bool counts = turn.Completed(process_, completion);
    // A late worker learns it. For durable jobs that is what `kept` says in any case.
    if (!counts && !IsDurable(completion.job))
      OnCancelAttempt({completion.job, completion.attempt});
  });
  turn.LeaveIfFree(process_);
  return status;
}

// What attempts say while they run: before results, as it is about the time before them.
void WorkerSession::TakeTold(const v1::WorkerMessage& message, QueueHost::Turn& turn) {
  rpc::ForEach(message.ready(), [&](const rpc::AttemptRow& row) {
    turn.Ready(process_, {queue::JobId{row.job}, row.attempt});
  });
  for (const v1::Progress& progress : message.progress()) {
    turn.Progress({queue::JobId{progress.job()}, progress.attempt()},
                  {progress.fraction(), progress.line()});
  }
  for (const v1::Output& output : message.output()) {
    turn.Output({queue::JobId{output.job()}, output.attempt()}, output.data(), output.missed());
  }
}

void WorkerSession::OnHalfClosed() {
  Gone();
  Close(absl::OkStatus());
}

void WorkerSession::OnGone() { Gone(); }

void WorkerSession::Gone() {
  if (host_ != nullptr) QueueHost::Turn(*host_, Now()).Gone(process_, this);
}

// ---- jobs out

void WorkerSession::OnAssign(const queue::Assign& assign, const GangPlan* gang) {
  Add([&](v1::FrontendMessage& message, SentOptions& sent) {
    v1::AssignBatch& batch = *message.mutable_assigns();
    const std::size_t bytes = gang == nullptr ? 0 : AddMember(batch, *gang, assign.seat->rank);
    return bytes + rpc::Append(batch, {.job = static_cast<std::uint64_t>(assign.job),
                                       .attempt = assign.attempt,
                                       .option = OptionIndex(batch, sent, assign.options),
                                       .spec = assign.spec});
  });
}

void WorkerSession::AddAttempt(v1::Attempts* (v1::FrontendMessage::*list)(),
                               const queue::Held& attempt) {
  Add([&](v1::FrontendMessage& message) {
    v1::Attempts& attempts = *(message.*list)();
    attempts.add_jobs(static_cast<std::uint64_t>(attempt.job));
    attempts.add_attempts(attempt.attempt);
    return sizeof attempt;
  });
}

/// With an entry of its own, so that a write comes behind it, and OnSent.
void WorkerSession::OnAskSent() {
  Add([this](v1::FrontendMessage&) {
    ask_sent_ = true;
    return std::size_t{0};
  });
}

void WorkerSession::OnSent() {
  const auto much_waits = [this] { return waiting_bytes() > kUnsentBytes / 2; };
  if (!ask_sent_ || much_waits()) return;
  QueueHost::Turn turn(*host_, Now());
  // Another thread's turn may have given it more; then a further write is due.
  if (much_waits()) return;
  ask_sent_ = false;
  if (turn.HasJoined(process_, this)) turn.Sent(process_);
}

void WorkerSession::OnGo(const queue::Held& member) {
  AddAttempt(&v1::FrontendMessage::mutable_go, member);
}

void WorkerSession::OnCancelAttempt(const queue::Held& attempt) {
  AddAttempt(&v1::FrontendMessage::mutable_cancels, attempt);
}

void WorkerSession::OnKept(const queue::Held& attempt) {
  AddAttempt(&v1::FrontendMessage::mutable_kept, attempt);
}

void WorkerSession::OnFollow(const queue::Held& attempt, bool follow) {
  AddAttempt(follow ? &v1::FrontendMessage::mutable_follow : &v1::FrontendMessage::mutable_unfollow,
             attempt);
}

void WorkerSession::OnDrain() {
  Add([](v1::FrontendMessage& message) {
    message.set_drain(true);
    return std::size_t{2};
  });
}

void WorkerSession::OnMoved(const std::string& queue) {
  {
    const MutexLock lock(mutex_);
    moved_to_ = queue;
  }
  moved_ = true;
}

void WorkerSession::OnReplaced() { replaced_ = true; }

void WorkerSession::OnSilent() { silent_ = true; }

/// Says where the queue is, when it is known.
void WorkerSession::SendAway() {
  std::string to;
  {
    const MutexLock lock(mutex_);
    to = moved_to_;
  }
  QueueHost& next = **queues_.Find(to);
  queues_.directory()->Await(
      to, &next == host_ ? std::max(moved_epoch_, next.NextEpoch()) : next.NextEpoch(),
      [self = std::static_pointer_cast<WorkerSession>(shared_from_this())](v1::Moved where) {
        self->Add([&](v1::FrontendMessage& message) {
          *message.mutable_moved() = std::move(where);
          if (!self->can_follow_) message.mutable_moved()->clear_shards();
          return message.moved().ByteSizeLong();
        });
        self->Close(absl::OkStatus());
      });
}

void WorkerSession::Flush() {
  if (moved_ && !sent_away_.exchange(true)) SendAway();
  ServerStream::Flush();
  if (replaced_) Close(absl::AbortedError("this process has joined with another stream"));
  if (silent_) Close(absl::UnavailableError("this process was not heard of for too long"));
}

void WorkerSession::OnWrite(const v1::FrontendMessage& message, const SentOptions&) {
  queues_.traffic().assigned.Count(message.assigns().jobs_size());
}

std::shared_ptr<WorkerEndpoint> WorkerSession::Self() {
  return {shared_from_this(), static_cast<WorkerEndpoint*>(this)};
}

}  // namespace twofold::frontend
