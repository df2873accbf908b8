#include "tests/fakes/memory_store.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

namespace twofold::results {
namespace {

std::int64_t Key(JobId job) { return static_cast<std::int64_t>(job); }

const JobEnded* EndOf(const StoredJob& job) { return std::get_if<JobEnded>(&job.state); }

bool Matches(const JobQuery& query, const StoredJob& job) {
  const std::string& queue = job.accepted.queue;
  if (query.queue && queue != *query.queue && !queue.starts_with(*query.queue + "/")) return false;
  if (query.run && job.accepted.run != *query.run) return false;
  if (query.outcomes.empty()) return true;
  const JobEnded* const end = EndOf(job);
  return end != nullptr && std::count(query.outcomes.begin(), query.outcomes.end(), end->outcome);
}

SharedBenchmark HeadlinesOf(const v1::BenchmarkResult& result) {
  v1::BenchmarkResult headlines;
  headlines.set_suite(result.suite());
  for (const v1::Measurement& measurement : result.measurements()) {
    if (measurement.headline()) *headlines.add_measurements() = measurement;
  }
  return SharedBenchmark(std::move(headlines));
}

StoredJob Listed(const JobQuery& query, StoredJob job) {
  if (auto* const end = std::get_if<JobEnded>(&job.state)) {
    const bool headlines = query.headlines && end->benchmark.get() != nullptr;
    end->benchmark = headlines ? HeadlinesOf(*end->benchmark.get()) : SharedBenchmark();
    end->refused.clear();
  }
  return job;
}

}  // namespace

class MemoryStore::Applier {
 public:
  explicit Applier(Contents& contents) : contents_(contents) {}

  void operator()(const JobAccepted& record) {
    contents_.jobs.try_emplace(Key(record.id), StoredJob{.accepted = record});
  }
  void operator()(const AttemptStarted& record) { Reach(record.job, record); }
  void operator()(const AttemptGivenUp& record) {
    Reach(record.job, Waiting{record.attempt, record.lost_attempts});
  }
  void operator()(const JobEnded& record) { Reach(record.job, record); }
  // Runs are read by other means than a Store's.
  void operator()(const RunCreated&) {}
  void operator()(const RunCancelled&) {}
  void operator()(const RunDeleted&) {}
  void operator()(const QueueHalted&) {}  // is kept for other frontends
  void operator()(const JobTaken& record) {
    const StoredJob* const job = Find(record.job);
    if (job != nullptr && EndOf(*job) == nullptr) contents_.jobs.erase(Key(record.job));
  }
  void operator()(const JobRequeued& record) {
    StoredJob* const job = Find(record.from);
    if (job != nullptr && EndOf(*job) != nullptr) job->requeued_as = record.to;
  }
  void operator()(const SequenceUsed& record) {
    std::uint64_t& highest = contents_.sequences[record.queue];
    highest = std::max(highest, record.sequence);
  }

 private:
  StoredJob* Find(JobId job) {
    const auto place = contents_.jobs.find(Key(job));
    return place == contents_.jobs.end() ? nullptr : &place->second;
  }

  template <typename State>
  void Reach(JobId id, const State& state) {
    StoredJob* const job = Find(id);
    if (job != nullptr && EndOf(*job) == nullptr) job->state = state;
  }

  Contents& contents_;
};

Status MemoryStore::Commit(std::span<const Record> records) {
  const std::lock_guard lock(mutex_);
  if (const JobId clash = Clash(records); clash != 0) {
    return absl::AlreadyExistsError(absl::StrCat("another job has the id ", clash));
  }
  for (const Record& record : records) std::visit(Applier(contents_), record);
  return absl::OkStatus();
}

/// The first id that another job has, in the store or among the records; 0: none.
JobId MemoryStore::Clash(std::span<const Record> records) const {
  std::map<JobId, const JobAccepted*> accepted;
  for (const Record& record : records) {
    const auto* const job = std::get_if<JobAccepted>(&record);
    if (job == nullptr) continue;
    const auto place = contents_.jobs.find(Key(job->id));
    const JobAccepted& other = place != contents_.jobs.end()
                                   ? place->second.accepted
                                   : *accepted.try_emplace(job->id, job).first->second;
    if (other != *job) return job->id;
  }
  return 0;
}

namespace {

StoredJob WithoutLongSpec(StoredJob job) {
  JobAccepted& accepted = job.accepted;
  if (queue::IsDurable(queue::JobId{accepted.id}) && accepted.spec.size() > kLongSpec) {
    job.spec_left = static_cast<std::uint32_t>(accepted.spec.size());
    accepted.spec.clear();
  }
  return job;
}

}  // namespace

Result<std::map<std::string, std::uint64_t>> MemoryStore::Load(const Visit& visit) {
  const std::lock_guard lock(mutex_);
  std::map<std::pair<std::uint64_t, JobId>, const StoredJob*> unfinished;
  for (const auto& [key, job] : contents_.jobs) {
    const JobId id = job.accepted.id;
    if (EndOf(job) == nullptr) unfinished.emplace(std::pair(SequenceOf(id), id), &job);
  }
  for (const auto& [order, job] : unfinished) visit(WithoutLongSpec(*job));
  return contents_.sequences;
}

Result<StoredJob> MemoryStore::Find(JobId job) const {
  const std::lock_guard lock(mutex_);
  const auto place = contents_.jobs.find(Key(job));
  if (place != contents_.jobs.end()) return place->second;
  return absl::NotFoundError(absl::StrCat("no job ", job));
}

Result<std::vector<StoredJob>> MemoryStore::List(const JobQuery& query) const {
  const std::lock_guard lock(mutex_);
  const auto begin =
      query.after == 0 ? contents_.jobs.begin() : contents_.jobs.upper_bound(Key(query.after));
  std::vector<StoredJob> jobs;
  for (auto place = begin; place != contents_.jobs.end() && jobs.size() < query.limit; ++place) {
    if (Matches(query, place->second)) jobs.push_back(Listed(query, place->second));
  }
  return jobs;
}

Result<std::size_t> MemoryStore::Forget(const Retention& retention, std::size_t at_most) {
  const std::lock_guard lock(mutex_);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> finished;
  for (const auto& [key, job] : contents_.jobs) {
    if (const JobEnded* const end = EndOf(job))
      finished.emplace(std::pair(end->ended_unix_ns, key), key);
  }
  std::size_t left = finished.size();
  std::size_t forgotten = 0;
  for (const auto& [order, key] : finished) {
    const bool too_many = left > retention.keep_at_most;
    if (forgotten == at_most || (!too_many && order.first >= retention.older_than_unix_ns)) break;
    contents_.jobs.erase(key);
    ++forgotten;
    --left;
  }
  return forgotten;
}

}  // namespace twofold::results
