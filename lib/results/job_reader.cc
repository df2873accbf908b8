#include "lib/results/job_reader.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "lib/results/batches.h"

namespace twofold::results {
namespace {

// Where they begin in a row of SelectJobs.
constexpr int kJobAt = 4;
constexpr int kAttemptAt = kJobAt + kJobColumns.size();
constexpr int kWorkerAt = kAttemptAt + kAttemptColumns.size();
constexpr int kEndedAt = kWorkerAt + kWorkerColumns.size();
constexpr int kPlaceAt = kEndedAt + kEndedColumns.size();

std::string SelectJobs(bool with_long_specs = true) {
  std::string job = kJobColumns.List("job.$0");
  if (!with_long_specs) {
    const std::string spec = absl::StrCat("substr(job.spec, 1, CASE WHEN length(job.spec) > ",
                                          kLongSpec, " THEN 0 ELSE ", kLongSpec, " END)");
    job = absl::StrReplaceAll(job, {{"job.spec", spec}});
  }
  return absl::StrCat("SELECT live.id, started_unix_ns, requeued_as, length(job.spec), ", job, ", ",
                      kAttemptColumns.List("live.$0"), ", ", kWorkerColumns.List("live.$0"), ", ",
                      kEndedColumns.List("ended.$0"), ", ", kPlaceColumns.List(),
                      " FROM job LEFT JOIN live ON live.id = job.id"
                      " LEFT JOIN ended ON ended.id = job.id"
                      " LEFT JOIN place ON place.job = job.id");
}

constexpr std::int64_t kNoOutcome = -1;

/// Sorts jobs that are among `ids` into their order.
void SortLike(std::span<const JobId> ids, std::vector<StoredJob>& jobs) {
  absl::flat_hash_map<JobId, std::size_t> place;
  place.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) place[ids[i]] = i;
  std::sort(jobs.begin(), jobs.end(), [&](const StoredJob& a, const StoredJob& b) {
    return place[a.accepted.id] < place[b.accepted.id];
  });
}

std::string ListSql(const JobQuery& query) {
  // What is not asked for has an empty parameter.
  std::string sql = absl::StrCat(SelectJobs(), " WHERE job.id > ?1");
  sql += query.queue ? " AND (queue = ?3 OR substr(queue, 1, length(?3) + 1) = ?3 || '/')"
                     : " AND ?3 = ''";
  sql += query.run.value_or("").empty() ? " AND ?4 = ''" : " AND job.run = ?4";
  if (query.run == "") sql += " AND job.run IS NULL";
  if (!query.outcomes.empty()) {
    absl::StrAppend(&sql, " AND outcome IN (", Marks(queue::kOutcomes), ")");
  }
  return sql + " ORDER BY job.id LIMIT ?2";
}

}  // namespace

std::optional<StoredJob> JobReader::Find(JobId job) {
  std::vector<StoredJob> found = FindAll({&job, 1});
  if (found.empty()) return std::nullopt;
  if (auto* const ended = std::get_if<JobEnded>(&found.front().state)) {
    ended->refused = benchmarks_.Refusal(job);
    if (auto benchmark = benchmarks_.Find(job)) {
      ended->benchmark = SharedBenchmark(*std::move(benchmark));
    }
  }
  return std::move(found.front());
}

std::vector<StoredJob> JobReader::FindAll(std::span<const JobId> jobs, LongSpecs long_specs) {
  static const std::string kOne = SelectJobs() + " WHERE job.id = ?";
  static const std::string kSome = absl::StrCat(SelectJobs(), " WHERE ", AmongBatch("job.id"));
  static const std::string kShort =
      absl::StrCat(SelectJobs(false), " WHERE ", AmongBatch("job.id"));
  const bool whole = long_specs == LongSpecs::kRead;
  std::vector<StoredJob> found;
  if (jobs.size() == 1 && whole) {
    Prepared::Rows row(sql_[kOne], jobs.front());
    if (row.Next()) found.push_back(JobOf(row));
  } else {
    InBatches(jobs, [&](const Numbered& batch) {
      for (Prepared::Rows row(sql_[whole ? kSome : kShort], batch); row.Next();) {
        found.push_back(JobOf(row));
      }
    });
  }
  ReadMembers(found);
  SortLike(jobs, found);
  return found;
}

void JobReader::ReadSpecs(const WantedSpecs& wanted) {
  static const std::string kSpecs = "SELECT id, spec FROM job WHERE " + AmongBatch("id");
  absl::flat_hash_map<JobId, std::vector<WantedSpec*>> by_job;  // of several attempts, maybe
  std::vector<JobId> jobs;
  for (const auto& each : wanted) {
    std::vector<WantedSpec*>& of_job = by_job[each->job];
    if (of_job.empty()) jobs.push_back(each->job);
    of_job.push_back(each.get());
  }
  InBatches(jobs, [&](const Numbered& batch) {
    for (Prepared::Rows row(sql_[kSpecs], batch); row.Next();) {
      for (WantedSpec* const each : by_job.at(row[0].Unsigned())) {
        each->spec = row[1].Text();
        each->found = true;
      }
    }
  });
}

