// Who and what is next.

#include <algorithm>
#include <limits>
#include <sstream>
#include <tuple>
#include <utility>

#include "tests/lib/queue/queue_model.h"

namespace twofold::queue {

// ---- Processes

std::vector<Held> QueueModel::RunningOn(ProcessId process) const {
  std::map<std::pair<std::uint64_t, std::size_t>, Held> running;  // by when they were given
  for (const auto& [id, job] : jobs_) {
    if (job.where != Where::kRunning) continue;
    if (job.parts.empty() && job.process == process) running[{job.given, 0}] = {id, job.attempts};
    for (std::size_t rank = 0; rank < job.parts.size(); ++rank) {
      const Part& part = job.parts[rank];
      if (part.ended || part.process != process) continue;
      running[{job.given, rank}] = {part.id, job.attempts};
    }
  }
  std::vector<Held> in_order;
  for (const auto& [given, held] : running) in_order.push_back(held);
  return in_order;
}

/// The job, and the part of a gang, that the process runs by this attempt.
std::pair<JobId, QueueModel::Part*> QueueModel::Counting(ProcessId process, const Held& held) {
  for (auto& [id, job] : jobs_) {
    if (job.where != Where::kRunning || job.attempts != held.attempt) continue;
    for (Part& part : job.parts) {
      if (part.id == held.job && part.process == process && !part.ended) return {id, &part};
    }
    if (job.parts.empty() && id == held.job && job.process == process) return {id, nullptr};
  }
  return {JobId{0}, nullptr};
}

std::vector<Held> QueueModel::HeldBy(ProcessId process) const {
  const std::set<Held>& stale = processes_.at(process).stale;
  std::vector<Held> held(stale.begin(), stale.end());
  for (const Held& running : RunningOn(process)) held.push_back(running);
  return held;
}

bool QueueModel::MayTake(ProcessId id) const {
  const auto found = processes_.find(id);
  if (found == processes_.end()) return false;
  const Process& process = found->second;
  const auto reserved = static_cast<std::size_t>(std::count(held_.begin(), held_.end(), id));
  return process.state == State::kConnected && !process.draining && !process.paused &&
         !IsFull(process.unsent) && HeldBy(id).size() + reserved < process.slots;
}

bool QueueModel::IsFull(std::uint64_t unsent) const {
  return options_.unsent_limit > 0 && unsent >= options_.unsent_limit;
}

bool QueueModel::AskSent(Process& process, std::uint64_t unsent) const {
  if (options_.unsent_limit == 0 || unsent < options_.unsent_limit / 2) return false;
  return !std::exchange(process.asked, true);
}

void QueueModel::RefreshLeases() {
  for (auto& [id, process] : processes_) {
    const bool holds = process.state == State::kConnected && !HeldBy(id).empty();
    if (holds == std::exchange(process.leased, holds) || !holds) continue;
    process.deadline = now_ + options_.lease;
    process.since = ++events_;
  }
}

void QueueModel::RefreshIdle() {
  std::erase_if(idle_, [this](ProcessId id) { return !MayTake(id); });
  for (auto& [id, process] : processes_) {
    if (std::find(idle_.begin(), idle_.end(), id) != idle_.end() || !MayTake(id)) continue;
    idle_.push_back(id);
    process.taken = 0;
  }
}

// One that has taken an eighth of its slots, at least one job, gives way.
void QueueModel::CountInTurn(ProcessId id) {
  Process& process = processes_.at(id);
  if (std::find(took_.begin(), took_.end(), id) == took_.end()) took_.push_back(id);
  if (++process.taken >= process.slots / 8) std::erase(idle_, id);
  RefreshIdle();
}

void QueueModel::EndTurn() {
  for (const ProcessId id : std::exchange(took_, {})) {
    const auto process = processes_.find(id);
    const auto place = std::find(idle_.begin(), idle_.end(), id);
    if (process == processes_.end() || std::exchange(process->second.taken, 0) == 0) continue;
    if (place != idle_.end()) std::rotate(place, place + 1, idle_.end());
  }
}

// ---- Jobs

/// What a job is worth grows with its wait; of equals, priority, then age, then arrival decides.
bool QueueModel::GoesBefore(const Job& job, const Job& other) const {
  const bool ages = options_.ageing > Duration::zero();
  const auto worth = [&](const Job& one) {
    const Duration aged =
        ages ? now_ - one.accepted + one.options.priority * options_.ageing : Duration{0};
    return std::tuple(-aged, -one.options.priority, one.accepted, one.arrival);
  };
  return worth(job) < worth(other);
}

/// Whose attempts were stopped and may still run, and have this key.
std::set<Held> QueueModel::Keepers(std::string Kept::*key, const std::string& value) const {
  std::set<Held> owners;
  if (value.empty()) return owners;
  for (const auto& [id, process] : processes_) {
    for (const auto& [held, kept] : process.kept) {
      if (kept.*key == value) owners.insert(kept.owner);
    }
  }
  return owners;
}

/// The least that is said by those who have a place under the key.
std::uint64_t QueueModel::LimitOf(const std::string& limit_key) const {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [id, job] : jobs_) {
    const bool has_place = job.where != Where::kDelayed && !job.held_back;
    if (!has_place || job.options.limit_key != limit_key) continue;
    least = std::min<std::uint64_t>(least, job.options.key_limit);
  }
  for (const auto& [id, process] : processes_) {
    for (const auto& [held, kept] : process.kept) {
      if (kept.limit_key == limit_key) least = std::min(least, kept.key_limit);
    }
  }
  return std::max<std::uint64_t>(least, 1);
}

