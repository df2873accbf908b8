#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>

#include "lib/results/benchmark.h"
#include "lib/results/prepared.h"

namespace twofold::results {

/// Rows of table `metric`, read once each; they never change. Bounded: all are forgotten when there
/// are too many.
///
/// Errors   throws SQLite::Exception.
class MetricRows {
 public:
  explicit MetricRows(SQLite::Database& database);

  /// Valid until the next call.
  const Metric& At(std::int64_t number);

 private:
  static constexpr std::size_t kMost = 20'000;

  Prepared find_;
  absl::flat_hash_map<std::int64_t, Metric> metrics_;
};

}  // namespace twofold::results
