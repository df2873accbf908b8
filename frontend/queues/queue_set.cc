#include "frontend/queues/queue_set.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <bitset>
#include <random>
#include <string_view>
#include <vector>

#include "lib/common/match.h"
#include "lib/common/shard_name.h"

namespace twofold::frontend {

Result<std::vector<QueuePlan>> PlanQueues(const std::vector<std::string>& names,
                                          const std::vector<std::string>& durable,
                                          const LastIds& last_ids) {
  std::bitset<256> taken;
  for (const auto& [name, last] : last_ids) taken.set(queue::QueueNumber(queue::JobId{last}));
  std::vector<QueuePlan> plans;
  for (const std::string& name : names) {
    QueuePlan plan{.name = name,
                   .durable = std::find(durable.begin(), durable.end(), name) != durable.end()};
    if (const auto known = last_ids.find(name); known != last_ids.end()) {
      const queue::JobId last{known->second};
      plan.number = queue::QueueNumber(last);
      plan.first_sequence = queue::Sequence(last) + 1;
    } else {
      if (taken.all()) {
        return absl::FailedPreconditionError(
            "the store knows 256 queues, and one more is named; use another store");
      }
      while (taken.test(plan.number)) ++plan.number;
      taken.set(plan.number);
    }
    plans.push_back(plan);
  }
  return plans;
}

QueueSet::QueueSet(const std::vector<QueuePlan>& plans, queue::QueueOptions options,
                   std::uint32_t first_generation, Alarm* alarm, queue::trace::TraceWriter* trace)
    : finished_(std::make_shared<FinishedJobs>()),
      surroundings_{.detached = finished_, .trace = trace, .alarm = alarm} {
  options.first_generation = first_generation;
  for (const QueuePlan& plan : plans) {
    options.number = plan.number;
    options.first_sequence = plan.first_sequence;
    hosts_.push_back(std::make_unique<QueueHost>(plan.name, options, plan.durable, surroundings_));
    by_number_[plan.number] = hosts_.back().get();
    shards_[hosts_.back()->queue()].push_back(hosts_.back().get());
  }
}

void QueueSet::SetStore(const results::Store& store, results::Journal& journal) {
  store_ = &store;
  journal_ = &journal;
  if (directory_ != nullptr) {
    moved_ = std::make_unique<MovedJobs>(store);
    surroundings_.moved = moved_.get();
    return;
  }
  const std::shared_ptr<results::Journal> kept(std::shared_ptr<void>(), &journal);
  for (const auto& host : hosts_) QueueHost::Turn(*host, Now()).SetJournal(kept);
}

void QueueSet::LeaveStore() {
  surroundings_.moved = nullptr;
  moved_.reset();
  store_ = nullptr;
}

void QueueSet::SetDirectory(Directory& directory) {
  directory_ = &directory;
  for (const auto& host : hosts_) QueueHost::Turn(*host, Now()).Close();
}

Result<QueueHost*> QueueSet::Find(std::string_view name) const {
  if (name.empty()) {
    return absl::InvalidArgumentError("queue is empty; name one of the frontend's queues");
  }
  for (const auto& host : hosts_) {
    if (host->name() == name) return host.get();
  }
  std::vector<std::string_view> names;
  for (const auto& host : hosts_) names.emplace_back(host->name());
  return absl::NotFoundError(absl::StrCat("queue: there is no '", std::string(name.substr(0, 80)),
                                          "'", Hint(name, names)));
}

// ---- Shards

Result<std::vector<QueueHost*>> QueueSet::FindAll(std::string_view name) const {
  if (const auto all = shards_.find(name); all != shards_.end()) return all->second;
  const Result<QueueHost*> one = Find(WithoutAlone(name));
  if (!one.ok()) return one.status();
  return std::vector<QueueHost*>{*one};
}

std::string QueueSet::ExactName(const QueueHost& host) const {
  const bool is_first_of_several = host.shard() == 0 && ShardsOf(host).size() > 1;
  return is_first_of_several ? FirstShardAlone(host.name()) : host.name();
}

QueueHost& QueueSet::Home(QueueHost& asked, const queue::JobOptions& job) const {
  const std::vector<QueueHost*>& shards = ShardsOf(asked);
  if (shards.size() == 1) return asked;
  const auto number = ShardOf(job, static_cast<std::uint32_t>(shards.size()));
  return number ? *shards[*number] : asked;
}

QueueHost& QueueSet::Choose(QueueHost& asked, const queue::JobOptions& job) const {
  const std::vector<QueueHost*>& shards = ShardsOf(asked);
  const bool is_free = asked.shard() == 0 && shards.size() > 1 && !ShardOf(job, 2);
  if (!is_free) return Home(asked, job);
  QueueHost* best = nullptr;
  std::int64_t most = 0;
  for (QueueHost* const shard : shards) {
    const QueueHost::Snapshot seen = shard->Look(Now());
    if (!seen.served) continue;
    const auto room = static_cast<std::int64_t>(seen.stats.workers_idle) -
                      static_cast<std::int64_t>(seen.stats.waiting);
    if (best != nullptr && room <= most) continue;
    best = shard;
    most = room;
  }
  return best != nullptr ? *best : *shards[std::random_device{}() % shards.size()];
}

}  // namespace twofold::frontend
