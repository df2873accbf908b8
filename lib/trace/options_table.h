#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/queue/types.h"

namespace twofold::queue::trace {

/// The JobOptions that the trace of one queue has written last, by number. Each is written once and
/// then named by number; with more than kMost in use the one written longest ago is given up, and
/// written again when it comes again.
///
/// It keeps the options alive: so an address means the same options for as long as it is here.
///
/// Cost     O(1); nearly nothing for the options that were asked for last.
class OptionsTable {
 public:
  static constexpr std::uint64_t kMost = 256;

  struct Entry {
    std::shared_ptr<const JobOptions> options;
    std::uint64_t digest = 0;
  };

  /// The number of options that are here.
  [[nodiscard]] std::optional<std::uint64_t> Find(const JobOptions* options) const;
  /// Gives them the next number. `digest` is that of DigestOf.
  std::uint64_t Add(const std::shared_ptr<const JobOptions>& options, std::uint64_t digest);
  /// nullptr: none has this number.
  [[nodiscard]] const Entry* At(std::uint64_t number) const;

  /// Of the content of options, here or not.
  [[nodiscard]] std::uint64_t DigestOf(const JobOptions& options) const;

 private:
  std::vector<Entry> entries_;  // a ring once it is full
  std::uint64_t next_ = 0;
  absl::flat_hash_map<const JobOptions*, std::uint64_t> numbers_;
  mutable std::uint64_t last_ = 0;  // asked for last
};

}  // namespace twofold::queue::trace
