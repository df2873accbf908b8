#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/postgres/connection.h"
#include "lib/postgres/target.h"
#include "lib/results/job_tables.h"
#include "lib/results/postgres_database.h"
#include "lib/results/postgres_reads.h"
#include "lib/results/statements.h"
#include "lib/results/store.h"

namespace twofold::results {

/// The hold of a frontend on a partition: its row in table `partition` (lib/cluster) as the claim
/// has left it.
struct Fence {
  std::uint8_t partition = 0;
  std::uint64_t epoch = 0;
  std::uint64_t incarnation = 0;
  std::uint64_t version = 0;
};

struct PostgresOptions {
  /// The partition whose jobs this store keeps, as long as the row still says so. nullopt: those of
  /// all, unchecked: for who has the database alone, and for runs, which are no partition's.
  std::optional<Fence> fence = {};
  Duration longest_read = kLongestRead;
  postgres::Patience patience = {};
};

/// A Store in a PostgreSQL database, documented in docs/store.md. Others may read it meanwhile.
///
/// Many may write, each the jobs of its partitions: each transaction looks at the fence before it
/// commits, so who has lost a partition never commits to it again, even if it was only frozen for a
/// while. About once a second a commit, or the check after it, counts the partition's version up:
/// by it all see whether the database has lost commits.
///
/// What it has committed is as safe as the server makes it: on the server's disk, and with a
/// synchronous standby on that one's, too.
///
/// PostgreSQL has no NUL in texts: U+FFFD takes its place.
///
/// Errors   also kUnavailable: the server is away, or a commit is in doubt; kFailedPrecondition:
///          another frontend has the partition; kDataLoss: what this store has committed last is
///          not there any more, as it finds after the connection broke.
/// Cost     Commit: one round trip, if nothing in it was there before; else one a row. A new name
///          of a metric, series or host takes two more, once.
class PostgresStore final : public Store {
 public:
  /// Makes the tables if there are none, or brings them up to date.
  ///
  /// Errors   also kPermissionDenied, kNotFound: see postgres::Connection::Open;
  ///          kFailedPrecondition: a newer frontend has written it.
  static Result<std::unique_ptr<PostgresStore>> Open(const postgres::Target& target,
                                                     const PostgresOptions& options = {});

  Status Commit(std::span<const Record> records) override;
  Status Check() override;
  Result<std::map<std::string, std::uint64_t>> Load(const Visit& visit) override;
  Status ReadSpecs(const WantedSpecs& wanted) override;
  Result<StoredJob> Find(JobId job) const override;
  Result<std::vector<StoredJob>> List(const JobQuery& query) const override;
  /// Of all partitions: one of their stores should do it for all.
  Result<std::size_t> Forget(const Retention& retention, std::size_t at_most) override;
  Result<std::uint64_t> Bytes() override;

  /// The partition's, as the last commit has left it. From the thread that commits.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// The partition's, as Load has found it.
  [[nodiscard]] QueueHalted halted() const { return halted_; }

 private:
  PostgresStore(const postgres::Target& target, const PostgresOptions& options);
  template <typename Change>
  Status InTransaction(const Change& change);
  template <typename Change>
  Status Transact(PostgresDatabase::Writes writes, const Change& change);
  Status AddNames(std::span<const Record> records);
  void CommitFenced();
  Status CheckKept();
  void Remember(std::span<const Record> records);

  const std::optional<Fence> fence_;

  // Of the thread that commits.
  PostgresDatabase database_;
  Statements sql_{database_};
  JobTables tables_;
  QueueHalted halted_;
  std::optional<QueueHalted> asked_;  // in the group that is being committed
  std::uint64_t version_ = 0;
  Instant next_version_{};     // when it is counted up
  bool is_uncounted_ = false;  // something was committed since it was
  int forgets_ = 0;
  // The newest that were acknowledged since the version was counted; 0: none, or they were deleted.
  JobId last_accepted_ = 0;
  JobId last_ended_ = 0;
  bool is_kept_ = true;  // they were there on this connection

  // Of all others.
  PostgresReads reads_;
  mutable JobReader reader_{reads_.sql()};
};

}  // namespace twofold::results
