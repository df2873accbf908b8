#include "lib/results/run_copy.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <bitset>
#include <map>
#include <utility>
#include <vector>

namespace twofold::results {
namespace {

// Not a name that a queue can have.
constexpr const char* kCopied = "(copied)";

constexpr std::size_t kPage = 200;
constexpr std::size_t kPermutations = 100'000;

/// The last id that was given to a copied job of this store; of a number that is free if there was
/// none.
/// Errors   kAlreadyExists: the run is there.
Result<JobId> LastCopiedId(const std::string& run, SqliteStore& store) {
  const auto reader = RunReader::Open(store.path());
  if (!reader.ok()) return reader.status();
  if ((*reader)->NumberOf(run).ok()) {
    return absl::AlreadyExistsError(
        absl::StrCat("run '", run, "' is in ", store.path(), " already"));
  }
  const auto last_ids = store.Load([](const StoredJob&) {});
  if (!last_ids.ok()) return last_ids.status();
  if (const auto known = last_ids->find(kCopied); known != last_ids->end()) return known->second;
  std::bitset<256> taken;
  for (const auto& [name, last] : *last_ids) {
    taken.set(queue::QueueNumber(queue::JobId{last}));
  }
  for (std::uint8_t number = 255; number > 0; --number) {
    if (!taken.test(number)) return LowestId(number);
  }
  return absl::FailedPreconditionError("the file knows 255 queues; copy into another one");
}

/// Makes groups of records of a run, the run itself first.
class Copier {
 public:
  Copier(const RunReader& from, v1::Run run, std::int64_t number, JobId last_id)
      : from_(from), run_(std::move(run)), number_(number), last_id_(last_id) {}

  /// Empty: that was all.
  Result<std::vector<Record>> Next() {
    if (!std::exchange(begun_, true)) return Begin();
    const auto page = from_.FinishedJobs(number_, after_, kPage);
    if (!page.ok()) return page.status();
    if (page->empty()) return Requeues();
    after_ = {page->back().accepted.place.permutation(), page->back().accepted.id};
    std::vector<Record> records;
    for (const StoredJob& job : *page) Add(job, records);
    records.emplace_back(SequenceUsed{kCopied, last_id_});
    return records;
  }

  [[nodiscard]] std::uint64_t jobs() const { return new_ids_.size(); }

 private:
  Result<std::vector<Record>> Begin() {
    auto permutations = from_.Permutations(number_, kPermutations);
    if (!permutations.ok()) return permutations.status();
    std::vector<Record> records = {RunCreated{run_, *std::move(permutations)}};
    if (run_.cancelled_unix_ns() != 0) {
      records.emplace_back(RunCancelled{run_.id(), run_.cancelled_unix_ns()});
    }
    return records;
  }

  void Add(const StoredJob& job, std::vector<Record>& records) {
    JobAccepted accepted = job.accepted;
    JobEnded ended = std::get<JobEnded>(job.state);
    accepted.id = ended.job = ++last_id_;
    new_ids_.emplace(job.accepted.id, last_id_);
    if (job.requeued_as != 0) requeued_.emplace_back(job.accepted.id, job.requeued_as);
    records.emplace_back(std::move(accepted));
    records.emplace_back(std::move(ended));
  }

  /// Pairs whose second job was copied as well; of others the first one counts again.
  std::vector<Record> Requeues() {
    std::vector<Record> records;
    for (const auto& [from, to] : std::exchange(requeued_, {})) {
      const auto second = new_ids_.find(to);
      if (second == new_ids_.end()) continue;
      records.emplace_back(JobRequeued{new_ids_.at(from), second->second});
    }
    return records;
  }

  const RunReader& from_;
  const v1::Run run_;
  const std::int64_t number_;
  JobId last_id_;
  bool begun_ = false;
  RunReader::JobCursor after_ = {};
  absl::flat_hash_map<JobId, JobId> new_ids_;
  std::vector<std::pair<JobId, JobId>> requeued_;
};

}  // namespace

Status AddRun(const RunCreated& created, const std::vector<OutsideJob>& jobs, SqliteStore& to) {
  const v1::Run& run = created.run;
  auto last_id = LastCopiedId(run.id(), to);
  if (!last_id.ok()) return last_id.status();
  std::vector<Record> records = {created};
  for (const OutsideJob& job : jobs) {
    const JobId id = ++*last_id;
    records.emplace_back(JobAccepted{.id = id,
                                     .queue = kCopied,
                                     .run = run.id(),
                                     .place = job.place,
                                     .suite = job.result.suite(),
                                     .accepted_unix_ns = run.created_unix_ns()});
    records.emplace_back(JobEnded{.job = id,
                                  .outcome = job.outcome,
                                  .attempts = 1,
                                  .reason = job.reason,
                                  .ended_unix_ns = run.created_unix_ns(),
                                  .benchmark = SharedBenchmark(job.result)});
  }
  records.emplace_back(SequenceUsed{kCopied, *last_id});
  return to.Commit(records);
}

Result<CopiedRun> CopyRun(const RunReader& from, const std::string& run, SqliteStore& to) {
  auto found = from.Find(run);
  if (!found.ok()) return found.status();
  const auto number = from.NumberOf(run);
  if (!number.ok()) return number.status();
  const auto last_id = LastCopiedId(run, to);
  if (!last_id.ok()) return last_id.status();
  const std::uint64_t unfinished = found->counts().waiting() + found->counts().running();
  Copier copier(from, *std::move(found), *number, *last_id);
  if (Status status = to.CommitAll([&] { return copier.Next(); }); !status.ok()) return status;
  return CopiedRun{.jobs = copier.jobs(), .unfinished = unfinished};
}

}  // namespace twofold::results