std::vector<StoredJob> JobReader::List(const JobQuery& query) {
  const std::string queue = query.queue.value_or("");
  const std::string run = query.run.value_or("");
  std::vector<JobId> outcomes;
  for (const queue::Outcome each : query.outcomes) outcomes.push_back(static_cast<JobId>(each));
  std::vector<StoredJob> jobs;
  {
    Prepared::Rows row(
        sql_[ListSql(query)], query.after == 0 ? kBeforeAllJobs : query.after, query.limit, queue,
        run, Numbered{outcomes, outcomes.empty() ? 0 : std::size_t{queue::kOutcomes}, kNoOutcome});
    while (row.Next()) jobs.push_back(JobOf(row));
  }
  ReadMembers(jobs);
  if (query.headlines)
    std::for_each(jobs.begin(), jobs.end(), [&](auto& job) { AddHeadlines(job); });
  return jobs;
}

void JobReader::AddHeadlines(StoredJob& job) {
  auto* const ended = std::get_if<JobEnded>(&job.state);
  if (ended == nullptr) return;
  if (auto headlines = benchmarks_.Headlines(job.accepted.id)) {
    ended->benchmark = SharedBenchmark(*std::move(headlines));
  }
}

std::vector<JobId> JobReader::Unfinished(std::optional<std::uint8_t> partition) {
  Prepared::Rows rows(sql_["SELECT id FROM live WHERE id BETWEEN ? AND ?"],
                      partition ? FirstOf(*partition) : std::numeric_limits<std::int64_t>::min(),
                      partition ? LastOf(*partition) : std::numeric_limits<std::int64_t>::max());
  std::vector<JobId> jobs;
  while (rows.Next()) jobs.push_back(rows[0].Unsigned());
  std::sort(jobs.begin(), jobs.end(), [](JobId a, JobId b) {
    return std::pair(SequenceOf(a), a) < std::pair(SequenceOf(b), b);
  });
  return jobs;
}

std::vector<JobReader::Finished> JobReader::FirstFinished(std::size_t limit) {
  Prepared::Rows row(sql_["SELECT id, ended_unix_ns FROM ended ORDER BY ended_unix_ns, id LIMIT ?"],
                     limit);
  std::vector<Finished> finished;
  while (row.Next()) finished.push_back({row[0].Unsigned(), row[1].Integer()});
  return finished;
}

std::uint64_t JobReader::CountFinished() {
  Prepared::Rows row(sql_["SELECT count(*) FROM ended"]);
  row.Next();
  return row[0].Unsigned();
}

std::map<std::string, std::uint64_t> JobReader::Sequences() {
  Prepared::Rows row(sql_["SELECT name, sequence FROM queue"]);
  std::map<std::string, std::uint64_t> sequences;
  while (row.Next()) sequences.emplace(row[0].Text(), row[1].Unsigned());
  return sequences;
}

/// Of a running gang only rank 0.
StoredJob JobReader::JobOf(const Prepared::Rows& row) {
  const bool has_ended = row[0].IsNull();
  const bool has_started = !row[1].IsNull();
  StoredJob job{.requeued_as = row[2].Unsigned()};
  row.Read(kJobColumns, kJobAt, job.accepted);
  job.spec_left = static_cast<std::uint32_t>(row[3].Unsigned() - job.accepted.spec.size());
  row.Read(kPlaceColumns, kPlaceAt, job.accepted.place);
  if (has_ended) {
    row.Read(kEndedColumns, kEndedAt, job.state.emplace<JobEnded>());
    return job;
  }
  AttemptStarted started{.job = job.accepted.id};
  row.Read(kAttemptColumns, kAttemptAt, started);
  if (!has_started) {
    job.state = Waiting{started.attempt, started.lost_attempts};
    return job;
  }
  row.Read(kWorkerColumns, kWorkerAt,
           started.members.emplace_back(Member{.member_job = started.job}));
  job.state = std::move(started);
  return job;
}

/// Only gangs have rows in table `member`.
void JobReader::ReadMembers(std::vector<StoredJob>& jobs) {
  static const std::string kMembers =
      absl::StrCat("SELECT job, rank, member_job, ", kWorkerColumns.List(), " FROM member WHERE ",
                   AmongBatch("job"), " ORDER BY job, rank");
  absl::flat_hash_map<JobId, AttemptStarted*> running;
  std::vector<JobId> ids;
  for (StoredJob& job : jobs) {
    auto* const started = std::get_if<AttemptStarted>(&job.state);
    if (started == nullptr) continue;
    running[started->job] = started;
    ids.push_back(started->job);
  }
  InBatches(ids, [&](const Numbered& batch) {
    for (Prepared::Rows row(sql_[kMembers], batch); row.Next();) {
      std::vector<Member>& members = running.at(row[0].Unsigned())->members;
      if (row[1].Integer() == 0) members.clear();
      row.Read(kWorkerColumns, 3, members.emplace_back(Member{.member_job = row[2].Unsigned()}));
    }
  });
}

}  // namespace twofold::results
