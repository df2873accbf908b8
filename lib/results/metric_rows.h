#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>
#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "lib/results/prepared.h"
#include "lib/results/tables.h"
#include "twofold/v1/results.pb.h"

namespace twofold::results {

/// Rows of table `metric`, read once each; they never change. Bounded: all are forgotten when there
/// are too many.
///
/// Errors   throws SQLite::Exception.
class MetricRows {
 public:
  explicit MetricRows(SQLite::Database& database)
      : find_(database,
              absl::StrCat("SELECT ", AllTables().metric.List(), " FROM metric WHERE number = ?")) {
  }

  /// A measurement without its value. Valid until the next call.
  const v1::Measurement& At(std::int64_t number) {
    const auto found = metrics_.find(number);
    if (found != metrics_.end()) return found->second;
    if (metrics_.size() >= kMost) metrics_.clear();
    Prepared::Rows row(find_, number);
    if (!row.Next()) throw SQLite::Exception("a metric is missing", SQLITE_CORRUPT);
    v1::Measurement metric;
    row.Read(AllTables().metric, 0, metric);
    return metrics_[number] = std::move(metric);
  }

 private:
  static constexpr std::size_t kMost = 20'000;

  Prepared find_;
  absl::flat_hash_map<std::int64_t, v1::Measurement> metrics_;
};

}  // namespace twofold::results
