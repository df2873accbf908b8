#include "frontend/cluster/ownership_tables.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <bitset>
#include <optional>
#include <utility>

#include "lib/postgres/errors.h"

namespace twofold::frontend {
namespace {

using cluster::Verdict;
using postgres::Parameter;
using postgres::Type;

// How often a number for a queue is looked for while others take numbers.
constexpr int kMostNumberings = 100;

Parameter Text(const std::string& text) { return Parameter::Of(Type::kText, text); }
Parameter Number(std::uint64_t number) {
  return Parameter::Of(Type::kInteger, static_cast<std::int64_t>(number));
}

std::uint64_t Unsigned(const postgres::Rows& rows, int row, int column) {
  return static_cast<std::uint64_t>(rows.Integer(row, column));
}

// Whoever waits for a row waits for a commit of its old owner, which is short.
std::string Settings(Duration patience) {
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  return absl::StrCat(
      "SET default_transaction_isolation = 'read committed';SET lock_timeout = ", limit,
      ";SET statement_timeout = ", limit, ";SET idle_in_transaction_session_timeout = ", limit);
}

// The row of my name has my incarnation ($1, $2).
constexpr const char* kMe =
    "WITH me AS (SELECT 1 FROM frontend WHERE name = $1 AND incarnation = $2 FOR SHARE) ";

cluster::Member MemberOf(const postgres::Rows& rows, int row) {
  return {.name = std::string(rows.Text(row, 0)),
          .incarnation = Unsigned(rows, row, 1),
          .beat = Unsigned(rows, row, 2),
          .draining = rows.Integer(row, 3) != 0};
}

cluster::Partition PartitionOf(const postgres::Rows& rows, int row) {
  return {.number = static_cast<cluster::PartitionNumber>(rows.Integer(row, 0)),
          .epoch = Unsigned(rows, row, 2),
          .owner = std::string(rows.Text(row, 3)),
          .owner_incarnation = Unsigned(rows, row, 4),
          .next = std::string(rows.Text(row, 5)),
          .version = Unsigned(rows, row, 6),
          .losses = Unsigned(rows, row, 7)};
}

// The numbers in use: of partitions, and of queues that have had jobs. Which are those of queue $1?
constexpr const char* kNumbers =
    "SELECT number, queue = $1, true FROM partition UNION ALL"
    " SELECT (sequence >> 56) & 255, name = $1, false FROM queue";

struct Numbers {
  /// For the queue: what is in the ids of its jobs, or the lowest that is free; all: none is.
  [[nodiscard]] std::size_t Choose() const {
    if (own) return *own;
    std::size_t number = 0;
    while (number < taken.size() && taken.test(number)) ++number;
    return number;
  }

