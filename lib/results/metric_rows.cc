#include "lib/results/metric_rows.h"

#include <sqlite3.h>

#include <string>

#include "lib/results/json_text.h"

namespace twofold::results {

MetricRows::MetricRows(SQLite::Database& database)
    : find_(database,
            "SELECT name, unit, better, headline, dimensions FROM metric WHERE number = ?") {}

const Metric& MetricRows::At(std::int64_t number) {
  const auto found = metrics_.find(number);
  if (found != metrics_.end()) return found->second;
  if (metrics_.size() >= kMost) metrics_.clear();
  Prepared::Rows row(find_, number);
  if (!row.Next()) throw SQLite::Exception("a metric is missing", SQLITE_CORRUPT);
  return metrics_[number] = {.name = row[0].getString(),
                             .unit = row[1].getString(),
                             .better = BetterOf(row[2].getString()),
                             .headline = row[3].getInt() != 0,
                             .dimensions = FromColumn(row[4], DimensionsOf)};
}

}  // namespace twofold::results
