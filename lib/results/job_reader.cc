#include "lib/results/job_reader.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <utility>

namespace twofold::results {
namespace {

// Where they begin in a row of SelectJobs.
constexpr int kJobAt = 3;
constexpr int kAttemptAt = kJobAt + kJobColumns.size();
constexpr int kWorkerAt = kAttemptAt + kAttemptColumns.size();
constexpr int kEndedAt = kWorkerAt + kWorkerColumns.size();
constexpr int kPlaceAt = kEndedAt + kEndedColumns.size();

std::string SelectJobs() {
  return absl::StrCat("SELECT live.id, started_unix_ns, requeued_as, ", kJobColumns.List("job.$0"),
                      ", ", kAttemptColumns.List("live.$0"), ", ", kWorkerColumns.List("live.$0"),
                      ", ", kEndedColumns.List("ended.$0"), ", ", kPlaceColumns.List(),
                      " FROM job LEFT JOIN live ON live.id = job.id"
                      " LEFT JOIN ended ON ended.id = job.id"
                      " LEFT JOIN place ON place.job = job.id");
}

std::string OutcomeCondition(const std::vector<queue::Outcome>& outcomes) {
  return absl::StrCat("outcome IN (",
                      absl::StrJoin(outcomes, ", ",
                                    [](std::string* out, queue::Outcome outcome) {
                                      absl::StrAppend(out, static_cast<int>(outcome));
                                    }),
                      ")");
}

std::string ListSql(const JobQuery& query) {
  // What is not asked for has an empty parameter.
  std::string sql = absl::StrCat(SelectJobs(), " WHERE job.id > ?1");
  sql += query.queue ? " AND queue = ?3" : " AND ?3 = ''";
  sql += query.run.value_or("").empty() ? " AND ?4 = ''" : " AND job.run = ?4";
  if (query.run == "") sql += " AND job.run IS NULL";
  if (!query.outcomes.empty()) absl::StrAppend(&sql, " AND ", OutcomeCondition(query.outcomes));
  return sql + " ORDER BY job.id LIMIT ?2";
}

}  // namespace

std::optional<StoredJob> JobReader::Find(JobId job) {
  static const std::string kFind = SelectJobs() + " WHERE job.id = ?";
  Prepared::Rows row(sql_[kFind], job);
  if (!row.Next()) return std::nullopt;
  StoredJob found = JobOf(row);
  if (auto* const ended = std::get_if<JobEnded>(&found.state)) {
    ended->refused = benchmarks_.Refusal(job);
    if (auto benchmark = benchmarks_.Find(job)) {
      ended->benchmark = SharedBenchmark(*std::move(benchmark));
    }
  }
  return found;
}

std::vector<StoredJob> JobReader::List(const JobQuery& query) {
  const std::string queue = query.queue.value_or("");
  const std::string run = query.run.value_or("");
  Prepared list(sql_.database(), ListSql(query));
  Prepared::Rows row(list, query.after == 0 ? kBeforeAllJobs : query.after, query.limit, queue,
                     run);
  std::vector<StoredJob> jobs;
  while (row.Next()) {
    jobs.push_back(JobOf(row));
    if (query.headlines) AddHeadlines(jobs.back());
  }
  return jobs;
}

void JobReader::AddHeadlines(StoredJob& job) {
  auto* const ended = std::get_if<JobEnded>(&job.state);
  if (ended == nullptr) return;
  if (auto headlines = benchmarks_.Headlines(job.accepted.id)) {
    ended->benchmark = SharedBenchmark(*std::move(headlines));
  }
}

std::vector<JobId> JobReader::Unfinished() {
  Prepared::Rows rows(sql_["SELECT id FROM live"]);
  std::vector<JobId> jobs;
  while (rows.Next()) jobs.push_back(Unsigned(rows[0]));
  std::sort(jobs.begin(), jobs.end(), [](JobId a, JobId b) {
    return std::pair(SequenceOf(a), a) < std::pair(SequenceOf(b), b);
  });
  return jobs;
}

std::vector<JobReader::Finished> JobReader::FirstFinished(std::size_t limit) {
  Prepared::Rows row(sql_["SELECT id, ended_unix_ns FROM ended ORDER BY ended_unix_ns, id LIMIT ?"],
                     limit);
  std::vector<Finished> finished;
  while (row.Next()) finished.push_back({Unsigned(row[0]), row[1].getInt64()});
  return finished;
}

std::map<std::string, std::uint64_t> JobReader::Sequences() {
  Prepared::Rows row(sql_["SELECT name, sequence FROM queue"]);
  std::map<std::string, std::uint64_t> sequences;
  while (row.Next()) sequences.emplace(row[0].getString(), Unsigned(row[1]));
  return sequences;
}

StoredJob JobReader::JobOf(const Prepared::Rows& row) {
  const bool has_ended = row[0].isNull();
  const bool has_started = !row[1].isNull();
  StoredJob job{.requeued_as = Unsigned(row[2])};
  row.Read(kJobColumns, kJobAt, job.accepted);
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
  ReadMembers(started);
  if (started.members.empty()) {
    row.Read(kWorkerColumns, kWorkerAt,
             started.members.emplace_back(Member{.member_job = started.job}));
  }
  job.state = std::move(started);
  return job;
}

void JobReader::ReadMembers(AttemptStarted& started) {
  static const std::string kMembers = absl::StrCat("SELECT member_job, ", kWorkerColumns.List(),
                                                   " FROM member WHERE job = ? ORDER BY rank");
  for (Prepared::Rows row(sql_[kMembers], started.job); row.Next();) {
    Member& member = started.members.emplace_back(Member{.member_job = Unsigned(row[0])});
    row.Read(kWorkerColumns, 1, member);
  }
}

}  // namespace twofold::results
