#include "lib/results/postgres_end.h"

#include <absl/strings/str_cat.h>

#include <string_view>
#include <thread>
#include <utility>

#include "lib/results/postgres_schema.h"
#include "lib/results/postgres_sql.h"
#include "lib/results/row_write.h"

namespace twofold::results {
namespace {

using postgres::Type;

/// An answer may take a while: of a commit of millions of rows, or of a count of them.
constexpr postgres::Patience kPatience = {.answer = std::chrono::minutes(10)};

// A client that vanishes must not keep frontends out for ever; one that lives is never idle so
// long.
constexpr const char* kSettings =
    "SET idle_in_transaction_session_timeout = 600000;"
    "SET lock_timeout = 10000;"
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') IN ('off', 'local')";

constexpr const char* kBeginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

// What frontends change all the time: their beats, about once a second, and whose the queues are.
constexpr const char* kActivity =
    "SELECT concat((SELECT string_agg(concat_ws(' ', name, incarnation, beat), ',' ORDER BY name)"
    " FROM frontend), ';',"
    " (SELECT string_agg(concat_ws(' ', number, epoch), ',' ORDER BY number) FROM partition))";
constexpr const char* kNoFrontends = ";";

// No beat for so long: nobody is there.
constexpr Duration kSilence = std::chrono::seconds(3);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(100);

// Frontends have to change these tables before they serve anything. Those of an empty store that
// have gone leave rows; which queue has which number is up to what is copied.
constexpr const char* kKeepOut = "LOCK TABLE frontend, partition IN EXCLUSIVE MODE";
constexpr const char* kForgetFrontends[] = {"DELETE FROM frontend", "DELETE FROM partition"};

constexpr std::size_t kSendBytes = 1 << 20;

Result<std::string> ActivityIn(postgres::Connection& connection) {
  const auto rows = connection.Run(kActivity);
  if (!rows.ok()) return rows.status();
  return std::string(rows->Text(0, 0));
}

Status StatusOfRun(postgres::Connection& connection, const std::string& sql) {
  return connection.Run(sql).status();
}

Value ValueOf(const postgres::Rows& rows, int column, Kind kind) {
  if (rows.IsNull(0, column)) return std::monostate();
  if (kind == Kind::kInteger) return rows.Integer(0, column);
  if (kind == Kind::kReal) return rows.Real(0, column);
  return rows.Text(0, column);
}

/// Adds a value to its column; returns its bytes.
struct AddTo {
  std::size_t operator()(std::monostate /*null*/) const {
    column.AddNull();
    return 1;
  }
  std::size_t operator()(std::int64_t number) const {
    if (column.element() == Type::kBoolean) {
      column.Add(number != 0);
    } else {
      column.Add(number);
    }
    return sizeof number;
  }
  std::size_t operator()(double number) const {
    column.Add(number);
    return sizeof number;
  }
  std::size_t operator()(std::string_view text) const {
    column.Add(text);
    return sizeof(std::uint32_t) + text.size();
  }

