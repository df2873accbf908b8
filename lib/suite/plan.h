#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/instant.h"

/// What each rank of a job prepares and runs. Plain data: a suite makes it, the worker's runner
/// carries it out, and `--dry-run` prints it.
namespace twofold::suite {

/// One worker that takes part in a job.
struct Member {
  std::string address;  ///< host name or IP address under which the other members reach it
  std::string node;     ///< on which it runs; members may share one
};

/// Who runs the job together. A job that is no gang has one member.
struct Gang {
  /// Of this attempt and of no other, fit for a file name: "job-17-2". What is left on a shared
  /// volume by two attempts must not meet.
  std::string name;
  std::vector<Member> members;  ///< by rank
};

/// A text file. Relative paths are inside the rank's work folder, which the runner makes for the
/// attempt, starts programs in, and removes with all that is in it.
struct File {
  std::string path;
  std::string content;

  friend bool operator==(const File&, const File&) = default;
};

/// When a stage runs.
enum class Phase : std::uint8_t {
  /// To its end, before the rank is ready: mesh, decompose, fetch. Needs no other rank.
  kPrepare,
  /// From before the rank is ready until the job ends; then it is stopped. A server. One that ends
  /// by itself before that has failed, but see Stage::may_end.
  kServe,
  /// To its end, when all ranks are ready: what is measured.
  kRun,
};

/// When a kServe stage counts as ready: both that are given have come true. Neither: at once.
struct Readiness {
  std::uint16_t port = 0;  ///< something listens on this TCP port; 0: not asked
  std::string line;        ///< a line of its output contains this; empty: not asked
};

/// One program, run once by one rank: in the rank's work folder, with /dev/null as input.
struct Stage {
  std::string name;  ///< "server", "osu_latency": in outcomes, in timings, and to Parse
  Phase phase = Phase::kRun;
  /// No shell. A program without a slash is looked for in `--suite-path`, then on PATH.
  std::vector<std::string> argv = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< beside the worker's own
  /// A program that argv[0] starts: "IMB-MPI1". Looked for where argv[0] is; empty: not looked for.
  std::string starts = {};
  std::uint32_t cores = 0;  ///< that it keeps busy all the time, of all ranks; 0: not known
  Readiness ready = {};     ///< of a kServe stage
  std::vector<std::string> collect = {};  ///< files that Parse gets when the stage has ended
  std::optional<Duration> limit = {};     ///< beside that of the job; it has failed then
  bool goes_on = false;                   ///< if it fails, the stages after it are run all the same
  bool may_end = false;  ///< a kServe stage that serves once: it may end with 0 after the start
  /// Time from being asked to end (SIGTERM) to being killed, of a program that has more to remove
  /// than the runner can see; nullopt: the runner's own.
  std::optional<Duration> stop_grace = {};
};

/// The part of one rank, in this order: folders, files, the stages of each phase as listed.
struct RankPlan {
  /// Made first, and removed with all that is in them when the job is over, however it ended. Their
  /// parents must be there: a volume that is not mounted is an error, not a folder on another disk.
  /// Paths outside the work folder have the gang's name in them.
  std::vector<std::string> folders = {};
  /// That the stages write into the first of `folders`; where there is less, nothing is started.
  std::uint64_t disk_bytes = 0;
  std::vector<File> files = {};
  /// Files and devices that a spec has named, beside `folders`. Whether they may be outside the
  /// work folder is the worker's to say (--allow-path).
  std::vector<std::string> paths = {};
  std::vector<Stage> stages = {};  ///< none: the rank is there for what rank 0 asks it to run
  /// Rank 0 may start programs here, through the gang's exec service: until then the rank is not
  /// ready, and when the job is over nothing of that is left.
  bool serves_exec = false;
};

/// Whose end ends the job; the others are stopped then. A rank that fails ends it in any case.
enum class Ending : std::uint8_t { kRankZero, kEveryRank };

/// Something that a spec asks for and only the worker's operator can grant, by its value.
struct Ask {
  std::string field;  ///< as in JSON
  std::string value;

  friend bool operator==(const Ask&, const Ask&) = default;
};

/// One entry a member, by rank.
struct GangPlan {
  std::vector<RankPlan> ranks;
  Ending ending = Ending::kRankZero;
  /// What the spec has that is on no word list: "mpirunArgs: --prefix". It may run other programs
  /// or reach other files, so only a worker with --allow-options carries it out.
  std::vector<std::string> unlisted = {};
  /// Only a worker with an --allow-value for each carries it out.
  std::vector<Ask> asks = {};
};

/// The programs of a rank, each once, in the order in which they are needed.
std::vector<std::string> ProgramsOf(const RankPlan& rank);

/// Cores that the stages in which something is measured keep busy at once; 0: not known.
std::uint32_t CoresOf(const GangPlan& plan);

/// The plan as text for people and golden files: the same plan, the same bytes.
std::string Text(const GangPlan& plan);

}  // namespace twofold::suite
