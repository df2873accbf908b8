#include "lib/rpc/columns.h"

#include <absl/strings/str_cat.h>

#include <cstdint>

namespace twofold::rpc {

Status CheckColumn(std::string_view name, int entries, int rows) {
  if (entries == 0 || entries == rows) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(std::string(name), " has ", entries,
                                                 " entries for ", rows,
                                                 " rows; send one a row, or none"));
}

Status CheckIndexColumn(std::string_view name,
                        const google::protobuf::RepeatedField<std::uint32_t>& column, int rows,
                        int table_size) {
  if (Status status = CheckColumn(name, column.size(), rows); !status.ok()) return status;
  const std::uint32_t end = table_size == 0 ? 1 : static_cast<std::uint32_t>(table_size);
  for (const std::uint32_t index : column) {
    if (index < end) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(name), " has the index ", index, " into a table of ", table_size));
  }
  return absl::OkStatus();
}

Status CheckPacked(std::string_view name,
                   const google::protobuf::RepeatedField<std::uint32_t>& sizes,
                   std::string_view bytes, int rows, std::size_t limit) {
  if (Status status = CheckColumn(name, sizes.size(), rows); !status.ok()) return status;
  std::uint64_t sum = 0;
  for (const std::uint32_t size : sizes) {
    if (size > limit) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(name), " has an entry of ", size,
                                                     " bytes; at most ", limit, " are allowed"));
    }
    sum += size;
  }
  if (sum == bytes.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(std::string(name), " sizes add up to ", sum,
                                                 " but there are ", bytes.size(), " bytes"));
}

}  // namespace twofold::rpc