  std::bitset<cluster::kMostPartitions> taken;
  std::optional<std::size_t> own;  // of the queue
  bool has_partition = false;      // the queue
};

Numbers NumbersOf(const postgres::Rows& rows) {
  Numbers numbers;
  for (int row = 0; row < rows.size(); ++row) {
    const auto number = static_cast<std::size_t>(rows.Integer(row, 0));
    const bool is_it = rows.Integer(row, 1) != 0;
    const bool is_partition = rows.Integer(row, 2) != 0;
    numbers.taken.set(number);
    if (is_it) numbers.own = number;
    if (is_it && is_partition) numbers.has_partition = true;
  }
  return numbers;
}

}  // namespace

OwnershipTables::OwnershipTables(postgres::Target target, Peer me, cluster::Incarnation incarnation,
                                 Duration patience)
    : target_(std::move(target)),
      me_(std::move(me)),
      incarnation_(incarnation),
      patience_(patience) {}

Status OwnershipTables::Connect() {
  if (connection_ != nullptr && connection_->is_open()) return absl::OkStatus();
  auto opened =
      postgres::Connection::Open(target_, Settings(patience_),
                                 {.connect = patience_, .silence = patience_, .answer = patience_});
  if (!opened.ok()) return opened.status();
  connection_ = *std::move(opened);
  return absl::OkStatus();
}

Result<postgres::Rows> OwnershipTables::Run(const std::string& sql,
                                            std::vector<Parameter> parameters) {
  if (Status status = Connect(); !status.ok()) return status;
  return connection_->Run(sql, std::move(parameters));
}

// ---- Queues

Status OwnershipTables::AddQueues(const std::vector<std::string>& queues) {
  for (const std::string& queue : queues) {
    if (Status status = AddQueue(queue); !status.ok()) return status;
  }
  return absl::OkStatus();
}

Status OwnershipTables::AddQueue(const std::string& queue) {
  for (int tries = 0; tries < kMostNumberings; ++tries) {
    const auto rows = Run(kNumbers, {Text(queue)});
    if (!rows.ok()) return rows.status();
    const Numbers numbers = NumbersOf(*rows);
    if (numbers.has_partition) return absl::OkStatus();
    const std::size_t number = numbers.Choose();
    if (number == numbers.taken.size()) {
      return absl::ResourceExhaustedError(absl::StrCat(
          connection_->name(), " knows 256 queues, and one more is named; use another database"));
    }
    const auto added = Run("INSERT INTO partition VALUES ($1, $2, 0, '', 0, '', 0, 0)",
                           {Number(number), Text(queue)});
    if (added.ok()) return absl::OkStatus();
    if (VerdictOf(added) != Verdict::kRefused) return added.status();  // else others were faster
  }
  return absl::UnavailableError("others take the numbers of queues all the time; start again");
}

// ---- Looks

Result<Look> OwnershipTables::Read() {
  if (Status status = Connect(); !status.ok()) return status;
  auto rows = connection_->Run(std::vector<postgres::Statement>{
      {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
      {"SELECT name, incarnation, beat, draining, client_address, worker_address FROM frontend"},
      {"SELECT number, queue, epoch, owner, owner_incarnation, next, version, losses"
       " FROM partition ORDER BY number"},
      {"COMMIT"}});
  if (!rows.ok()) {
    connection_.reset();  // it may be in a transaction that has failed
    return rows.status();
  }
  Look look;
  for (int row = 0; row < (*rows)[1].size(); ++row) {
    cluster::Member member = MemberOf((*rows)[1], row);
    look.peers[member.name] = {member.name, std::string((*rows)[1].Text(row, 4)),
                               std::string((*rows)[1].Text(row, 5))};
    look.view.members.push_back(std::move(member));
  }
  for (int row = 0; row < (*rows)[2].size(); ++row) {
    look.view.partitions.push_back(PartitionOf((*rows)[2], row));
    look.queues[look.view.partitions.back().number] = std::string((*rows)[2].Text(row, 1));
  }
  return look;
}

// ---- Writes

Verdict OwnershipTables::VerdictOf(const Result<postgres::Rows>& rows) const {
  if (rows.ok()) return rows->changed() > 0 ? Verdict::kDone : Verdict::kRefused;
  const bool refused = connection_ != nullptr && connection_->is_open() &&
                       connection_->failure().sql_state == postgres::kUniqueViolation;
  return refused ? Verdict::kRefused : Verdict::kInDoubt;
}

Verdict OwnershipTables::Change(const std::string& sql, std::vector<Parameter> parameters) {
  return VerdictOf(Run(sql, std::move(parameters)));
}

Verdict OwnershipTables::Write(const cluster::effect::Beat& beat) {
  const std::vector<Parameter> row = {
      Text(me_.name),           Number(incarnation_),
      Number(beat.beat),        Parameter::Of(Type::kBoolean, beat.draining),
      Text(me_.client_address), Text(me_.worker_address)};
  if (beat.expected == 0) {
    return Change("INSERT INTO frontend VALUES ($1, $2, $3, $4, $5, $6)", row);
  }
  std::vector<Parameter> parameters = row;
  parameters.push_back(Number(beat.expected));
  return Change(
      "UPDATE frontend SET incarnation = $2, beat = $3, draining = $4, client_address = $5,"
      " worker_address = $6 WHERE name = $1 AND incarnation = $7",
      std::move(parameters));
}

cluster::input::Claimed OwnershipTables::Write(const cluster::effect::Claim& claim) {
  const auto rows = Run(
      absl::StrCat(kMe,
                   ", dead AS (SELECT incarnation, beat FROM frontend WHERE name = $6 FOR SHARE)"
                   " UPDATE partition SET owner = $1, owner_incarnation = $2, epoch = $5, next = ''"
                   " WHERE number = $3 AND epoch = $4 AND EXISTS (SELECT 1 FROM me) AND"
                   " CASE WHEN $6 = '' THEN true"
                   " WHEN $7 = 0 AND $8 = 0 THEN NOT EXISTS (SELECT 1 FROM dead)"
                   " ELSE EXISTS (SELECT 1 FROM dead WHERE incarnation = $7 AND beat = $8) END"
                   " RETURNING version, losses"),
      {Text(me_.name), Number(incarnation_), Number(claim.partition), Number(claim.expected),
       Number(claim.epoch), Text(claim.dead.name), Number(claim.dead.incarnation),
       Number(claim.dead.beat)});
  cluster::input::Claimed claimed{claim.partition, claim.epoch, VerdictOf(rows)};
  if (claimed.verdict != Verdict::kDone) return claimed;
  claimed.version = Unsigned(*rows, 0, 0);
  claimed.losses = Unsigned(*rows, 0, 1);
  return claimed;
}

Verdict OwnershipTables::Write(const cluster::effect::Release& release) {
  return Change(absl::StrCat(kMe,
                             "UPDATE partition SET owner = '', owner_incarnation = 0, epoch = $5,"
                             " next = $6 WHERE number = $3 AND epoch = $4 AND"
                             " EXISTS (SELECT 1 FROM me)"),
                {Text(me_.name), Number(incarnation_), Number(release.partition),
                 Number(release.expected), Number(release.epoch), Text(release.next)});
}

Verdict OwnershipTables::Write(const cluster::effect::Mark& mark) {
  return Change("UPDATE partition SET losses = $2 WHERE number = $1 AND losses < $2",
                {Number(mark.partition), Number(mark.losses)});
}

}  // namespace twofold::frontend
