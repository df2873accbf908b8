#include "cli/frontends/list.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "lib/show/message.h"

namespace twofold::cli {

using show::Json;
namespace {

using Texts = std::vector<std::string>;

template <typename Partitions, typename Is>
Texts QueuesThat(const Partitions& partitions, const Is& is) {
  Texts queues;
  for (const v1::Partition& each : partitions) {
    if (is(each)) queues.push_back(each.queue());
  }
  return queues;
}

// "a, b, c and 4 more: why"; nothing of none.
void AddTrouble(const Texts& queues, const std::string& why, Texts& trouble) {
  constexpr std::size_t kNamed = 3;
  if (queues.empty()) return;
  const std::size_t named = std::min(queues.size(), kNamed);
  const auto end = queues.begin() + static_cast<std::ptrdiff_t>(named);
  const std::string more =
      queues.size() > named ? absl::StrCat(" and ", queues.size() - named, " more") : "";
  trouble.push_back(absl::StrCat(absl::StrJoin(queues.begin(), end, ", "), more, ": ", why));
}

template <typename Partitions>
void AddLost(const Partitions& partitions, Texts& trouble) {
  AddTrouble(QueuesThat(partitions, [](const v1::Partition& each) { return each.lost(); }),
             "the database has lost commits (see `twofold frontend accept`)", trouble);
}

std::string TroubleOf(const v1::Frontend& frontend) {
  Texts trouble;
  if (!frontend.away().empty()) trouble.push_back(frontend.away());
  if (!frontend.store_trouble().empty()) trouble.push_back("store: " + frontend.store_trouble());
  AddLost(frontend.partitions(), trouble);
  AddTrouble(QueuesThat(frontend.partitions(),
                        [](const v1::Partition& each) { return each.suspended() && !each.lost(); }),
             "durable work waits for the database", trouble);
  return absl::StrJoin(trouble, "; ");
}

Json RateOf(const std::optional<double>& rate) { return rate ? Json(*rate) : Json(); }

template <typename Partitions>
void AddSums(const Partitions& partitions, const FinishedRates& rates, Json& row) {
  std::uint64_t slots = 0;
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  std::uint64_t pending = 0;
  std::optional<double> rate;
  for (const v1::Partition& each : partitions) {
    slots += each.worker_slots();
    waiting += each.waiting();
    running += each.running();
    pending += each.pending_bytes();
    if (const auto one = rates.Of(each)) rate = rate.value_or(0) + *one;
  }
  row["queues"] = partitions.size();
  row["worker_slots"] = slots;
  row["waiting"] = waiting;
  row["running"] = running;
  row["finished_per_second"] = RateOf(rate);
  row["pending_bytes"] = pending;
}

Json RowOf(const v1::Frontend& frontend, const FinishedRates& rates) {
  Json row = show::ToJson(frontend);
  row["state"] = !frontend.away().empty() ? "away" : frontend.draining() ? "draining" : "serving";
  AddSums(frontend.partitions(), rates, row);
  row["trouble"] = TroubleOf(frontend);
  return row;
}

Json RowOfUnowned(const v1::ListFrontendsReply& list) {
  Texts trouble;
  AddTrouble(QueuesThat(list.unowned(), [](const v1::Partition&) { return true; }),
             "nobody serves them", trouble);
  AddLost(list.unowned(), trouble);
  Json row = {{"name", ""}, {"state", "unowned"}, {"partitions", show::ListOf(list.unowned())}};
  AddSums(list.unowned(), {}, row);
  row["trouble"] = absl::StrJoin(trouble, "; ");
  return row;
}

// `frontend` is nullptr if nobody serves it.
Json RowOf(const v1::Partition& partition, const v1::Frontend* frontend,
           const FinishedRates& rates) {
  const char* state = partition.lost() ? "lost" : partition.suspended() ? "suspended" : "served";
  if (frontend != nullptr && !frontend->away().empty()) state = "away";
  if (frontend == nullptr) state = "unowned";
  Json row = show::ToJson(partition);
  row["frontend"] = frontend == nullptr ? "" : frontend->name();
  row["state"] = state;
  row["finished_per_second"] = RateOf(rates.Of(partition));
  return row;
}

}  // namespace

// A partition that another frontend has taken over counts from 0 there.
void FinishedRates::Note(const v1::ListFrontendsReply& list, Instant now) {
  const double seconds = ToSeconds(now - noted_);
  std::map<std::uint32_t, Count> counts;
  rates_.clear();
  for (const v1::Frontend& frontend : list.frontends()) {
    for (const v1::Partition& each : frontend.partitions()) {
      counts[each.number()] = {each.epoch(), each.finished()};
      const auto before = counts_.find(each.number());
      if (before == counts_.end() || seconds <= 0) continue;
      const Count& old = before->second;
      const bool goes_on = old.epoch == each.epoch() && old.finished <= each.finished();
      const std::uint64_t ended = each.finished() - (goes_on ? old.finished : 0);
      rates_[each.number()] = static_cast<double>(ended) / seconds;
    }
  }
  counts_ = std::move(counts);
  noted_ = now;
}

std::optional<double> FinishedRates::Of(const v1::Partition& partition) const {
  const auto found = rates_.find(partition.number());
  if (found == rates_.end()) return std::nullopt;
  return found->second;
}

Json FrontendRows(const v1::ListFrontendsReply& list, const FinishedRates& rates) {
  Json rows = Json::array();
  for (const v1::Frontend& frontend : list.frontends()) rows.push_back(RowOf(frontend, rates));
  if (list.unowned_size() > 0) rows.push_back(RowOfUnowned(list));
  return rows;
}

const show::Columns& FrontendColumns() {
  static const show::Columns columns = {
      {.heading = "FRONTEND", .path = "name", .if_any = true},
      {"STATE", "state"},
      {"QUEUES", "queues"},
      {"WORKERS", "worker_slots"},
      {"WAITING", "waiting"},
      {"RUNNING", "running"},
      {.heading = "FINISHED /S", .path = "finished_per_second", .digits = 4, .if_any = true},
      {.heading = "STORE S", .path = "store_age_seconds", .decimals = 1, .if_any = true},
      {.heading = "PENDING BYTES", .path = "pending_bytes", .if_any = true},
      {.heading = "CLIENTS AT", .path = "client_address", .if_any = true},
      {.heading = "WORKERS AT", .path = "worker_address", .if_any = true},
      {.heading = "TROUBLE", .path = "trouble", .if_any = true},
  };
  return columns;
}

Json PartitionRows(const v1::ListFrontendsReply& list, const FinishedRates& rates) {
  Json rows = Json::array();
  for (const v1::Partition& each : list.unowned()) rows.push_back(RowOf(each, nullptr, rates));
  Json owned = Json::array();
  for (const v1::Frontend& frontend : list.frontends()) {
    for (const v1::Partition& each : frontend.partitions()) {
      owned.push_back(RowOf(each, &frontend, rates));
    }
  }
  std::stable_sort(owned.begin(), owned.end(),
                   [](const Json& a, const Json& b) { return a.at("number") < b.at("number"); });
  rows.insert(rows.end(), owned.begin(), owned.end());
  return rows;
}

const show::Columns& PartitionColumns() {
  static const show::Columns columns = {
      {"QUEUE", "queue"},
      {"NUMBER", "number"},
      {.heading = "EPOCH", .path = "epoch", .if_any = true},
      {.heading = "FRONTEND", .path = "frontend", .if_any = true},
      {"STATE", "state"},
      {"WORKERS", "worker_slots"},
      {"WAITING", "waiting"},
      {"RUNNING", "running"},
      {"FINISHED", "finished"},
      {.heading = "FINISHED /S", .path = "finished_per_second", .digits = 4, .if_any = true},
      {.heading = "PENDING BYTES", .path = "pending_bytes", .if_any = true},
  };
  return columns;
}

v1::ListFrontendsReply ListOfOne(const std::string& address, const v1::ListQueuesReply& queues) {
  v1::ListFrontendsReply list;
  v1::Frontend& frontend = *list.add_frontends();
  frontend.set_client_address(address);
  for (const v1::Queue& queue : queues.queues()) {
    v1::Partition& partition = *frontend.add_partitions();
    partition.set_number(static_cast<std::uint32_t>(frontend.partitions_size() - 1));
    partition.set_queue(queue.name());
    partition.set_suspended(!queue.store_trouble().empty());
    partition.set_waiting(queue.waiting());
    partition.set_running(queue.running());
    partition.set_worker_slots(queue.workers_idle() + queue.workers_busy() +
                               queue.workers_draining());
    std::uint64_t finished = 0;
    for (const auto& [outcome, count] : queue.finished()) finished += count;
    partition.set_finished(finished);
  }
  return list;
}

bool IsAlone(const v1::ListFrontendsReply& list) { return list.frontends_size() < 2; }

}  // namespace twofold::cli
