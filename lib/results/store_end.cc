#include "lib/results/store_end.h"

#include "lib/results/postgres_end.h"
#include "lib/results/sqlite_end.h"

namespace twofold::results {

Result<std::unique_ptr<StoreEnd>> OpenEnd(const StoreAddress& address, Use use) {
  if (const auto* const file = std::get_if<StoreFile>(&address)) {
    return SqliteEnd::Open(file->path, use);
  }
  return PostgresEnd::Open(std::get<postgres::Target>(address), use);
}

}  // namespace twofold::results
