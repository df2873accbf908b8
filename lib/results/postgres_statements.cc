#include "lib/results/postgres_statements.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "lib/results/postgres_sql.h"

namespace twofold::results {
namespace {

// Rows of a stream that come at once: some hundred KiB.
constexpr int kFetchRows = 2000;

/// Fails by dividing by zero if not all rows were changed.
std::string Counting(const std::string& write) {
  return absl::StrCat(
      "WITH done AS (", write,
      " RETURNING 1) SELECT 1 / CASE WHEN count(*) = ? THEN 1 ELSE 0 END FROM done");
}

}  // namespace

void PostgresStatement::BindText(const std::string& text) {
  std::string buffer;
  Bind(postgres::Type::kText, Storable(text, buffer));
}

void PostgresStatement::BindNullText() {
  parameters_.push_back(postgres::Parameter::Null(postgres::Type::kText));
}

postgres::Statement PostgresStatement::Take() { return {sql_, std::exchange(parameters_, {})}; }

std::int64_t PostgresStatement::Execute() { return database_.Run({Take()}).front().changed(); }

bool PostgresStatement::Step() {
  if (!rows_) rows_.emplace(std::move(database_.Run({Take()}).front()));
  return ++row_ < rows_->size();
}

void PostgresStatement::Reset() {
  parameters_.clear();
  rows_.reset();
  row_ = -1;
}

// ---- streams

PostgresStream::PostgresStream(PostgresDatabase& database, const std::string& sql,
                               const std::string& name)
    : PostgresStatement(database, absl::StrCat("DECLARE ", name, " NO SCROLL CURSOR FOR ", sql)),
      fetch_{absl::StrCat("FETCH ", kFetchRows, " FROM ", name)},
      close_{absl::StrCat("CLOSE ", name)} {}

bool PostgresStream::Step() {
  if (!rows_) {
    rows_.emplace(std::move(database_.Run({Take(), fetch_}).back()));
  } else if (row_ + 1 == kFetchRows) {
    rows_.emplace(std::move(database_.Run({fetch_}).front()));
    row_ = -1;
  }
  return ++row_ < rows_->size();
}

void PostgresStream::Reset() {
  const bool is_declared = rows_.has_value();
  PostgresStatement::Reset();
  if (!is_declared) return;
  try {
    database_.Run({close_});
  } catch (const SqlError&) {
    // The transaction has failed, and takes the cursor with it.
  }
}

// ---- writes

PostgresWrite::PostgresWrite(PostgresDatabase& database, const RowWrite& write)
    : PostgresStatement(database, WithDollars(write.one)),
      kind_(write.kind),
      is_counted_(write.is_counted),
      many_(WithDollars(write.is_counted ? Counting(write.many) : write.many)) {}

postgres::Array& PostgresWrite::Next(postgres::Type type) {
  if (bound_ == columns_.size()) columns_.emplace_back(type);
  return columns_[bound_++];
}

void PostgresWrite::BindNullText() {
  if (!database_.gathers()) return PostgresStatement::BindNullText();
  Next(postgres::Type::kText).AddNull();
}

std::int64_t PostgresWrite::Execute() {
  if (!database_.gathers()) return PostgresStatement::Execute();
  if (rows_kept_++ == 0) database_.Gather(this);
  if (rows_kept_ == PostgresDatabase::kRowsAhead) database_.SendAhead();
  return 1;
}

void PostgresWrite::Reset() {
  PostgresStatement::Reset();
  bound_ = 0;
}

postgres::Statement PostgresWrite::TakeGathered() {
  postgres::Statement statement{many_};
  for (postgres::Array& column : columns_) statement.parameters.push_back(column.Take());
  if (is_counted_) {
    statement.parameters.push_back(
        postgres::Parameter::Of(postgres::Type::kInteger, std::exchange(rows_kept_, 0)));
  }
  rows_kept_ = 0;
  return statement;
}

void PostgresWrite::Drop() {
  columns_.clear();
  rows_kept_ = 0;
}

}  // namespace twofold::results
