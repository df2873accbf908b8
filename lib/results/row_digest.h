#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "lib/results/store_tables.h"

namespace twofold::results {

/// What rows have in them, as one number: the sum of a digest of each, so that their order, in
/// which engines differ, does not count, but how often a row is there does.
///
/// Two tables with the same digest have the same rows, unless somebody who can choose the rows has
/// set out to make them look so.
/// Cost     A SHA-256 of each row.
class RowDigest {
 public:
  void Add(Row row);

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// 32 hexadecimal digits.
  [[nodiscard]] std::string Hex() const;

  bool operator==(const RowDigest& other) const {
    return rows_ == other.rows_ && sum_ == other.sum_;
  }

 private:
  std::int64_t rows_ = 0;
  std::array<std::uint64_t, 2> sum_ = {};
  std::string bytes_;  // of the last row; here as it keeps its room
};

}  // namespace twofold::results
