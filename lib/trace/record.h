#pragma once

#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "lib/common/result.h"

/// The frame of a trace file: its first line, and where one record ends and the next begins.
/// docs/trace.md is the grammar; trace.proto says what is in a record.
namespace twofold::queue::trace {

/// The file begins with this text, then the version and '\n'.
inline constexpr std::string_view kMagic = "twofold trace ";
inline constexpr std::uint64_t kVersion = 5;

/// More is taken for damage. A step has one call's spec or list of held attempts, and what it led
/// to: room for 100 000 effects. As messages, the records of a hostile file may take 150 times
/// this.
inline constexpr std::size_t kLargestRecord = std::size_t{8} << 20;

/// 64 bits that stand for these bytes: the same in every build and on every machine, so that they
/// may be stored. Finds accidents, not forgery. docs/trace.md has the formula.
///
/// Cost     about 5 cycles for 8 bytes.
std::uint64_t Digest(std::string_view bytes);

/// What a file begins with.
std::string Header();

/// Appends a record as it is in the file: its size, its check, the Record as bytes.
void AppendRecord(std::string& file, std::string_view body);

/// Takes records as bytes, whole ones, in order.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void Add(std::string_view body) = 0;
  /// False: what is added is lost, for good.
  [[nodiscard]] virtual bool open() const = 0;
};

/// Reads the records of a trace file one by one, whatever its size.
///
/// Errors   InvalidArgument: no trace, one of another version, or damaged (at which byte).
/// Cost     Memory for the largest record there is; never much more than the file has bytes.
class RecordReader {
 public:
  enum class Got : std::uint8_t {
    kRecord,
    kEndOfFile,
    kCut,  ///< the file ends within a record, as its writer was killed
  };

  /// `in` must outlive the reader.
  explicit RecordReader(std::istream& in) : in_(&in) {}

  /// Call it first.
  Status ReadHeader();
  Result<Got> Next();

  /// The record just read, until the next call.
  [[nodiscard]] const std::string& body() const { return body_; }
  /// Where that record, or the one that could not be read, begins.
  [[nodiscard]] std::int64_t offset() const { return offset_; }
  /// The error for that record.
  [[nodiscard]] Status Damaged(std::string_view how) const;

 private:
  google::protobuf::io::IstreamInputStream in_;
  std::string body_;
  std::int64_t offset_ = 0;
};

}  // namespace twofold::queue::trace
