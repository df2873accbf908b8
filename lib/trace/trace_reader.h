#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "lib/common/result.h"

namespace twofold::queue::trace {

/// Reads the records of a trace file one by one, whatever its size.
///
/// Errors   InvalidArgument: no trace, one of another version, or damaged (at which byte).
/// Cost     Memory for the largest record there is; never much more than the file has bytes.
class TraceReader {
 public:
  enum class Got {
    kRecord,
    kEndOfFile,
    kCut,  ///< the file ends within a record, as its writer was killed
  };

  /// `in` must outlive the reader.
  explicit TraceReader(std::istream& in) : in_(in) {}

  /// Call it first.
  Status ReadHeader();
  Result<Got> Next();

  /// Of the record just read, until the next call.
  [[nodiscard]] std::string_view body() const { return body_; }
  /// Where that record, or the one that could not be read, begins.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  Result<Got> ReadSize(std::uint64_t& size);
  bool Read(std::string& to, std::size_t size);
  [[nodiscard]] Status Damaged(const std::string& how) const;

  std::istream& in_;
  std::string body_;
  std::string check_;
  std::uint64_t offset_ = 0;
  std::uint64_t next_ = 0;  // where the next byte is
};

}  // namespace twofold::queue::trace
