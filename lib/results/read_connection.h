#pragma once

#include <absl/functional/function_ref.h>

#include <chrono>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/results/statements.h"

namespace twofold::results {

/// So long one read may take: as long as it goes on, the engine keeps what was replaced since.
inline constexpr Duration kLongestRead = std::chrono::seconds(30);

/// A connection that only reads what others may be writing meanwhile.
///
/// Threads  Safe; one read at a time.
class ReadConnection {
 public:
  ReadConnection() = default;
  virtual ~ReadConnection() = default;
  ReadConnection(const ReadConnection&) = delete;
  ReadConnection& operator=(const ReadConnection&) = delete;

  /// For use within Run.
  [[nodiscard]] virtual Statements& sql() const = 0;

  /// Of what is read, for people: a path, or an address without its secrets.
  [[nodiscard]] virtual const std::string& name() const = 0;

  /// Whether somebody may be writing there: false only if that is certain.
  [[nodiscard]] virtual bool IsWritten() const { return true; }

  /// Calls `read`, which returns a Result and may throw what its engine throws, and Damaged. It
  /// sees what was committed when it began. It may be called once more, on a new connection.
  template <typename Read>
  std::invoke_result_t<Read> Run(const Read& read) const {
    std::optional<std::invoke_result_t<Read>> result;
    if (Status status = InTransaction([&] { return result.emplace(read()).status(); });
        !status.ok()) {
      return status;
    }
    return *std::move(result);
  }

 private:
  /// Calls `read` and returns its status, or what it has thrown as one.
  virtual Status InTransaction(absl::FunctionRef<Status()> read) const = 0;
};

}  // namespace twofold::results
