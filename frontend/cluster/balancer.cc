#include "frontend/cluster/balancer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "lib/common/shard_name.h"
#include "lib/rpc/parse.h"
#include "twofold/v1/frontends.pb.h"

namespace twofold::frontend {
namespace {

// Of a shard with jobs that cannot run there; more wait until some of these can.
constexpr std::size_t kMostShortages = 16;

}  // namespace

Balancer::Balancer(QueueSet& queues, Peers& peers)
    : queues_(queues), peers_(peers), thread_([this] { Run(); }) {}

Balancer::~Balancer() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void Balancer::Run() {
  for (Instant next = Now();; next = std::max(next + kPeriod, Now())) {
    {
      const MutexLock lock(mutex_);
      while (!stopped_ && Now() < next) changed_.WaitUntil(mutex_, next);
      if (stopped_) return;
    }
    const std::vector<Shard> shards = Look();
    std::map<std::string, ShardLoad> loads;
    for (const Shard& shard : shards) loads[shard.name] = shard.load;
    queues_.loads().Publish(std::move(loads));
    for (const auto& host : queues_.all()) {
      std::vector<Shard> others;
      for (const Shard& shard : shards) {
        const bool is_of_queue = ParseShardName(shard.name)->queue == host->queue();
        if (is_of_queue && shard.name != host->name()) others.push_back(shard);
      }
      if (!others.empty()) Fill(*host, std::move(others));
    }
  }
}

/// All shards that somebody serves. Of a frontend that does not answer nothing is known.
std::vector<Balancer::Shard> Balancer::Look() {
  std::vector<Shard> shards;
  for (const auto& host : queues_.all()) {
    const QueueHost::Snapshot seen = host->Look(Now());
    if (seen.served) shards.push_back({host->name(), {}, LoadOf(seen.stats)});
  }
  for (const auto& [address, bytes] : peers_.AskOthers("/twofold.v1.Frontends/ListFrontends",
                                                       v1::ListFrontendsRequest(), kPatience)) {
    v1::ListFrontendsReply reply;
    if (!rpc::Parse(bytes, reply).ok() || reply.frontends().empty()) continue;
    for (const v1::Partition& each : reply.frontends(0).partitions()) {  // its own
      if (!queues_.Find(each.queue()).ok()) continue;
      shards.push_back({each.queue(),
                        address,
                        {each.worker_slots(), each.workers_idle(), each.wanted_workers()}});
    }
  }
  return shards;
}

/// Jobs that would wait for ever come first: for these even a busy shard gives workers. Then, from
/// those that have more than they need, what makes the others wait less.
void Balancer::Fill(QueueHost& shard, std::vector<Shard> others) {
  const QueueHost::Snapshot seen = shard.Look(Now());
  if (!seen.served) return;
  std::sort(others.begin(), others.end(),
            [](const Shard& one, const Shard& other) { return one.load.slots > other.load.slots; });
  const std::uint64_t came = FillShortages(shard, others);
  std::uint64_t missing = LoadOf(seen.stats).lacks();
  missing -= std::min(missing, came);
  std::sort(others.begin(), others.end(), [](const Shard& one, const Shard& other) {
    return one.load.spare() > other.load.spare();
  });
  for (const Shard& lender : others) {
    const std::uint64_t slots = std::min(missing, lender.load.spare());
    if (slots == 0) return;
    missing -= std::min(missing, Ask(lender, {.to = shard.name(), .slots = slots}));
  }
}

/// Returns the slots that come. Those who have most are asked first.
std::uint64_t Balancer::FillShortages(QueueHost& shard, const std::vector<Shard>& others) {
  std::uint64_t came = 0;
  for (const queue::Shortage& shortage : ShortagesOf(shard, others)) {
    if (shortage.is_gangs) {
      QueueHost::Turn(shard, Now()).Keep(shortage.placement, Now() + 2 * kPeriod);
    }
    std::uint64_t missing = shortage.slots;
    for (const Shard& lender : others) {
      if (missing == 0) break;
      const std::uint64_t lent = Ask(lender, {.to = shard.name(),
                                              .placement = shortage.placement,
                                              .slots = missing,
                                              .pressing = true});
      missing -= std::min(missing, lent);
      came += lent;
    }
  }
  return came;
}

/// Without those of gangs while it is the turn of the other jobs.
std::vector<queue::Shortage> Balancer::ShortagesOf(QueueHost& shard,
                                                   const std::vector<Shard>& others) {
  const Instant now = Now();
  const QueueHost::Turn turn(shard, now);
  const std::uint64_t own = LoadOf(turn.core().Stats()).slots;
  std::uint64_t all = own;
  for (const Shard& other : others) all += other.load.slots;
  if (const auto known = gathering_.find(shard.name()); known != gathering_.end()) {
    all = std::max(all, known->second.slots);
    if (now - known->second.since >= 2 * kGathering) gathering_.erase(known);
  }
  std::vector<queue::Shortage> shortages =
      turn.core().Shortages(all - std::min(all, own), kMostShortages);
  const auto is_gangs = [](const queue::Shortage& each) { return each.is_gangs; };
  if (std::none_of(shortages.begin(), shortages.end(), is_gangs)) {
    gathering_.erase(shard.name());
    return shortages;
  }
  const Gathering& gathering =
      gathering_.try_emplace(shard.name(), Gathering{now, all}).first->second;
  if (now - gathering.since >= kGathering) std::erase_if(shortages, is_gangs);
  return shortages;
}

/// Returns the slots that come. A lender that does not answer lends none: it is asked again.
std::uint64_t Balancer::Ask(const Shard& lender, const QueueHost::Turn::Loan& loan) {
  if (lender.address.empty()) {
    return QueueHost::Turn(**queues_.Find(lender.name), Now()).Lend(loan);
  }
  v1::LendWorkersRequest request;
  request.set_queue(lender.name);
  request.set_to(loan.to);
  request.set_placement(loan.placement);
  request.set_slots(loan.slots);
  request.set_pressing(loan.pressing);
  const auto bytes = peers_.Ask(lender.address, "/twofold.v1.Frontends/LendWorkers", request,
                                peers_.self(), kPatience);
  v1::LendWorkersReply reply;
  if (!bytes.ok() || !rpc::Parse(*bytes, reply).ok()) return 0;
  return reply.slots();
}

}  // namespace twofold::frontend
