#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/common/result.h"
#include "lib/results/store_address.h"
#include "lib/results/store_tables.h"

namespace twofold::results {

/// One end of a copy of a whole store. What is read is what was there when it was opened, and what
/// was added since; what is added is there after Commit, or not at all, however this program ends.
///
/// Threads  Not safe.
/// Errors   of every call, those of Store.
/// Cost     Memory for a MiB of rows, or for one row that is longer.
class StoreEnd {
 public:
  StoreEnd() = default;
  virtual ~StoreEnd() = default;
  StoreEnd(const StoreEnd&) = delete;
  StoreEnd& operator=(const StoreEnd&) = delete;

  /// A path, or an address without its secrets.
  [[nodiscard]] virtual const std::string& name() const = 0;

  virtual Result<std::int64_t> Count(const Table& table) = 0;

  /// In any order. What `take` returns as an error ends it.
  /// Errors   also kDataLoss: a value is not of its column's kind.
  using Take = absl::FunctionRef<Status(Row row)>;
  virtual Status Read(const Table& table, Take take) = 0;

  // ---- Of one that was opened to be written

  /// What this engine keeps instead of the text; nullopt: the text as it is.
  [[nodiscard]] virtual std::optional<std::string> InsteadOf(std::string_view /*text*/) const {
    return std::nullopt;
  }

  virtual Status Clear(const Table& table) = 0;
  virtual Status Add(const Table& table, Row row) = 0;

  /// Makes what was added last, and numbers that the engine gives itself go on after it. The last
  /// call.
  /// Errors   kUnavailable: the file is not the one that was opened.
  virtual Status Commit() = 0;

  // ---- Of one that was opened to be read

  /// Whether it still is as it was opened. Count and Read show later changes afterwards. One that
  /// is written lets no frontend in.
  /// Errors   kFailedPrecondition: a frontend uses it.
  virtual Status CheckAlone() = 0;
};

enum class Use : std::uint8_t { kRead, kWrite };

/// To be written, a store is made if there is none, and brought up to date.
///
/// Errors   also kNotFound: there is nothing to read; kFailedPrecondition: a frontend uses it, or a
///          newer one has written it.
Result<std::unique_ptr<StoreEnd>> OpenEnd(const StoreAddress& address, Use use);

}  // namespace twofold::results
