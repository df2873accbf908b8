#include "lib/results/job_writer.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <map>
#include <variant>
#include <vector>

namespace twofold::results {

/// What a group of records comes to for one job: only the last state that it reached counts.
struct JobChange {
  using State =
      std::variant<std::monostate, const AttemptGivenUp*, const AttemptStarted*, const JobEnded*>;

  JobId job = 0;
  const JobAccepted* accepted = nullptr;
  State state = {};
  JobId requeued_as = 0;
};

namespace {

/// A gang, or what would not be understood without its members' own ids.
bool HasMembers(const AttemptStarted& started) {
  return started.members.size() > 1 || started.members.front().member_job != started.job;
}

/// What a group of records comes to. Points into the records.
class GroupChange {
 public:
  /// Cost     O(records): one look-up by hash each.
  explicit GroupChange(std::span<const Record> records) {
    jobs.reserve(records.size());
    index_.reserve(records.size());
    for (const Record& record : records) std::visit([&](const auto& each) { Add(each); }, record);
  }

  std::vector<JobChange> jobs;  ///< in the order in which they first appear
  std::map<std::string, std::uint64_t> sequences;
  std::vector<const RunCreated*> created;
  std::vector<const RunCancelled*> cancelled;
  std::vector<const RunDeleted*> deleted;
  std::vector<JobId> taken;
  JobId accepted_twice = 0;  ///< an id that different jobs have; 0: none

 private:
  void Add(const JobAccepted& record) {
    JobChange& change = Of(record.id);
    if (change.accepted != nullptr && *change.accepted != record) accepted_twice = record.id;
    change.accepted = &record;
  }
  void Add(const AttemptStarted& record) { Reach(record.job, &record); }
  void Add(const AttemptGivenUp& record) { Reach(record.job, &record); }
  void Add(const JobEnded& record) { Reach(record.job, &record); }
  void Add(const JobRequeued& record) { Of(record.from).requeued_as = record.to; }
  void Add(const SequenceUsed& record) {
    std::uint64_t& highest = sequences[record.queue];
    highest = std::max(highest, record.sequence);
  }
  void Add(const RunCreated& record) { created.push_back(&record); }
  void Add(const RunCancelled& record) { cancelled.push_back(&record); }
  void Add(const RunDeleted& record) { deleted.push_back(&record); }
  void Add(const QueueHalted&) {}  // is no job's
  void Add(const JobTaken& record) { taken.push_back(record.job); }

  JobChange& Of(JobId job) {
    const auto [entry, is_new] = index_.try_emplace(job, jobs.size());
    if (is_new) jobs.push_back({.job = job});
    return jobs[entry->second];
  }

  // A job ends once: nothing comes after its end.
  void Reach(JobId job, JobChange::State state) {
    JobChange& change = Of(job);
    if (!std::holds_alternative<const JobEnded*>(change.state)) change.state = state;
  }