  postgres::Array& column;
};

/// On a connection of its own, as the steps are transactions of their own.
Status CheckSchema(const postgres::Target& target, Use use) {
  PostgresDatabase database(target, "SELECT 1", kPatience);
  return Guarded(database, [&] {
    return use == Use::kRead ? CheckUpToDate(database, PostgresMigrations())
                             : BringUpToDate(database, PostgresMigrations());
  });
}

}  // namespace

Result<std::unique_ptr<StoreEnd>> PostgresEnd::Open(const postgres::Target& target, Use use) {
  if (Status checked = CheckSchema(target, use); !checked.ok()) return checked;
  auto connection = postgres::Connection::Open(target, kSettings, kPatience);
  if (!connection.ok()) return connection.status();
  std::unique_ptr<PostgresEnd> end(new PostgresEnd(*std::move(connection)));
  if (Status begun = end->Begin(use); !begun.ok()) return begun;
  return end;
}

Status PostgresEnd::InUse() const {
  return absl::FailedPreconditionError(
      absl::StrCat(name(), ": a frontend is using it; stop it and begin again"));
}

/// Looks at the beats for long enough to see one.
Status PostgresEnd::CheckNobody() {
  const Instant end = Now() + kSilence;
  for (bool is_first = true;; is_first = false) {
    auto activity = ActivityIn(*connection_);
    if (!activity.ok()) return activity.status();
    if (!is_first && *activity != activity_) return InUse();
    activity_ = *std::move(activity);
    if (activity_ == kNoFrontends || Now() >= end) return absl::OkStatus();
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

Status PostgresEnd::Begin(Use use) {
  if (Status nobody = CheckNobody(); !nobody.ok()) return nobody;
  if (use == Use::kRead) return StatusOfRun(*connection_, kBeginReading);
  for (const char* sql : {"BEGIN", kKeepOut}) {
    if (Status begun = StatusOfRun(*connection_, sql); !begun.ok()) return begun;
  }
  const auto activity = ActivityIn(*connection_);
  if (!activity.ok()) return activity.status();
  if (*activity != activity_) return InUse();
  activity_ = kNoFrontends;
  for (const char* sql : kForgetFrontends) {
    if (Status forgotten = StatusOfRun(*connection_, sql); !forgotten.ok()) return forgotten;
  }
  return absl::OkStatus();
}

Result<std::int64_t> PostgresEnd::Count(const Table& table) {
  const auto rows = connection_->Run("SELECT count(*) FROM " + table.name);
  if (!rows.ok()) return rows.status();
  return rows->Integer(0, 0);
}

Status PostgresEnd::Read(const Table& table, Take take) {
  if (Status sent = Send(); !sent.ok()) return sent;
  std::vector<Value> row(table.columns.size());
  return connection_->Stream(absl::StrCat("SELECT ", table.ColumnList(), " FROM ", table.name),
                             [&](const postgres::Rows& rows) {
                               for (std::size_t i = 0; i < row.size(); ++i) {
                                 row[i] = ValueOf(rows, static_cast<int>(i), table.columns[i].kind);
                               }
                               return take(row);
                             });
}

std::optional<std::string> PostgresEnd::InsteadOf(std::string_view text) const {
  std::string buffer;
  const std::string_view storable = Storable(text, buffer);
  if (storable.data() == text.data()) return std::nullopt;
  return buffer;
}

Status PostgresEnd::Clear(const Table& table) {
  return StatusOfRun(*connection_, "DELETE FROM " + table.name);
}

/// The server knows which of the numbers are booleans here.
Status PostgresEnd::BeginAdding(const Table& table) {
  if (Status sent = Send(); !sent.ok()) return sent;
  const auto none = connection_->Run(
      absl::StrCat("SELECT ", table.ColumnList(), " FROM ", table.name, " LIMIT 0"));
  if (!none.ok()) return none.status();
  columns_.clear();
  for (int i = 0; i < none->columns(); ++i) {
    columns_.emplace_back(static_cast<Type>(none->type(i)));
  }
  adding_to_ = &table;
  return absl::OkStatus();
}

Status PostgresEnd::Add(const Table& table, Row row) {
  if (adding_to_ != &table) {
    if (Status begun = BeginAdding(table); !begun.ok()) return begun;
  }
  for (std::size_t i = 0; i < row.size(); ++i) bytes_ += std::visit(AddTo{columns_[i]}, row[i]);
  return bytes_ < kSendBytes ? absl::OkStatus() : Send();
}

Status PostgresEnd::Send() {
  if (bytes_ == 0) return absl::OkStatus();
  std::vector<std::string> names;
  for (const TableColumn& column : adding_to_->columns) names.push_back(column.name);
  std::vector<postgres::Parameter> parameters;
  for (postgres::Array& column : columns_) parameters.push_back(column.Take());
  bytes_ = 0;
  return connection_
      ->Run(WithDollars(InsertInto(adding_to_->name, names).many), std::move(parameters))
      .status();
}

/// Numbers that the server gives go on after the highest one that was copied.
Status PostgresEnd::GoOnCounting() {
  const auto counted = connection_->Run(
      "SELECT table_name::text, column_name::text FROM information_schema.columns"
      " WHERE table_schema = current_schema() AND is_identity = 'YES'");
  for (int i = 0; counted.ok() && i < counted->size(); ++i) {
    const std::string table(counted->Text(i, 0));
    const std::string column(counted->Text(i, 1));
    const std::string highest = absl::StrCat("coalesce(max(", column, "), 0)");
    const Status set =
        StatusOfRun(*connection_, absl::StrCat("SELECT setval(pg_get_serial_sequence('", table,
                                               "', '", column, "'), greatest(", highest, ", 1), ",
                                               highest, " > 0) FROM ", table));
    if (!set.ok()) return set;
  }
  return counted.status();
}

Status PostgresEnd::Commit() {
  Status status = Send();
  adding_to_ = nullptr;
  if (status.ok()) status = GoOnCounting();
  if (status.ok()) status = StatusOfRun(*connection_, "COMMIT");
  return status;
}

Status PostgresEnd::CheckAlone() {
  if (Status ended = StatusOfRun(*connection_, "COMMIT"); !ended.ok()) return ended;
  const auto activity = ActivityIn(*connection_);
  if (!activity.ok()) return activity.status();
  return *activity == activity_ ? absl::OkStatus() : InUse();
}

}  // namespace twofold::results
