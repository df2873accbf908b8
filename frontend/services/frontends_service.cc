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

/// Of a queue with several shards it is enough that one has lost something.
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

}  // namespace

FrontendsService::FrontendsService(QueueSet& queues, std::function<Membership*()> membership,
                                   OpenCalls& calls, ReaderPool& readers)
    : Service("twofold.v1.Frontends", calls, readers) {
  using Reply = v1::ListFrontendsReply;
  const auto with = [membership](const std::function<Result<Reply>(Membership&)>& answer) {
    Membership* const joined = membership();
    return joined == nullptr ? Result<Reply>(Alone()) : answer(*joined);
  };
  const auto listed = [&queues](const Status& status, Membership& joined) {
    return status.ok() ? Result<Reply>(List(queues, joined)) : status;
  };
  const auto at_once = [](auto&) { return nullptr; };
  Gathered<v1::ListFrontendsRequest, Reply>(
      "ListFrontends",
      {.read =
           [=](auto&) {
             return with([&](Membership& joined) { return listed(absl::OkStatus(), joined); });
           },
       .pool = at_once,
       .merge = TakeSelf,
       .miss = Miss,
       .arrange = Reconcile});
  Named<v1::DrainFrontendRequest, Reply>(
      "DrainFrontend", {.read =
                            [=](auto& request) {
                              return with([&](Membership& joined) -> Result<Reply> {
                                if (request.frontend() != joined.me().name)
                                  return NoFrontend(request.frontend());
                                joined.StartDrain();
                                return listed(absl::OkStatus(), joined);
                              });
                            },
                        .name = [](auto& request) { return request.frontend(); }});
  const auto name_of = [&queues](const std::string& exact) {
    return queues.FindAll(exact).value().front()->name();
  };
  Spread<v1::MoveQueueRequest, Reply>(
      "MoveQueue", {.read =
                        [=](auto& request) {
                          return with([&](Membership& joined) {
                            return listed(joined.Move(name_of(request.queue()), request.to()),
                                          joined);
                          });
                        },
                    .pool = at_once,
                    .shards = [&queues](auto& request) { return ByShard(queues, request); },
                    .merge = [](Reply& last, Reply one) { last = std::move(one); }});
  Serve<v1::LendWorkersRequest, v1::LendWorkersReply>(
      "LendWorkers", [&queues](auto& request) -> Result<v1::LendWorkersReply> {
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
      });
  Serve<v1::LookAgainRequest, v1::LookAgainReply>(
      "LookAgain", [membership](auto&) -> Result<v1::LookAgainReply> {
        if (Membership* const joined = membership()) joined->LookAgain();
        return v1::LookAgainReply();
      });
  Serve<v1::AcceptLossRequest, Reply>("AcceptLoss", [=, &queues](auto& request) {
    return with([&](Membership& joined) -> Result<Reply> {
      const auto shards = queues.FindAll(request.queue());
      if (!shards.ok()) return shards.status();
      return listed(AcceptAll(joined, *shards), joined);
    });
  });
}

}  // namespace twofold::frontend