  absl::flat_hash_map<JobId, std::size_t> index_;
};

}  // namespace

Status JobWriter::Write(std::span<const Record> records, std::uint64_t* ended,
                        std::uint64_t* deleted) {
  const GroupChange change(records);
  if (change.accepted_twice != 0) {
    return absl::AlreadyExistsError(absl::StrCat("two jobs have the id ", change.accepted_twice));
  }
  for (const RunCreated* run : change.created) runs_.Create(*run);
  for (const JobChange& job : change.jobs) {
    if (Status status = WriteJob(job, ended); !status.ok()) return status;
  }
  for (const JobId job : change.taken) Take(job);
  for (const auto& [queue, sequence] : change.sequences) Reserve(queue, sequence);
  for (const RunCancelled* cancelled : change.cancelled) runs_.Cancel(*cancelled);
  for (const RunDeleted* run : change.deleted) {
    const std::vector<JobId> jobs = runs_.Deletable(*run);
    Delete(jobs);
    *deleted += jobs.size();
  }
  return absl::OkStatus();
}

void JobWriter::Reserve(const std::string& queue, std::uint64_t sequence) {
  static const RowWrite kSequence =
      InsertInto("queue", {"name", "sequence"})
          .With(
              " ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence"
              " WHERE queue.sequence < excluded.sequence");
  std::uint64_t& reserved = reserved_[queue];
  if (sequence <= reserved) return;
  reserved = sequence + reserve_;
  sql_[kSequence].Run(queue, reserved);
}

Status JobWriter::WriteJob(const JobChange& change, std::uint64_t* ended) {
  const Acceptance acceptance =
      change.accepted == nullptr ? Acceptance::kThere : Accept(*change.accepted);
  if (acceptance == Acceptance::kClash) {
    return absl::AlreadyExistsError(absl::StrCat("another job has the id ", change.job));
  }
  static const RowWrite kWait = InsertInto("live", {"id", "attempts", "lost_attempts"});
  static const RowWrite kRequeue = Update("ended", {"requeued_as"});
  const bool is_new = acceptance == Acceptance::kAdded;
  if (const auto* const* const end = std::get_if<const JobEnded*>(&change.state)) {
    if (End(**end, is_new)) ++*ended;
  } else if (const auto* const* const started = std::get_if<const AttemptStarted*>(&change.state)) {
    Start(**started, is_new);
  } else if (is_new) {
    sql_[kWait].Run(change.job, 0, 0);
  }
  if (const auto* const* const given_up = std::get_if<const AttemptGivenUp*>(&change.state)) {
    GiveUp(**given_up);
  }
  if (change.requeued_as != 0) {
    sql_[kRequeue].Run(change.requeued_as, change.job);
  }
  return absl::OkStatus();
}

JobWriter::Acceptance JobWriter::Accept(const JobAccepted& job) {
  static const RowWrite kInsert = InsertInto("job", {}, kJobColumns).IfNew();
  if (sql_[kInsert].Run(Fields{kJobColumns, job}) == 1) {
    runs_.Place(job);
    return Acceptance::kAdded;
  }
  Prepared::Rows same(
      sql_["SELECT 1 FROM job WHERE id = ? AND queue = ? AND accepted_unix_ns = ? AND spec = ?"],
      job.id, job.queue, job.accepted_unix_ns, Blob{job.spec});
  return same.Next() ? Acceptance::kThere : Acceptance::kClash;
}

/// A job that a worker had room for is accepted and started at once, so its row is written once.
void JobWriter::Start(const AttemptStarted& started, bool is_new) {
  static const RowWrite kInsert = InsertInto("live", {"id"}, kAttemptColumns, kWorkerColumns);
  static const RowWrite kStart = Update("live", NamesOf(kAttemptColumns, kWorkerColumns)).Counted();
  const Fields attempt{kAttemptColumns, started};
  const Fields worker{kWorkerColumns, started.members.front()};
  if (is_new) {
    sql_[kInsert].Run(started.job, attempt, worker);
  } else {
    const std::int64_t found = sql_[kStart].Run(attempt, worker, started.job);
    DeleteMembers(started.job);
    if (found == 0) return;
  }
  if (HasMembers(started)) AddMembers(started);
}

void JobWriter::AddMembers(const AttemptStarted& started) {
  static const RowWrite kMember =
      InsertInto("member", {"job", "rank", "member_job"}, kWorkerColumns);
  int rank = 0;
  for (const Member& member : started.members) {
    sql_[kMember].Run(started.job, rank++, member.member_job, Fields{kWorkerColumns, member});
  }
}

void JobWriter::GiveUp(const AttemptGivenUp& given_up) {
  static const RowWrite kGiveUp =
      Update("live", {"attempts", "lost_attempts"},
             ", started_unix_ns = NULL, " + kWorkerColumns.List("$0 = NULL"));
  sql_[kGiveUp].Run(given_up.attempt, given_up.lost_attempts, given_up.job);
  DeleteMembers(given_up.job);
}

/// False: it had ended before, or is not there.
bool JobWriter::End(const JobEnded& ended, bool is_new) {
  static const RowWrite kInsert = InsertInto("ended", {}, kEndedColumns);
  static const RowWrite kLeave = DeleteFrom("live", "id").Counted();
  if (!is_new && sql_[kLeave].Run(ended.job) == 0) return false;
  DeleteMembers(ended.job);
  sql_[kInsert].Run(Fields{kEndedColumns, ended});
  if (!ended.refused.empty()) benchmarks_.WriteRefusal(ended.job, ended.refused);
  if (ended.benchmark.get() != nullptr) {
    runs_.PlaceOutside(ended.job);
    benchmarks_.Write(ended.job, *ended.benchmark.get());
  }
  return true;
}

/// No-op if it is not there, or has ended.
void JobWriter::Take(JobId job) {
  static const RowWrite kLeave = DeleteFrom("live", "id").Counted();
  static const RowWrite kJob = DeleteFrom("job", "id");
  if (sql_[kLeave].Run(job) > 0) sql_[kJob].Run(job);
}

void JobWriter::DeleteMembers(JobId job) {
  static const RowWrite kDelete = DeleteFrom("member", "job");
  sql_[kDelete].Run(job);
}

void JobWriter::Delete(std::span<const JobId> jobs) {
  static const RowWrite kEnded = DeleteFrom("ended", "id");
  static const RowWrite kJob = DeleteFrom("job", "id");
  for (const JobId job : jobs) {
    sql_[kEnded].Run(job);
    sql_[kJob].Run(job);
    benchmarks_.Delete(job);
  }
  runs_.Delete(jobs);
}

bool JobWriter::FindNewNames(std::span<const Record> records) {
  bool found = false;
  for (const Record& record : records) {
    const auto* const ended = std::get_if<JobEnded>(&record);
    if (ended == nullptr || ended->benchmark.get() == nullptr) continue;
    if (benchmarks_.FindNewNames(*ended->benchmark.get())) found = true;
  }
  return found;
}

void JobWriter::Forget() {
  reserved_.clear();
  runs_.Forget();
  benchmarks_.Forget();
}

}  // namespace twofold::results
