#include "frontend/cluster/partition_keeper.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace twofold::frontend {
namespace {

bool IsVolatile(const results::StoredJob& job) {
  return !queue::IsDurable(queue::JobId{job.accepted.id});
}

/// Tells what a partition's commits show.
class WatchedStore final : public results::Store {
 public:
  WatchedStore(std::unique_ptr<results::PostgresStore> store, const results::Fence& fence,
               PartitionKeeper::Tell tell)
      : store_(std::move(store)), fence_(fence), told_(fence.version), tell_(std::move(tell)) {}

  Status Commit(std::span<const results::Record> records) override {
    return Watch(store_->Commit(records));
  }
  Status Check() override { return Watch(store_->Check()); }
  Result<std::map<std::string, std::uint64_t>> Load(const Visit& visit) override {
    return store_->Load(visit);
  }
  Status ReadSpecs(const results::WantedSpecs& wanted) override {
    return Watch(store_->ReadSpecs(wanted));
  }
  Result<results::StoredJob> Find(results::JobId job) const override { return store_->Find(job); }
  Result<std::vector<results::StoredJob>> List(const results::JobQuery& query) const override {
    return store_->List(query);
  }
  Result<std::size_t> Forget(const results::Retention& retention, std::size_t at_most) override {
    return store_->Forget(retention, at_most);
  }

 private:
  Status Watch(Status status) {
    const std::uint64_t version = store_->version();
    if (std::exchange(told_, version) != version) {
      tell_(cluster::input::Committed{fence_.partition, version});
    }
    const bool is_lost = absl::IsDataLoss(status);
    // What was acknowledged since the version was counted last is missing in it.
    if (is_lost) tell_(cluster::input::Committed{fence_.partition, version + 1});
    if (is_lost || absl::IsFailedPrecondition(status)) {
      tell_(cluster::input::Deposed{fence_.partition, fence_.epoch});
    }
    return status;
  }

  const std::unique_ptr<results::PostgresStore> store_;
  const results::Fence fence_;
  std::uint64_t told_;
  const PartitionKeeper::Tell tell_;
};

}  // namespace

PartitionKeeper::PartitionKeeper(QueueSet& queues, Storage& storage, std::set<std::string> strict,
                                 Tell tell)
    : queues_(queues), storage_(storage), strict_(std::move(strict)), tell_(std::move(tell)) {}

Status PartitionKeeper::Open(const results::Fence& fence, bool forgets) {
  QueueHost& host = *Find(fence.partition);
  auto opened = results::PostgresStore::Open(*storage_.shared(), {.fence = fence});
  if (!opened.ok()) return opened.status();
  std::vector<results::StoredJob> jobs;
  auto sequences = (*opened)->Load([&](results::StoredJob job) { jobs.push_back(std::move(job)); });
  if (!sequences.ok()) return sequences.status();
  const results::QueueHalted halted = (*opened)->halted();
  auto store = std::make_shared<PartitionStore>(
      std::make_unique<WatchedStore>(*std::move(opened), fence, tell_),
      storage_.PartitionJournal(forgets));
  const auto last = sequences->find(host.name());
  const std::uint64_t first =
      last == sequences->end() ? 1 : queue::Sequence(queue::JobId{last->second}) + 1;
  host.Open({.epoch = fence.epoch,
             .first_sequence = first,
             .journal = {store, &store->journal},
             .strict = strict_.contains(host.name()),
             .halted = halted},
            Now());
  // Ids of volatile jobs say nothing about their order.
  const auto durable = std::stable_partition(jobs.begin(), jobs.end(), IsVolatile);
  std::stable_sort(jobs.begin(), durable, [](const auto& a, const auto& b) {
    return a.accepted.accepted_unix_ns < b.accepted.accepted_unix_ns;
  });
  for (const results::StoredJob& job : jobs) QueueHost::Turn(host, Now()).Restore(job);
  // They are out of the store before they can end: nobody after us may begin them again.
  if (durable != jobs.begin()) store->journal.Flush(kFlushLimit);
  open_[fence.partition] = std::move(store);
  QueueHost::Turn turn(host, Now());
  turn.Suspend(true);
  turn.Serve();
  spdlog::info("queue {} is served here, epoch {}, with {} unfinished jobs", host.name(),
               fence.epoch, jobs.size());
  return absl::OkStatus();
}

void PartitionKeeper::Finish(cluster::PartitionNumber partition) {
  const auto found = open_.find(partition);
  if (found == open_.end()) return;
  QueueHost::Turn(*Find(partition), Now()).HandOutNoMore();
  if (found->second->journal.writable()) found->second->journal.Flush(kFlushLimit);
}

void PartitionKeeper::Close(cluster::PartitionNumber partition) {
  if (open_.contains(partition)) QueueHost::Turn(*Find(partition), Now()).Close();
}

void PartitionKeeper::Settle(cluster::PartitionNumber partition) {
  Settle(partition, Now() + kFlushLimit);
}

void PartitionKeeper::Settle(cluster::PartitionNumber partition, Instant limit) {
  const auto found = open_.find(partition);
  if (found == open_.end()) return;
  found->second->journal.Flush(limit - Now());
  reaper_.Post([store = std::move(found->second)]() mutable { store.reset(); });
  open_.erase(found);
  spdlog::info("queue {} is not served here any more", Find(partition)->name());
}

void PartitionKeeper::CloseAll() {
  for (const auto& [partition, store] : open_) QueueHost::Turn(*Find(partition), Now()).Close();
  const Instant limit = Now() + kFlushLimit;
  while (!open_.empty()) Settle(open_.begin()->first, limit);
}

}  // namespace twofold::frontend
