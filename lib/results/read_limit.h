#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <chrono>

#include "lib/common/instant.h"

namespace twofold::results {

/// So long one read may take: as long as it goes on, the log of what was written since cannot be
/// emptied.
inline constexpr Duration kLongestRead = std::chrono::seconds(30);

/// While it lives, what the connection does after the limit fails with SQLITE_INTERRUPT.
///
/// Cost     A look at the clock every some thousand steps of SQLite.
class ReadLimit {
 public:
  ReadLimit(const SQLite::Database& database, Duration limit)
      : handle_(database.getHandle()), end_(Now() + limit) {
    sqlite3_progress_handler(handle_, kSteps, &ReadLimit::IsOver, this);
  }
  ~ReadLimit() { sqlite3_progress_handler(handle_, 0, nullptr, nullptr); }
  ReadLimit(const ReadLimit&) = delete;
  ReadLimit& operator=(const ReadLimit&) = delete;

 private:
  static constexpr int kSteps = 10'000;

  static int IsOver(void* self) { return Now() >= static_cast<ReadLimit*>(self)->end_ ? 1 : 0; }

  sqlite3* const handle_;
  const Instant end_;
};

}  // namespace twofold::results
