#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lib/common/result.h"
#include "lib/results/row_digest.h"
#include "lib/results/store_end.h"

namespace twofold::results {

/// A table on both sides, as it was read there.
struct CopiedTable {
  [[nodiscard]] bool same() const { return from == to; }

  std::string name;
  RowDigest from;  ///< with texts as the other side keeps them
  RowDigest to;
  std::int64_t replaced = 0;  ///< texts that the other side keeps in another form: see InsteadOf
};

struct CopiedStore {
  [[nodiscard]] bool same() const;
  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t replaced() const;

  std::vector<CopiedTable> tables;
};

/// How far a copy is.
struct CopyProgress {
  enum class Phase : std::uint8_t { kCopying, kVerifying };

  Phase phase = Phase::kCopying;
  const std::string& table;
  std::int64_t done = 0;  ///< rows of all tables in this phase
  std::int64_t all = 0;   ///< that there are
};

/// Copies all tables, reads them in `to` to compare them row by row, and commits them if they are
/// the same. A frontend that opens `to` goes on where that of `from` has stopped.
///
/// `watch` is called every thousand rows; an error that it returns ends the copy.
/// Errors   kFailedPrecondition: `to` is not empty, and what it has; those of both ends and of
///          `watch`. Nothing is copied then, nor if what is returned is not same().
/// Cost     Reads `from` once, `to` once; constant memory.
using WatchCopy = absl::FunctionRef<Status(const CopyProgress& progress)>;
Result<CopiedStore> CopyStore(StoreEnd& from, StoreEnd& to, WatchCopy watch);

}  // namespace twofold::results