/// Of the jobs of its limit key that wait, as many go before it as may run beside those that run.
bool QueueModel::IsParked(const Job& job) const {
  if (job.held_back) return true;
  if (job.options.limit_key.empty()) return false;
  if (job.where == Where::kDelayed || job.where == Where::kRunning) return false;
  std::uint64_t before = Keepers(&Kept::limit_key, job.options.limit_key).size();
  for (const auto& [id, other] : jobs_) {
    if (other.options.limit_key != job.options.limit_key || other.where == Where::kDelayed ||
        other.held_back) {
      continue;
    }
    if (other.where == Where::kRunning || GoesBefore(other, job)) ++before;
  }
  return before >= LimitOf(job.options.limit_key);
}

bool QueueModel::IsInLine(const Job& job) const {
  return job.where == Where::kWaiting && !IsParked(job);
}

void QueueModel::Refresh() {
  RefreshLeases();
  RefreshIdle();
  for (auto& [id, job] : jobs_) {
    const bool is_aside = job.where == Where::kGathering || job.where == Where::kWithheld;
    if (!is_aside || !IsParked(job)) continue;
    if (id == holder_) GiveBack();
    Saw(job.where == Where::kWithheld ? "held job parked" : "gathering gang parked");
    job.where = Where::kWaiting;
  }
  RefreshLanes();
  RefreshIdle();
}

/// A lane that fills starts at what the others have reached; one that empties is forgotten when it
/// owes nothing, and all are when nobody waits.
void QueueModel::RefreshLanes() {
  std::map<JobId, LaneName> lined;
  std::set<LaneName> full;
  std::set<LaneName> were_full;
  std::vector<const Job*> added;
  for (const auto& [id, name] : lined_) were_full.insert(name);
  for (const auto& [id, job] : jobs_) {
    if (!IsInLine(job)) continue;
    lined[id] = {job.options.priority, job.options.fair_key};
    full.insert(lined[id]);
    if (!lined_.contains(id)) added.push_back(&job);
  }
  lined_ = std::move(lined);
  std::sort(added.begin(), added.end(),
            [this](const Job* job, const Job* other) { return GoesBefore(*job, *other); });
  for (const Job* job : added) {
    if (!were_full.emplace(job->options.priority, job->options.fair_key).second) continue;
    Level& level = levels_[job->options.priority];
    const auto [lane, is_new] = level.lanes.try_emplace(job->options.fair_key);
    if (is_new) lane->second.number = lane->first.empty() ? 0 : ++level.numbers;
    lane->second.paid = std::max(lane->second.paid, level.reached);
  }
  for (auto& [priority, level] : levels_) {
    const auto first = full.lower_bound({priority, ""});
    if (first == full.end() || first->first != priority) {
      level = {};
      continue;
    }
    std::erase_if(level.lanes, [&, at = priority, reached = level.reached](const auto& entry) {
      return !full.contains({at, entry.first}) && entry.second.paid <= reached;
    });
  }
}

/// The next job of the line: in each priority that of the lane that has paid least, of these the
/// one that is worth most.
std::optional<JobId> QueueModel::Front() const {
  std::map<int, std::tuple<double, std::uint64_t, JobId>> fronts;
  for (const auto& [id, name] : lined_) {
    const Job& job = jobs_.at(id);
    const Lane& lane = levels_.at(job.options.priority).lanes.at(job.options.fair_key);
    const auto found = fronts.find(job.options.priority);
    const std::tuple candidate(lane.paid, lane.number, id);
    if (found == fronts.end()) {
      fronts[job.options.priority] = candidate;
      continue;
    }
    const auto [paid, number, other] = found->second;
    const bool cheaper = std::tuple(lane.paid, lane.number) < std::tuple(paid, number);
    const bool older = lane.number == number && GoesBefore(job, jobs_.at(other));
    if (cheaper || older) found->second = candidate;
  }
  std::optional<JobId> best;
  for (const auto& [priority, front] : fronts) {
    const JobId id = std::get<JobId>(front);
    const bool strict = options_.ageing == Duration::zero();
    if (!best || strict || GoesBefore(jobs_.at(id), jobs_.at(*best))) best = id;
  }
  return best;
}

