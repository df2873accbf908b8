#pragma once

#include <string>

#include "lib/results/columns.h"
#include "lib/results/record_columns.h"
#include "lib/results/records.h"
#include "twofold/v1/results.pb.h"

/// The tables of docs/store.md, and what is in which column. All statements about these columns are
/// made of these lists; the steps in lib/results/schema make the tables.
namespace twofold::results {

// ---- of records: the life of a job

inline constexpr RecordColumns kJobColumns{
    RecordColumn("id", &JobAccepted::id),
    RecordColumn("queue", &JobAccepted::queue),
    RecordColumn("run", &JobAccepted::run, As::kTextOrNull),
    RecordColumn("suite", &JobAccepted::suite),
    RecordColumn("priority", &JobAccepted::priority),
    RecordColumn("options", &JobAccepted::options, As::kBytes),
    RecordColumn("spec", &JobAccepted::spec, As::kBytes),
    RecordColumn("accepted_unix_ns", &JobAccepted::accepted_unix_ns)};

/// Of table `live`: the attempt, and then its worker.
inline constexpr RecordColumns kAttemptColumns{
    RecordColumn("attempts", &AttemptStarted::attempt),
    RecordColumn("lost_attempts", &AttemptStarted::lost_attempts),
    RecordColumn("started_unix_ns", &AttemptStarted::started_unix_ns)};

/// Of tables `live` and `member`.
inline constexpr RecordColumns kWorkerColumns{
    RecordColumn("process_key", &Member::process_key), RecordColumn("node", &Member::node),
    RecordColumn("pod", &Member::pod), RecordColumn("device", &Member::device)};

inline constexpr RecordColumns kEndedColumns{
    RecordColumn("id", &JobEnded::job),
    RecordColumn("outcome", &JobEnded::outcome),
    RecordColumn("attempts", &JobEnded::attempts),
    RecordColumn("wait_ns", &JobEnded::wait),
    RecordColumn("run_ns", &JobEnded::run_time),
    RecordColumn("total_ns", &JobEnded::total),
    RecordColumn("node", &JobEnded::node),
    RecordColumn("pod", &JobEnded::pod),
    RecordColumn("device", &JobEnded::device),
    RecordColumn("report", &JobEnded::report, As::kBytes),
    RecordColumn("reason", &JobEnded::reason),
    RecordColumn("ended_unix_ns", &JobEnded::ended_unix_ns)};

// ---- of messages (proto/twofold/v1/results.proto, runs.proto)

/// Beside these columns a table has numbers: of its job, of the run, and where in a list the
/// message was.
struct Tables {
  Columns benchmark;
  Columns measured;  ///< what a measurement has that others of its metric have not
  Columns metric;
  Columns shape;  ///< of series; their points are not a column of ours
  Columns part_failure;
  Columns host;
  Columns stage;
  Columns artifact;
  Columns run;  ///< what was known when it began
  Columns permutation;
  Columns place;
};

const Tables& AllTables();

/// The values of a series as table `series` has them: [[1,2.5],[2,3.5]], a list a row, each number
/// the shortest text that reads back as it was.
std::string PointsOf(const v1::Series& series);

/// Adds the values that such text has.
/// Errors   throws SQLite::Exception: it is not as it was written, the file is damaged.
void ReadPoints(const std::string& json, v1::Series& series);

}  // namespace twofold::results
