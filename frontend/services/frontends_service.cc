#include <absl/strings/str_cat.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "frontend/cluster/membership.h"
#include "frontend/services/lookup.h"
#include "frontend/services/services.h"
#include "lib/cluster/view.h"
#include "twofold/v1/frontends.pb.h"

namespace twofold::frontend {
namespace {

Status Alone() {
  return absl::UnimplementedError(
      "this frontend is alone: several need a PostgreSQL store, see docs/scale.md");
}

Status NoFrontend(const std::string& name) {
  return absl::NotFoundError(
      absl::StrCat("frontend: there is no '", name.substr(0, 80), "' that answers"));
}

v1::Partition RowOf(const cluster::Partition& row, const std::string& queue) {
  v1::Partition partition;
  partition.set_number(row.number);
  partition.set_queue(queue);
  partition.set_epoch(row.epoch);
  partition.set_lost(cluster::IsLost(row.losses));
  return partition;
}

/// What the frontend that serves a queue says of it.
void Describe(QueueHost& host, v1::Partition& partition) {
  const QueueHost::Snapshot snapshot = host.Look(Now());
  partition.set_epoch(snapshot.epoch);
  partition.set_suspended(snapshot.suspended);
  partition.set_waiting(snapshot.stats.waiting);
  partition.set_running(snapshot.stats.running);
  partition.set_worker_slots(snapshot.stats.workers_idle + snapshot.stats.workers_busy +
                             snapshot.stats.workers_draining);
  for (const std::uint64_t finished : snapshot.stats.finished) {
    partition.set_finished(partition.finished() + finished);
  }
  partition.set_workers_idle(LoadOf(snapshot.stats).idle);
  partition.set_wanted_workers(snapshot.stats.wanted_workers);
  if (snapshot.journal) partition.set_pending_bytes(snapshot.journal->pending_bytes());
}

/// This frontend, with what it serves.
v1::Frontend Self(const QueueSet& queues, const Membership& membership,
                  const Membership::Overview& seen) {
  v1::Frontend self;
  self.set_name(membership.me().name);
  self.set_client_address(membership.me().client_address);
  self.set_worker_address(membership.me().worker_address);
  self.set_draining(seen.draining);
  self.set_store_trouble(seen.trouble);
  self.set_store_age_ns(static_cast<std::uint64_t>(seen.age.count()));
  for (const cluster::Partition& row : seen.look.view.partitions) {
    const auto host = queues.Find(seen.look.queues.at(row.number));
    if (!host.ok() || !(*host)->Look(Now()).served) continue;
    v1::Partition& partition = *self.add_partitions();
    partition = RowOf(row, (*host)->name());
    Describe(**host, partition);
  }
  return self;
}

/// The others as the database has them, until they speak for themselves.
v1::ListFrontendsReply List(const QueueSet& queues, const Membership& membership) {
  const Membership::Overview seen = membership.See();
  v1::ListFrontendsReply reply;
  *reply.add_frontends() = Self(queues, membership, seen);
  for (const cluster::Member& member : seen.look.view.members) {
    if (member.name == membership.me().name) continue;
    v1::Frontend& other = *reply.add_frontends();
    const Peer& peer = seen.look.peers.at(member.name);
    other.set_name(peer.name);
    other.set_client_address(peer.client_address);
    other.set_worker_address(peer.worker_address);
    other.set_draining(member.draining);
    other.set_away("it does not answer");
    for (const cluster::Partition& row : seen.look.view.partitions) {
      if (row.owner != member.name) continue;
      *other.add_partitions() = RowOf(row, seen.look.queues.at(row.number));
    }
  }
  for (const cluster::Partition& row : seen.look.view.partitions) {
    if (row.owner.empty()) *reply.add_unowned() = RowOf(row, seen.look.queues.at(row.number));
  }
  return reply;
}

/// Of what another one has sent only its own word counts: it came first in its reply.
void TakeSelf(v1::ListFrontendsReply& all, v1::ListFrontendsReply one) {
  if (one.frontends().empty()) return;
  v1::Frontend& self = *one.mutable_frontends(0);
  for (v1::Frontend& known : *all.mutable_frontends()) {
    if (known.name() != self.name()) continue;
    known = std::move(self);
    return;
  }
}

/// Who looks at frontends looks for the one that has gone.
void Miss(v1::ListFrontendsReply& all, const Peer& from, const std::string& why) {
  for (v1::Frontend& known : *all.mutable_frontends()) {
    if (known.name() == from.name) known.set_away(why);
  }
}

/// Whoever serves a queue knows better than what was read of the tables before it did.
Status Reconcile(const v1::ListFrontendsRequest& /*request*/, v1::ListFrontendsReply& reply) {
  auto& frontends = *reply.mutable_frontends();
  std::sort(frontends.begin(), frontends.end(),
            [](const auto& a, const auto& b) { return a.name() < b.name(); });
  std::set<std::string> served;
  for (const v1::Frontend& frontend : frontends) {
    for (const v1::Partition& partition : frontend.partitions()) served.insert(partition.queue());
  }
  auto& unowned = *reply.mutable_unowned();
  unowned.erase(std::remove_if(unowned.begin(), unowned.end(),
                               [&](const auto& row) { return served.contains(row.queue()); }),
                unowned.end());
  return absl::OkStatus();
}

Status AcceptAll(Membership& membership, const std::vector<QueueHost*>& shards) {
  Status refused;
  bool accepted = false;
  for (const QueueHost* const shard : shards) {
    const Status status = membership.Accept(shard->name());
    accepted = accepted || status.ok();
    refused.Update(status);
  }
  return accepted ? absl::OkStatus() : refused;
}

// ---- What the methods do

using Frontends = v1::ListFrontendsReply;

/// What they work on.
struct Here {
  QueueSet& queues;
  std::function<Membership*()> membership;  ///< gives nullptr: this frontend is alone
};

/// Lists what this frontend knows after `change`. Errors: those of `change`.
Result<Frontends> ListAfter(const Here& here, const std::function<Status(Membership&)>& change) {
  Membership* const joined = here.membership();
  if (joined == nullptr) return Alone();
  if (Status status = change(*joined); !status.ok()) return status;
  return List(here.queues, *joined);
}

Result<Frontends> ListHere(const Here& here) {
  return ListAfter(here, [](Membership&) { return absl::OkStatus(); });
}

Result<Frontends> Drain(const Here& here, const v1::DrainFrontendRequest& request) {
  return ListAfter(here, [&](Membership& joined) {
    if (request.frontend() != joined.me().name) return NoFrontend(request.frontend());
    joined.StartDrain();
    return absl::OkStatus();
  });
}

/// REQUIRES: the request is for one shard, which there is.
Result<Frontends> Move(const Here& here, const v1::MoveQueueRequest& request) {
  return ListAfter(here, [&](Membership& joined) {
    const QueueHost& shard = *here.queues.FindAll(request.queue()).value().front();
    return joined.Move(shard.name(), request.to());
  });
}

/// Of a queue with several shards it is enough that one has lost something.
Result<Frontends> AcceptLoss(const Here& here, const v1::AcceptLossRequest& request) {
  return ListAfter(here, [&](Membership& joined) {
    const auto shards = here.queues.FindAll(request.queue());
    return shards.ok() ? AcceptAll(joined, *shards) : shards.status();
  });
}

v1::LookAgainReply LookAgain(const Here& here) {
  if (Membership* const joined = here.membership()) joined->LookAgain();
  return {};
}

Result<v1::LendWorkersReply> LendWorkers(const QueueSet& queues,
                                         const v1::LendWorkersRequest& request) {
  const auto host = queues.Find(request.queue());
  if (!host.ok()) return host.status();
  const auto to = queues.Find(request.to());
  if (!to.ok()) return to.status();
  if (*to == *host || (*to)->queue() != (*host)->queue()) {
    return absl::InvalidArgumentError("to: name another shard of the same queue");
  }
  v1::LendWorkersReply reply;
  reply.set_slots(QueueHost::Turn(**host, Now())
                      .Lend({.to = request.to(),
                             .placement = request.placement(),
                             .slots = request.slots(),
                             .pressing = request.pressing()}));
  return reply;
}

}  // namespace

FrontendsService::FrontendsService(QueueSet& queues, std::function<Membership*()> membership,
                                   OpenCalls& calls, ReaderPool& readers)
    : Service("twofold.v1.Frontends", calls, readers) {
  const Here here{queues, std::move(membership)};
  const auto at_once = [](auto&) { return nullptr; };
  Gathered<v1::ListFrontendsRequest, Frontends>("ListFrontends",
                                                {.read = [here](auto&) { return ListHere(here); },
                                                 .pool = at_once,
                                                 .merge = TakeSelf,
                                                 .miss = Miss,
                                                 .arrange = Reconcile});
  Named<v1::DrainFrontendRequest, Frontends>(
      "DrainFrontend", {.read = [here](auto& request) { return Drain(here, request); },
                        .name = [](auto& request) { return request.frontend(); }});
  Spread<v1::MoveQueueRequest, Frontends>(
      "MoveQueue", {.read = [here](auto& request) { return Move(here, request); },
                    .pool = at_once,
                    .shards = [&queues](auto& request) { return ByShard(queues, request); },
                    .merge = [](Frontends& last, Frontends one) { last = std::move(one); }});
  Serve<v1::LendWorkersRequest, v1::LendWorkersReply>(
      "LendWorkers", [&queues](auto& request) { return LendWorkers(queues, request); });
  Serve<v1::LookAgainRequest, v1::LookAgainReply>("LookAgain",
                                                  [here](auto&) { return LookAgain(here); });
  Serve<v1::AcceptLossRequest, Frontends>(
      "AcceptLoss", [here](auto& request) { return AcceptLoss(here, request); });
}

}  // namespace twofold::frontend
