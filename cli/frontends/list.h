#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lib/common/instant.h"
#include "lib/show/table.h"
#include "twofold/v1/frontends.pb.h"
#include "twofold/v1/queue.pb.h"

/// Who serves which queue, as tables. Pure.
namespace twofold::cli {

/// How many jobs a second end, by what two lists say.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
class FinishedRates {
 public:
  /// Compares a list with the one before.
  void Note(const v1::ListFrontendsReply& list, Instant now);

  /// Of a partition of the last list; absent: it was not in the one before.
  [[nodiscard]] std::optional<double> Of(const v1::Partition& partition) const;

 private:
  struct Count {
    std::uint64_t epoch = 0;
    std::uint64_t finished = 0;
  };

  Instant noted_;
  std::map<std::uint32_t, Count> counts_;  // by number of the partition
  std::map<std::uint32_t, double> rates_;
};

/// A row a frontend: its message (show::ToJson) with sums over its queues, its state ("serving",
/// "draining", "away"), and what is wrong in words. What nobody serves is a row without a name, of
/// state "unowned".
show::Json FrontendRows(const v1::ListFrontendsReply& list, const FinishedRates& rates = {});
const show::Columns& FrontendColumns();

/// A row a partition, those that nobody serves first: its message, who serves it, and its state
/// ("served", "suspended", "lost", "away", "unowned").
show::Json PartitionRows(const v1::ListFrontendsReply& list, const FinishedRates& rates = {});
const show::Columns& PartitionColumns();

/// The list of a frontend at `address` that knows of no others, by what it says of its queues.
v1::ListFrontendsReply ListOfOne(const std::string& address, const v1::ListQueuesReply& queues);

/// Whether there is one frontend and no more, so that nothing can be moved.
bool IsAlone(const v1::ListFrontendsReply& list);

}  // namespace twofold::cli
