#pragma once

#include <string>
#include <vector>

#include "lib/results/columns.h"
#include "lib/results/records.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/results.pb.h"
#include "twofold/v1/runs.pb.h"

/// The tables of docs/store.md, and what is in which column. All statements about these columns are
/// made of these lists; the steps in lib/results/schema make the tables.
namespace twofold::results {

// ---- of records: the life of a job

inline constexpr Columns kJobColumns{Column("id", &JobAccepted::id),
                                     Column("queue", &JobAccepted::queue),
                                     Column("run", &JobAccepted::run, As::kNullIfEmpty),
                                     Column("suite", &JobAccepted::suite),
                                     Column("priority", &JobAccepted::priority),
                                     Column("options", &JobAccepted::options, As::kBytes),
                                     Column("spec", &JobAccepted::spec, As::kBytes),
                                     Column("accepted_unix_ns", &JobAccepted::accepted_unix_ns)};

/// Of table `live`: the attempt, and then its worker.
inline constexpr Columns kAttemptColumns{
    Column("attempts", &AttemptStarted::attempt),
    Column("lost_attempts", &AttemptStarted::lost_attempts),
    Column("started_unix_ns", &AttemptStarted::started_unix_ns)};

/// Of tables `live` and `member`.
inline constexpr Columns kWorkerColumns{Column("process_key", &Member::process_key),
                                        Column("node", &Member::node), Column("pod", &Member::pod),
                                        Column("device", &Member::device)};

inline constexpr Columns kEndedColumns{Column("id", &JobEnded::job),
                                       Column("outcome", &JobEnded::outcome),
                                       Column("attempts", &JobEnded::attempts),
                                       Column("wait_ns", &JobEnded::wait),
                                       Column("run_ns", &JobEnded::run_time),
                                       Column("total_ns", &JobEnded::total),
                                       Column("node", &JobEnded::node),
                                       Column("pod", &JobEnded::pod),
                                       Column("device", &JobEnded::device),
                                       Column("report", &JobEnded::report, As::kBytes),
                                       Column("reason", &JobEnded::reason),
                                       Column("ended_unix_ns", &JobEnded::ended_unix_ns)};

// ---- of messages (proto/twofold/v1/results.proto, runs.proto)

/// Beside these columns a table has numbers: of its job, of the run, and where in a list the
/// message was.
inline constexpr Columns kBenchmarkColumns{
    Column("suite", &v1::BenchmarkResult::suite), Column("tool", &v1::BenchmarkResult::tool),
    Column("failed_stage", &v1::BenchmarkResult::failed_stage),
    Column("left_out", &v1::BenchmarkResult::left_out)};

/// Of table `benchmark`, too.
inline constexpr Columns kTimelineColumns{Column("prepared_ns", &v1::Timeline::prepared_ns),
                                          Column("started_ns", &v1::Timeline::started_ns),
                                          Column("ended_ns", &v1::Timeline::ended_ns),
                                          Column("collected_ns", &v1::Timeline::collected_ns),
                                          Column("parsed_ns", &v1::Timeline::parsed_ns)};

inline constexpr Columns kMetricColumns{
    Column("name", &v1::Measurement::name), Column("unit", &v1::Measurement::unit),
    Column("better", &v1::Measurement::better), Column("headline", &v1::Measurement::headline),
    Column("dimensions", &v1::Measurement::dimensions)};

/// What a measurement has that others of its metric have not.
inline constexpr Columns kMeasuredColumns{Column("value", &v1::Measurement::value),
                                          Column("at", &v1::Measurement::at, As::kNothingIfEmpty)};

/// Of series; their points are not a column of ours.
inline constexpr Columns kShapeColumns{Column("name", &v1::Series::name),
                                       Column("dimensions", &v1::Series::dimensions),
                                       Column("columns", &v1::Series::columns)};

inline constexpr Columns kFailureColumns{Column("stage", &v1::PartFailure::stage),
                                         Column("reason", &v1::PartFailure::reason)};

inline constexpr Columns kHostColumns{
    Column("node", &v1::RankRecord::node),       Column("pod", &v1::RankRecord::pod),
    Column("address", &v1::RankRecord::address), Column("kernel", &v1::RankRecord::kernel),
    Column("cpu", &v1::RankRecord::cpu),         Column("cpus", &v1::RankRecord::cpus),
    Column("image", &v1::RankRecord::image)};

inline constexpr Columns kStageColumns{Column("name", &v1::StageRecord::name),
                                       Column("argv", &v1::StageRecord::argv),
                                       Column("tool_version", &v1::StageRecord::tool_version),
                                       Column("started_ns", &v1::StageRecord::started_ns),
                                       Column("wall_ns", &v1::StageRecord::wall_ns),
                                       Column("exit_code", &v1::StageRecord::exit_code),
                                       Column("signal", &v1::StageRecord::signal),
                                       Column("error", &v1::StageRecord::error)};

inline constexpr Columns kArtifactColumns{
    Column("name", &v1::Artifact::name), Column("bytes", &v1::Artifact::bytes),
    Column("left_out", &v1::Artifact::left_out), Column("zstd", &v1::Artifact::zstd, As::kBytes)};

/// What was known when it began.
inline constexpr Columns kRunColumns{Column("name", &v1::Run::name),
                                     Column("kind", &v1::Run::kind),
                                     Column("definition", &v1::Run::definition),
                                     Column("labels", &v1::Run::labels),
                                     Column("jobs", &v1::Run::jobs),
                                     Column("created_unix_ns", &v1::Run::created_unix_ns),
                                     Column("plan", &v1::Run::plan)};

inline constexpr Columns kPermutationColumns{Column("number", &v1::Permutation::number),
                                             Column("varied", &v1::Permutation::varied)};

inline constexpr Columns kPlaceColumns{
    Column("permutation", &v1::RunPlace::permutation), Column("number", &v1::RunPlace::number),
    Column("repetition", &v1::RunPlace::repetition), Column("warm_up", &v1::RunPlace::warm_up),
    Column("name", &v1::RunPlace::name)};

/// The values of a series as table `series` has them: [[1,2.5],[2,3.5]], a list a row, each number
/// the shortest text that reads back as it was.
std::string PointsOf(const v1::Series& series);

/// The values that such text has.
/// Errors   throws Damaged: it is not as it was written.
std::vector<double> PointsIn(const std::string& json);

}  // namespace twofold::results
