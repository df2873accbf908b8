#pragma once

#include <libpq-fe.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "lib/postgres/parameter.h"

namespace twofold::postgres {

/// What a statement has answered: rows in binary, or how many rows it changed.
///
/// Threads  As a const object safe.
class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result) {}

  [[nodiscard]] int size() const { return PQntuples(result_.get()); }
  [[nodiscard]] int columns() const { return PQnfields(result_.get()); }
  [[nodiscard]] const char* name(int column) const { return PQfname(result_.get(), column); }
  [[nodiscard]] std::uint32_t type(int column) const { return PQftype(result_.get(), column); }

  /// Rows that an INSERT, UPDATE or DELETE has changed, or that a query has given.
  [[nodiscard]] std::int64_t changed() const {
    return std::strtoll(PQcmdTuples(result_.get()), nullptr, 10);
  }

  [[nodiscard]] bool IsNull(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) != 0;
  }

  /// Of a boolean or an integer of any size; of a real number what is before the point. NULL: 0.
  [[nodiscard]] std::int64_t Integer(int row, int column) const {
    const std::string_view bytes = Text(row, column);
    if (type(column) == static_cast<std::uint32_t>(Type::kReal)) {
      return static_cast<std::int64_t>(Real(row, column));
    }
    // The sign is in the first byte.
    std::uint64_t value = !bytes.empty() && (bytes.front() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
  }

  /// Of a 64-bit real number, or an integer. NULL: 0.
  [[nodiscard]] double Real(int row, int column) const {
    if (type(column) != static_cast<std::uint32_t>(Type::kReal)) {
      return static_cast<double>(Integer(row, column));
    }
    std::uint64_t bits = 0;
    for (const char byte : Text(row, column)) bits = bits << 8 | static_cast<unsigned char>(byte);
    return std::bit_cast<double>(bits);
  }

  /// Of a text or bytes; valid as long as this. NULL: empty.
  [[nodiscard]] std::string_view Text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace twofold::postgres
