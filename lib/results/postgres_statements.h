#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/postgres/connection.h"
#include "lib/results/postgres_database.h"
#include "lib/results/row_write.h"

namespace twofold::results {

/// A statement that is sent when it is used. Its rows are in memory until Reset.
class PostgresStatement : public Statement {
 public:
  PostgresStatement(PostgresDatabase& database, std::string sql)
      : database_(database), sql_(std::move(sql)) {}

  void BindInteger(std::int64_t value) final { Bind(postgres::Type::kInteger, value); }
  void BindReal(double value) final { Bind(postgres::Type::kReal, value); }
  void BindBoolean(bool value) final { Bind(postgres::Type::kBoolean, value); }
  void BindText(const std::string& text) final;
  void BindBytes(const std::string& bytes) final {
    Bind(postgres::Type::kBytes, std::string_view(bytes));
  }
  void BindNullText() override;
  void BindTemporary(const std::string& text) final { BindText(text); }

  std::int64_t Execute() override;
  bool Step() override;
  void Reset() override;

  [[nodiscard]] bool IsNull(int column) const final { return rows_->IsNull(row_, column); }
  [[nodiscard]] std::int64_t Integer(int column) const final {
    return rows_->Integer(row_, column);
  }
  [[nodiscard]] double Real(int column) const final { return rows_->Real(row_, column); }
  [[nodiscard]] std::string_view Text(int column) const final { return rows_->Text(row_, column); }

 protected:
  virtual void Bind(postgres::Type type, std::int64_t value) { Keep(type, value); }
  virtual void Bind(postgres::Type type, double value) { Keep(type, value); }
  virtual void Bind(postgres::Type type, bool value) { Keep(type, value); }
  virtual void Bind(postgres::Type type, std::string_view value) { Keep(type, value); }

  /// The statement with what was bound.
  postgres::Statement Take();

  PostgresDatabase& database_;
  std::optional<postgres::Rows> rows_;  // nullopt: not run yet
  int row_ = -1;

 private:
  void Keep(postgres::Type type, const auto& value) {
    parameters_.push_back(postgres::Parameter::Of(type, value));
  }

  const std::string sql_;
  std::vector<postgres::Parameter> parameters_;
};

/// A query whose rows come in parts, by a cursor: what is not asked for is not sent.
class PostgresStream final : public PostgresStatement {
 public:
  /// `name` is that of the cursor.
  PostgresStream(PostgresDatabase& database, const std::string& sql, const std::string& name);

  bool Step() override;
  void Reset() override;

 private:
  const postgres::Statement fetch_;
  const postgres::Statement close_;
};

/// A write that keeps its rows while its database gathers.
class PostgresWrite final : public PostgresStatement {
 public:
  PostgresWrite(PostgresDatabase& database, const RowWrite& write);

  [[nodiscard]] RowWrite::Kind kind() const { return kind_; }

  /// All rows that were kept, as one statement. Leaves none.
  postgres::Statement TakeGathered();
  /// Drops them.
  void Drop();

  void BindNullText() override;
  std::int64_t Execute() override;
  void Reset() override;

 protected:
  void Bind(postgres::Type type, std::int64_t value) override { Add(type, value); }
  void Bind(postgres::Type type, double value) override { Add(type, value); }
  void Bind(postgres::Type type, bool value) override { Add(type, value); }
  void Bind(postgres::Type type, std::string_view value) override { Add(type, value); }

 private:
  void Add(postgres::Type type, const auto& value) {
    if (database_.gathers()) {
      Next(type).Add(value);
    } else {
      PostgresStatement::Bind(type, value);
    }
  }
  postgres::Array& Next(postgres::Type type);

  const RowWrite::Kind kind_;
  const bool is_counted_;
  const std::string many_;
  std::vector<postgres::Array> columns_;
  std::size_t bound_ = 0;  // of the columns of this row
  std::int64_t rows_kept_ = 0;
};

}  // namespace twofold::results
