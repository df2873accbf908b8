#include "lib/results/job_reader.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <limits>

namespace twofold::results {
namespace {

std::string SelectJobs() {
  return absl::StrCat(
      "SELECT job.id, queue, job.run, suite, priority, options, spec, accepted_unix_ns,"
      " live.id, live.attempts, lost_attempts, started_unix_ns, process_key,"
      " live.node, live.pod, live.device,"
      " outcome, ended.attempts, wait_ns, run_ns, total_ns, ended.node, ended.pod, ended.device,"
      " report, reason, ended_unix_ns, requeued_as, ",
      AllTables().place.List(),
      " FROM job LEFT JOIN live ON live.id = job.id LEFT JOIN ended ON ended.id = job.id"
      " LEFT JOIN place ON place.job = job.id");
}

/// The columns of SelectJobs, in its order.
enum Column : int {
  kId,
  kQueue,
  kRun,
  kSuite,
  kPriority,
  kOptions,
  kSpec,
  kAcceptedUnixNs,
  kLiveId,
  kLiveAttempts,
  kLostAttempts,
  kStartedUnixNs,
  kProcessKey,
  kLiveNode,
  kLivePod,
  kLiveDevice,
  kOutcome,
  kAttempts,
  kWaitNs,
  kRunNs,
  kTotalNs,
  kNode,
  kPod,
  kDevice,
  kReport,
  kReason,
  kEndedUnixNs,
  kRequeuedAs,
  kPlace,  // and on
};

std::string Text(const SQLite::Column& column) { return column.getString(); }
std::int64_t Signed(const SQLite::Column& column) { return column.getInt64(); }
std::uint32_t Small(const SQLite::Column& column) { return column.getUInt(); }

JobAccepted AcceptedOf(const SQLite::Statement& row) {
  JobAccepted job{.id = Unsigned(row.getColumn(kId)),
                  .queue = Text(row.getColumn(kQueue)),
                  .run = Text(row.getColumn(kRun)),
                  .place = {},
                  .suite = Text(row.getColumn(kSuite)),
                  .priority = row.getColumn(kPriority).getInt(),
                  .options = Text(row.getColumn(kOptions)),
                  .spec = Text(row.getColumn(kSpec)),
                  .accepted_unix_ns = Signed(row.getColumn(kAcceptedUnixNs))};
  AllTables().place.Read(row, kPlace, job.place);
  return job;
}

JobEnded EndOf(const SQLite::Statement& row) {
  return {.job = Unsigned(row.getColumn(kId)),
          .outcome = OutcomeOf(row.getColumn(kOutcome).getInt64()),
          .attempts = Small(row.getColumn(kAttempts)),
          .wait = Duration(Signed(row.getColumn(kWaitNs))),
          .run_time = Duration(Signed(row.getColumn(kRunNs))),
          .total = Duration(Signed(row.getColumn(kTotalNs))),
          .node = Text(row.getColumn(kNode)),
          .pod = Text(row.getColumn(kPod)),
          .device = Text(row.getColumn(kDevice)),
          .report = Text(row.getColumn(kReport)),
          .reason = Text(row.getColumn(kReason)),
          .ended_unix_ns = Signed(row.getColumn(kEndedUnixNs))};
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
  std::string sql = absl::StrCat(SelectJobs(), " WHERE job.id > :after");
  if (query.queue) sql += " AND queue = :queue";
  if (query.run) sql += query.run->empty() ? " AND job.run IS NULL" : " AND job.run = :run";
  if (!query.outcomes.empty()) absl::StrAppend(&sql, " AND ", OutcomeCondition(query.outcomes));
  return sql + " ORDER BY job.id LIMIT :limit";
}

void BindQuery(const JobQuery& query, SQLite::Statement& list) {
  constexpr std::int64_t kBeforeAll = std::numeric_limits<std::int64_t>::min();
  list.bind(":after", query.after == 0 ? kBeforeAll : static_cast<std::int64_t>(query.after));
  list.bind(":limit", static_cast<std::int64_t>(query.limit));
  if (query.queue) list.bind(":queue", *query.queue);
  if (query.run && !query.run->empty()) list.bind(":run", *query.run);
}

}  // namespace

JobReader::JobReader(SQLite::Database& database)
    : database_(database),
      find_(database, absl::StrCat(SelectJobs(), " WHERE job.id = ?")),
      members_(database,
               "SELECT member_job, process_key, node, pod, device FROM member"
               " WHERE job = ? ORDER BY rank"),
      benchmarks_(database) {}

std::optional<StoredJob> JobReader::Find(JobId job) {
  Prepared::Rows rows(find_, job);
  if (!rows.Next()) return std::nullopt;
  StoredJob found = JobOf(rows.statement());
  if (auto* const ended = std::get_if<JobEnded>(&found.state)) {
    ended->refused = benchmarks_.Refusal(job);
    if (auto benchmark = benchmarks_.Find(job)) {
      ended->benchmark = SharedBenchmark(*std::move(benchmark));
    }
  }
  return found;
}

std::vector<StoredJob> JobReader::List(const JobQuery& query) {
  SQLite::Statement list(database_, ListSql(query));
  BindQuery(query, list);
  std::vector<StoredJob> jobs;
  while (list.executeStep()) {
    jobs.push_back(JobOf(list));
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
  Prepared select(database_, "SELECT id FROM live");
  Prepared::Rows rows(select);
  std::vector<JobId> jobs;
  while (rows.Next()) jobs.push_back(Unsigned(rows[0]));
  std::sort(jobs.begin(), jobs.end(), [](JobId a, JobId b) {
    return std::pair(SequenceOf(a), a) < std::pair(SequenceOf(b), b);
  });
  return jobs;
}

std::vector<JobReader::Finished> JobReader::FirstFinished(std::size_t limit) {
  Prepared select(database_,
                  "SELECT id, ended_unix_ns FROM ended ORDER BY ended_unix_ns, id LIMIT ?");
  Prepared::Rows rows(select, limit);
  std::vector<Finished> finished;
  while (rows.Next()) finished.push_back({Unsigned(rows[0]), Signed(rows[1])});
  return finished;
}

std::map<std::string, std::uint64_t> JobReader::Sequences() {
  Prepared select(database_, "SELECT name, sequence FROM queue");
  Prepared::Rows rows(select);
  std::map<std::string, std::uint64_t> sequences;
  while (rows.Next()) sequences.emplace(Text(rows[0]), Unsigned(rows[1]));
  return sequences;
}

StoredJob JobReader::JobOf(const SQLite::Statement& row) {
  StoredJob job{.accepted = AcceptedOf(row), .requeued_as = Unsigned(row.getColumn(kRequeuedAs))};
  if (row.getColumn(kLiveId).isNull()) {
    job.state = EndOf(row);
  } else if (row.getColumn(kStartedUnixNs).isNull()) {
    job.state = Waiting{Small(row.getColumn(kLiveAttempts)), Small(row.getColumn(kLostAttempts))};
  } else {
    job.state = AttemptOf(row, job.accepted.id);
  }
  return job;
}

AttemptStarted JobReader::AttemptOf(const SQLite::Statement& row, JobId job) {
  AttemptStarted started{.job = job,
                         .attempt = Small(row.getColumn(kLiveAttempts)),
                         .lost_attempts = Small(row.getColumn(kLostAttempts)),
                         .started_unix_ns = Signed(row.getColumn(kStartedUnixNs)),
                         .members = MembersOf(job)};
  if (started.members.empty()) {
    started.members.push_back({.member_job = job,
                               .process_key = Unsigned(row.getColumn(kProcessKey)),
                               .node = Text(row.getColumn(kLiveNode)),
                               .pod = Text(row.getColumn(kLivePod)),
                               .device = Text(row.getColumn(kLiveDevice))});
  }
  return started;
}

std::vector<Member> JobReader::MembersOf(JobId job) {
  Prepared::Rows rows(members_, job);
  std::vector<Member> members;
  while (rows.Next()) {
    members.push_back({.member_job = Unsigned(rows[0]),
                       .process_key = Unsigned(rows[1]),
                       .node = Text(rows[2]),
                       .pod = Text(rows[3]),
                       .device = Text(rows[4])});
  }
  return members;
}

}  // namespace twofold::results
