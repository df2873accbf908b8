#include "lib/results/sqlite_database.h"

#include "lib/results/row_write.h"

namespace twofold::results {
namespace {

class SqliteStatement final : public Statement {
 public:
  SqliteStatement(SQLite::Database& database, const std::string& sql) : statement_(database, sql) {}

  void BindInteger(std::int64_t value) override { statement_.bind(++bound_, value); }
  void BindReal(double value) override { statement_.bind(++bound_, value); }
  void BindBoolean(bool value) override { statement_.bind(++bound_, value ? 1 : 0); }
  void BindText(const std::string& text) override { statement_.bindNoCopy(++bound_, text); }
  void BindBytes(const std::string& bytes) override {
    statement_.bindNoCopy(++bound_, bytes.data(), static_cast<int>(bytes.size()));
  }
  void BindNullText() override { statement_.bind(++bound_); }
  void BindTemporary(const std::string& text) override { statement_.bind(++bound_, text); }

  std::int64_t Execute() override { return statement_.exec(); }
  bool Step() override { return statement_.executeStep(); }

  [[nodiscard]] bool IsNull(int column) const override { return statement_.isColumnNull(column); }
  [[nodiscard]] std::int64_t Integer(int column) const override {
    return statement_.getColumn(column).getInt64();
  }
  [[nodiscard]] double Real(int column) const override {
    return statement_.getColumn(column).getDouble();
  }
  [[nodiscard]] std::string_view Text(int column) const override {
    const SQLite::Column cell = statement_.getColumn(column);
    const auto* const bytes = static_cast<const char*>(cell.getBlob());
    return bytes == nullptr ? std::string_view()
                            : std::string_view(bytes, static_cast<std::size_t>(cell.getBytes()));
  }

  // A finished query would keep its view of the file, and the log could not shrink.
  void Reset() override {
    bound_ = 0;
    statement_.tryReset();
  }

 private:
  SQLite::Statement statement_;
  int bound_ = 0;
};

}  // namespace

std::unique_ptr<Statement> SqliteDatabase::Prepare(const std::string& sql) {
  return std::make_unique<SqliteStatement>(database_, sql);
}

std::unique_ptr<Statement> SqliteDatabase::Prepare(const RowWrite& write) {
  return Prepare(write.one);
}

}  // namespace twofold::results
