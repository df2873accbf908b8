#pragma once

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "lib/postgres/connection.h"
#include "lib/results/postgres_store.h"

namespace twofold::results {

/// A place for tables of a benchmark's own in the database of $TWOFOLD_BENCH_POSTGRES
/// (postgresql://...), gone with it.
class PostgresSchema {
 public:
  /// Whether the variable is set.
  static bool IsThere() { return getenv("TWOFOLD_BENCH_POSTGRES") != nullptr; }

  PostgresSchema() { Run("CREATE SCHEMA " + name_); }
  ~PostgresSchema() { Run("DROP SCHEMA " + name_ + " CASCADE"); }
  PostgresSchema(const PostgresSchema&) = delete;
  PostgresSchema& operator=(const PostgresSchema&) = delete;

  [[nodiscard]] postgres::Target target() const {
    const std::string address = Address();
    const char* const next = address.find('?') == std::string::npos ? "?" : "&";
    return postgres::Target::Parse(address + next + "options=-csearch_path%3D" + name_).value();
  }
  [[nodiscard]] std::unique_ptr<Store> Open() const {
    return PostgresStore::Open(target()).value();
  }

 private:
  static std::string Address() { return getenv("TWOFOLD_BENCH_POSTGRES"); }
  static void Run(const std::string& sql) {
    const auto target = postgres::Target::Parse(Address()).value();
    if (!postgres::Connection::Open(target, sql).ok()) std::abort();
  }

  const std::string name_ = "twofold_bench_" + std::to_string(getpid());
};

}  // namespace twofold::results
