#pragma once

#include <absl/base/attributes.h>
#include <google/protobuf/repeated_field.h>

#include <string>
#include <string_view>

#include "lib/common/result.h"

/// Batches packed by columns (see queue.proto): how to add to a column, check it and read it.
namespace twofold::rpc {

/// Appends the entry of row `row`. A column stays empty as long as all its entries are `fallback`.
/// Inline, as a job comes here some twenty times.
template <typename T>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void AppendColumn(google::protobuf::RepeatedField<T>& column,
                                                      int row, T value, T fallback) {
  if (column.empty() && value == fallback) return;
  if (column.size() < row) column.Resize(row, fallback);
  column.Add(value);
}

template <typename T>
T ColumnAt(const google::protobuf::RepeatedField<T>& column, int row, T fallback) {
  return column.empty() ? fallback : column.Get(row);
}

/// A column must be empty or have `rows` entries.
Status CheckColumn(std::string_view name, int entries, int rows);

/// A column of indices must also stay under `table_size` (1 if the table is empty: all 0).
Status CheckIndexColumn(std::string_view name,
                        const google::protobuf::RepeatedField<std::uint32_t>& column, int rows,
                        int table_size);

/// A packed bytes field: sizes must be a column, each at most `limit`, and add up to `bytes`.
Status CheckPacked(std::string_view name,
                   const google::protobuf::RepeatedField<std::uint32_t>& sizes,
                   std::string_view bytes, int rows, std::size_t limit);

/// Reads a packed field that CheckPacked has passed, from the first row to the last.
class PackedReader {
 public:
  PackedReader(const google::protobuf::RepeatedField<std::uint32_t>& sizes, std::string_view bytes)
      : sizes_(sizes), rest_(bytes) {}

  std::string_view Next() {
    const std::size_t size = sizes_.empty() ? 0 : sizes_.Get(row_++);
    const std::string_view slice = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return slice;
  }

 private:
  const google::protobuf::RepeatedField<std::uint32_t>& sizes_;
  std::string_view rest_;
  int row_ = 0;
};

}  // namespace twofold::rpc