/// Of the line's jobs of the same priority those whose turns are before the job's, the jobs of each
/// key at the price of its first one; of all others those that are worth more.
std::uint64_t QueueModel::Ahead(JobId id) const {
  const Job& job = jobs_.at(id);
  const bool takes_turns = lined_.contains(id);
  std::map<std::string, std::vector<std::pair<const Job*, JobId>>> lanes;
  std::uint64_t ahead = 0;
  for (const auto& [other, one] : jobs_) {
    const bool in_line = lined_.contains(other);
    if (takes_turns && in_line && one.options.priority == job.options.priority) {
      lanes[one.options.fair_key].emplace_back(&one, other);
    } else if ((in_line || one.where == Where::kGathering) && GoesBefore(one, job)) {
      ++ahead;
    }
  }
  std::vector<std::tuple<double, std::uint64_t, JobId>> turns;
  for (auto& [key, waiting] : lanes) {
    std::sort(waiting.begin(), waiting.end(),
              [this](const auto& a, const auto& b) { return GoesBefore(*a.first, *b.first); });
    const Lane& lane = levels_.at(job.options.priority).lanes.at(key);
    const double price = 1.0 / waiting.front().first->options.weight;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      turns.emplace_back(lane.paid + static_cast<double>(i) * price, lane.number,
                         waiting[i].second);
    }
  }
  std::sort(turns.begin(), turns.end());
  for (const auto& turn : turns) {
    if (std::get<JobId>(turn) == id) break;
    ++ahead;
  }
  return ahead;
}

/// A job is taken from the line in its turn.
void QueueModel::Pay(const Job& job) {
  Level& level = levels_.at(job.options.priority);
  Lane& lane = level.lanes.at(job.options.fair_key);
  level.reached = lane.paid;
  lane.paid += 1.0 / job.options.weight;
}

// ---- Jobs for which not any slot will do

bool QueueModel::Suits(const Job& job, ProcessId id) const {
  const Process& process = processes_.at(id);
  std::set<std::string> nodes;
  std::istringstream lines(job.options.placement);
  for (std::string word, rest; lines >> word >> rest;) {
    if (word == "node") nodes.insert(rest);
    const bool lacks = ("\n" + process.labels).find("\n" + rest + "\n") == std::string::npos;
    if (word == "label" && lacks) return false;
  }
  return nodes.empty() || nodes.contains(process.node);
}

/// Slots, or nodes, of processes that suit the job and take jobs when they are free.
std::uint64_t QueueModel::Able(const Job& job, Spread spread) const {
  std::uint64_t slots = 0;
  std::set<std::string> nodes;
  for (const auto& [id, process] : processes_) {
    if (process.state != State::kConnected || process.draining || process.paused) continue;
    if (!Suits(job, id)) continue;
    slots += process.slots;
    nodes.insert(process.node);
  }
  return spread == Spread::kNode ? nodes.size() : slots;
}

bool QueueModel::IsImpossible(const Job& gang) const {
  return Able(gang, gang.options.gang.spread) < gang.options.gang.size;
}

std::optional<JobId> QueueModel::GatheringNext(Instant now, bool others_wait) {
  std::optional<JobId> next;
  const bool holds = holder_ != JobId{0};
  for (const auto& [id, job] : jobs_) {
    if (job.where != Where::kGathering || job.options.gang.size == 1) continue;
    if (IsImpossible(job)) continue;
    if ((others_wait || holds) && job.again > now) continue;
    const auto suits = [this, &job = job](ProcessId held) { return Suits(job, held); };
    if (holds && !GoesBefore(job, jobs_.at(holder_))) continue;
    if (holds && std::none_of(held_.begin(), held_.end(), suits)) continue;
    if (!next || GoesBefore(job, jobs_.at(*next))) next = id;
  }
  if (!holds) return next;
  if (!next) return holder_;
  GiveBack();
  Saw("a gang gave way to one before it");
  return next;
}

