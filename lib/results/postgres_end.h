#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/postgres/connection.h"
#include "lib/results/store_end.h"

namespace twofold::results {

/// A PostgreSQL database in which no frontend beats. None can begin to serve one that is written
/// before Commit; that one has begun to later, or in one that is read, CheckAlone finds out.
///
/// Cost     Three seconds to see that nobody beats, unless none ever has.
class PostgresEnd final : public StoreEnd {
 public:
  static Result<std::unique_ptr<StoreEnd>> Open(const postgres::Target& target, Use use);

  [[nodiscard]] const std::string& name() const override { return connection_->name(); }
  Result<std::int64_t> Count(const Table& table) override;
  Status Read(const Table& table, Take take) override;
  [[nodiscard]] std::optional<std::string> InsteadOf(std::string_view text) const override;
  Status Clear(const Table& table) override;
  Status Add(const Table& table, Row row) override;
  Status Commit() override;
  Status CheckAlone() override;

 private:
  explicit PostgresEnd(std::unique_ptr<postgres::Connection> connection)
      : connection_(std::move(connection)) {}
  Status CheckNobody();
  Status Begin(Use use);
  [[nodiscard]] Status InUse() const;
  Status BeginAdding(const Table& table);
  Status Send();
  Status GoOnCounting();

  const std::unique_ptr<postgres::Connection> connection_;
  std::string activity_;  // of frontends, when it was opened

  const Table* adding_to_ = nullptr;
  std::vector<postgres::Array> columns_;  // rows of that table that were not sent yet
  std::size_t bytes_ = 0;                 // of these
};

}  // namespace twofold::results