/// A gang that lacks workers holds none that those before it could use.
bool QueueModel::Yield(Instant now) {
  if (holder_ == JobId{0}) return false;
  const std::optional<JobId> front = Front();
  const bool urgent = front && idle_.empty() && GoesBefore(jobs_.at(*front), jobs_.at(holder_));
  if (urgent &&
      (jobs_.at(*front).options.gang.size > 1 || !jobs_.at(*front).options.placement.empty())) {
    SetAside(*front);
    return true;
  }
  if (GatheringNext(now, true) != std::optional(holder_)) return true;
  if (urgent) {
    YieldAt(held_.back());
    Saw("a gang gave way to a job before it");
    return true;
  }
  const auto placed = FirstForHeld();
  if (!placed || !GoesBefore(jobs_.at(placed->first), jobs_.at(holder_))) return false;
  if (Withhold(placed->first)) return true;
  YieldAt(placed->second);
  Saw("a gang gave way to a placed job before it");
  return true;
}

/// The first single job that one of the held slots suits, and the first of these.
std::optional<std::pair<JobId, ProcessId>> QueueModel::FirstForHeld() const {
  std::optional<std::pair<JobId, ProcessId>> first;
  for (const auto& [id, job] : jobs_) {
    if (job.where != Where::kGathering || job.options.gang.size > 1) continue;
    if (first && GoesBefore(jobs_.at(first->first), job)) continue;
    const auto process =
        std::find_if(held_.begin(), held_.end(),
                     [this, &job = job](ProcessId held) { return Suits(job, held); });
    if (process != held_.end()) first = {id, *process};
  }
  return first;
}

void QueueModel::YieldAt(ProcessId process) {
  held_.erase(std::next(std::find(held_.rbegin(), held_.rend(), process)).base());
  if (held_.empty()) holder_ = JobId{0};
  RefreshIdle();
}

/// Its turn has come, but not any slot will do.
void QueueModel::SetAside(JobId id) {
  Job& job = jobs_.at(id);
  Pay(job);
  job.where = Where::kGathering;
  job.patience = job.options.gang.timeout;
  job.again = {};
  Refresh();
}

/// Its turn has come, but nothing of it could be written. True: look again.
bool QueueModel::Withhold(std::optional<JobId> id) {
  if (!id || !hold_durable_ || !jobs_.at(*id).options.durable) return false;
  if (*id == holder_) GiveBack();
  jobs_.at(*id).where = Where::kWithheld;
  Refresh();
  Saw("durable job held");
  return true;
}

/// The first single job that an idle process can run, and the first such process.
std::optional<std::pair<JobId, ProcessId>> QueueModel::PlacedNext() const {
  std::optional<std::pair<JobId, ProcessId>> next;
  for (const auto& [id, job] : jobs_) {
    if (job.where != Where::kGathering || job.options.gang.size > 1) continue;
    if (next && GoesBefore(jobs_.at(next->first), job)) continue;
    const auto process =
        std::find_if(idle_.begin(), idle_.end(),
                     [this, &job = job](ProcessId idle) { return Suits(job, idle); });
    if (process != idle_.end()) next = {id, *process};
  }
  return next;
}

/// Takes idle slots for the gang. True: it has all.
bool QueueModel::Gather(Instant now, JobId id) {
  const Job& gang = jobs_.at(id);
  const GangOptions& options = gang.options.gang;
  std::vector<ProcessId> idle = idle_;
  if (options.spread == Spread::kNode && held_.empty()) {
    std::stable_sort(idle.begin(), idle.end(), [this](ProcessId a, ProcessId b) {
      return processes_.at(a).node < processes_.at(b).node;
    });
  }
  for (const ProcessId process : idle) {
    while (held_.size() < options.size && MayTake(process) && Suits(gang, process)) {
      const bool node_taken = std::any_of(held_.begin(), held_.end(), [&](ProcessId other) {
        return processes_.at(other).node == processes_.at(process).node;
      });
      if (options.spread == Spread::kNode && node_taken) break;
      held_.push_back(process);
    }
  }
  if (holder_ == JobId{0} && !held_.empty()) {
    holder_ = id;
    until_ = now + gang.patience;
    if (gang.again > Instant()) Saw("a gang's next try");
  }
  RefreshIdle();
  return held_.size() == options.size;
}

void QueueModel::Withdraw(ProcessId process) {
  if (std::erase(held_, process) > 0) Saw("a process left that was held for a gang");
  if (held_.empty()) holder_ = JobId{0};
  RefreshIdle();
}

void QueueModel::GiveBack() {
  holder_ = JobId{0};
  while (!held_.empty()) {
    held_.erase(held_.begin());
    RefreshIdle();  // in the order in which they were taken
  }
}

}  // namespace twofold::queue
